/**
 * Candidates are tried on our own codecs: they read only bytes that they would have written, so a
 * yes means something.
 */
import {
  buildKeyCodec,
  type KeyFormat,
  type KeyPart,
  type SegmentType,
  type ShardSpec,
} from '../../../key/index.js';

/** Reads keys of this form; undefined where the form itself is not possible. */
export function keyReader(
  format: KeyFormat,
  parts: readonly KeyPart[],
  shards?: ShardSpec,
): ((key: Uint8Array) => Record<string, unknown> | undefined) | undefined {
  const built = buildKeyCodec(
    { format, parts, ...(shards === undefined ? {} : { shards }) },
    'draft',
  );
  if ('faults' in built) return undefined;
  const decode = built.codec.decoder();
  return (key) => {
    const values: Record<string, unknown> = {};
    return decode(key, 0, key.length, values) ? values : undefined;
  };
}

/** The values of one segment by a type; undefined unless the type reads all of them. */
export function readAll(
  format: KeyFormat,
  type: SegmentType,
  texts: readonly Uint8Array[],
): unknown[] | undefined {
  const read = keyReader(format, [{ kind: 'segment', name: 'value', type }]);
  if (read === undefined) return undefined;
  const values: unknown[] = [];
  for (const text of texts) {
    const found = read(text);
    if (found === undefined) return undefined;
    values.push(found.value);
  }
  return values;
}
