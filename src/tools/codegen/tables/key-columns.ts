/** The parts of a row key under their names in SQL, in key order. */
import type { SegmentType } from '../../../data/key/index.js';
import type { EntityModel } from '../../../entities/model/index.js';
import { UniqueNames } from '../unique-names.js';

interface KeyPart {
  /** Differs from every family of the table and every other part, as row_key_schema requires. */
  readonly name: string;
  /** Position in the key, from 0, counting literals and the shard. */
  readonly position: number;
}

/** A segment of the key. */
export interface SegmentColumn extends KeyPart {
  readonly kind: 'segment';
  readonly property: string;
  readonly type: SegmentType;
}

/** One part of a key. */
export type KeyColumn =
  | SegmentColumn
  /** `text` is not escaped yet. */
  | (KeyPart & { readonly kind: 'literal'; readonly text: string })
  /** `count` is the number of shards. */
  | (KeyPart & { readonly kind: 'shard'; readonly count: number });

/**
 * The columns of the entity's keys. Segments keep the names of their properties if those are free;
 * the shard is `shard`, literals are `_ds`, `_ds2`.
 */
export function keyColumns(model: EntityModel): readonly KeyColumn[] {
  const { parts, shards } = model.key.spec;
  const names = new UniqueNames({
    reserved: ['_key', '_timestamp', ...model.table.families.keys()],
    separator: '',
  });
  // Before the other parts, which take what is left.
  const segmentNames = new Map(
    model.segments.map(({ property }) => [property, takeSegmentName(names, property)]),
  );
  const columns: KeyColumn[] = [];
  if (shards !== undefined)
    columns.push({ kind: 'shard', name: names.take('shard'), position: 0, count: shards.count });
  for (const part of parts) {
    const position = columns.length;
    if (part.kind === 'literal')
      columns.push({ kind: 'literal', name: names.take('_ds'), position, text: part.text });
    else
      columns.push({
        kind: 'segment',
        name: segmentNames.get(part.name)!,
        position,
        property: part.name,
        type: part.type,
      });
  }
  return columns;
}

/** The segments alone. */
export function segmentColumns(model: EntityModel): readonly SegmentColumn[] {
  return keyColumns(model).filter((column) => column.kind === 'segment');
}

function takeSegmentName(names: UniqueNames, property: string): string {
  if (names.has(property)) return names.take(`key_${property}`);
  return names.take(property);
}
