/** The parts of a row key as SQL names them, one for each, in key order. */
import type { SegmentType } from '../../key/index.js';
import type { EntityModel } from '../../model/index.js';

/** One part of a key. */
export interface KeyColumn {
  /** Unlike any family of the table and any other column, as row_key_schema asks. */
  readonly name: string;
  /** Place in the key, from 0, the shard included. */
  readonly place: number;
  /** Segment; undefined for literals and the shard. */
  readonly property?: string;
  readonly type?: SegmentType;
  /** Text of a literal, before escaping. */
  readonly literal?: string;
}

/**
 * The columns of the entity's keys. Segments keep their names where they can; the shard is `shard`,
 * literals are `_ds`, `_ds2`.
 */
export function keyColumns(model: EntityModel): readonly KeyColumn[] {
  const { parts, shards } = model.key.spec;
  // GoogleSQL's names do not tell upper from lower case.
  const taken = new Set(
    ['_key', '_timestamp', ...model.table.families.keys()].map((name) => name.toLowerCase()),
  );
  const free = (wanted: string, another: (again: number) => string): string => {
    let name = wanted;
    for (let again = 2; taken.has(name.toLowerCase()); again++) name = another(again);
    taken.add(name.toLowerCase());
    return name;
  };
  const segments = new Map(
    model.segments.map(({ property }) => [
      property,
      free(property, (again) => `key_${property}${again === 2 ? '' : again - 1}`),
    ]),
  );
  const columns: KeyColumn[] =
    shards === undefined ? [] : [{ name: free('shard', (again) => `shard${again}`), place: 0 }];
  for (const part of parts) {
    const place = columns.length;
    if (part.kind === 'literal')
      columns.push({ name: free('_ds', (again) => `_ds${again}`), place, literal: part.text });
    else
      columns.push({ name: segments.get(part.name)!, place, property: part.name, type: part.type });
  }
  return columns;
}
