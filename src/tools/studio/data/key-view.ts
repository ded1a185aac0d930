/** The bytes of a key by their parts. */
import { printable } from '../../../base/index.js';
import { segmentTextForms } from '../../../data/text/index.js';
import type { EntityModel } from '../../../entities/model/index.js';
import type { JsonValue } from '../protocol/json.js';
import type { KeyBytes, KeyBytesPart } from '../protocol/row.js';
import { shellQuoted } from './shell-quoted.js';

/** A key, with the parts that an entity makes it of. */
export function keyBytesView(
  table: string,
  key: Uint8Array,
  model: EntityModel | undefined,
): KeyBytes {
  const parts: readonly KeyBytesPart[] =
    model === undefined ? [{ kind: 'unknown', start: 0, end: key.length }] : partsOf(model, key);
  return {
    bytes: Buffer.from(key).toString('base64'),
    printable: printable(key),
    parts,
    cbt: `cbt lookup ${shellQuoted(Buffer.from(table))} ${shellQuoted(key)}`,
  };
}

/** The first entity with such keys; undefined if there is none. */
export function entityOfKey(
  models: readonly EntityModel[],
  key: Uint8Array,
): EntityModel | undefined {
  return models.find(({ key: codec }) => codec.decode(key) !== undefined);
}

/** The values of the segments; the entity has such keys. */
export function segmentsOfKey(
  { key: codec }: EntityModel,
  key: Uint8Array,
): Record<string, unknown> {
  return codec.decode(key)!;
}

/**
 * The range of a prefix begins with the bytes up to it, so ranges of more and more segments tell
 * where each one ends.
 */
function partsOf({ key: codec, segments }: EntityModel, key: Uint8Array): readonly KeyBytesPart[] {
  const values = codec.decode(key)!;
  const parts: KeyBytesPart[] = [];
  let start = 0;
  const add = (part: Pick<KeyBytesPart, 'kind' | 'name' | 'value'>, end: number): void => {
    if (end > start) parts.push({ ...part, start, end });
    start = Math.max(start, end);
  };
  add({ kind: 'shard' }, codec.shardEnd(key, 0, key.length));
  const fixed: Record<string, unknown> = {};
  add({ kind: 'literal' }, prefixEnd(codec, fixed, key));
  for (const [i, { property, type }] of segments.entries()) {
    fixed[property] = values[property];
    const value =
      values[property] === null
        ? null
        : (segmentTextForms[type.kind].format(values[property]) as JsonValue);
    const isLast = i === segments.length - 1;
    add(
      { kind: 'segment', name: property, value },
      isLast ? key.length : prefixEnd(codec, fixed, key),
    );
  }
  return parts;
}

/** Where the fixed segments of a key end. */
function prefixEnd(
  codec: EntityModel['key'],
  fixed: Readonly<Record<string, unknown>>,
  key: Uint8Array,
): number {
  const starts = codec
    .ranges({ fixed })
    .perShard.flatMap((ranges) => ranges.map((range) => range.start));
  const own = starts.find((start) => start.every((byte, i) => key[i] === byte));
  return own?.length ?? 0;
}
