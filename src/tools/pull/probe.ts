/**
 * Tests guesses with our own codecs: they decode only bytes that they would have encoded, so
 * success is evidence.
 */
import {
  buildKeyCodec,
  type KeyFormat,
  type KeyPart,
  type SegmentType,
  type ShardSpec,
} from '../../data/key/index.js';

/** Decodes a key into segment values; undefined if the key does not have this form. */
type KeyReader = (key: Uint8Array) => Record<string, unknown> | undefined;

/** A reader for keys of this form; undefined if the form itself is not possible. */
export function probeReader(
  format: KeyFormat,
  parts: readonly KeyPart[],
  shards?: ShardSpec,
): KeyReader | undefined {
  const built = buildKeyCodec({ format, parts, shards }, 'pull');
  if ('faults' in built) return undefined;
  const decode = built.codec.decoder();
  return (key) => {
    const values: Record<string, unknown> = {};
    if (!decode(key, 0, key.length, values)) return undefined;
    return values;
  };
}

/** The values of one segment decoded as `type`; undefined unless all of them can be decoded. */
export function decodeAll(
  format: KeyFormat,
  type: SegmentType,
  encoded: readonly Uint8Array[],
): unknown[] | undefined {
  const read = probeReader(format, [{ kind: 'segment', name: 'value', type }]);
  if (read === undefined) return undefined;
  const values: unknown[] = [];
  for (const bytes of encoded) {
    const found = read(bytes);
    if (found === undefined) return undefined;
    values.push(found.value);
  }
  return values;
}
