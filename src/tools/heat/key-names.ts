/** Row keys in the words of the entities they belong to. */
import { compareBytes, concatBytes, printable } from '../../base/index.js';
import type { SegmentValues } from '../../data/key/index.js';
import type { EntityModel } from '../../entities/model/index.js';

/** A key that an entity of the table decodes. */
export interface DecodedKey {
  readonly entity: string;
  /** In key order; the first is `shard` if the keys have one. */
  readonly segments: readonly { readonly name: string; readonly text: string }[];
}

interface EntityDecoder {
  readonly model: EntityModel;
  readonly decode: (key: Uint8Array) => KeyValues | undefined;
}

/** A value that a decoder sets. */
type SegmentValue = SegmentValues[keyof SegmentValues] | null;
type KeyValues = Record<string, SegmentValue>;

/** Decodes the keys of one table. */
export class KeyNames {
  readonly #decoders: readonly EntityDecoder[];

  /** Models of other tables are left out. */
  constructor(table: string, models: readonly EntityModel[]) {
    this.#decoders = models
      .filter((model) => model.table.name === table)
      .map((model) => ({ model, decode: decoderOf(model) }));
  }

  /** The model with keys of this form; undefined if no entity decodes it. */
  modelOf(key: Uint8Array): EntityModel | undefined {
    return this.#decoders.find(({ decode }) => decode(key) !== undefined)?.model;
  }

  /** The entity and the values of the key; undefined if no entity decodes it. */
  decode(key: Uint8Array): DecodedKey | undefined {
    for (const { model, decode } of this.#decoders) {
      const values = decode(key);
      if (values !== undefined) return decodedKey(model, key, values, model.segments.length);
    }
    return undefined;
  }

  /**
   * The leading segments of a key at which a scan begins, and which is no whole key. `row` is any
   * row, by which it is completed, and then the segments behind it are left out.
   */
  decodeStart(start: Uint8Array, row: Uint8Array): DecodedKey | undefined {
    for (const { model, decode } of this.#decoders) {
      const values = decode(row);
      if (values === undefined) continue;
      const lengths = model.segments.slice(0, -1).map((_segment, i) => ({
        count: i + 1,
        prefix: prefixOf(model, values, i + 1, row),
      }));
      for (const { count, prefix } of lengths.reverse()) {
        if (prefix === undefined) continue;
        const completed = concatBytes(start, row.subarray(prefix.length));
        const found = decode(completed);
        if (found === undefined) continue;
        const own = prefixOf(model, found, count, completed);
        if (own !== undefined && compareBytes(own, start) === 0)
          return decodedKey(model, start, found, count);
      }
    }
    return undefined;
  }

  /** `Reading: device=a, at=2026-01-01T00:00:00.000Z`, or the printable bytes. */
  text(key: Uint8Array): string {
    const decoded = this.decode(key);
    if (decoded === undefined) return printable(key);
    const segments = decoded.segments.map(({ name, text }) => `${name}=${text}`);
    return `${decoded.entity}: ${segments.join(', ')}`;
  }
}

/** The beginning of a key with so many segments; undefined if they are no range of keys. */
function prefixOf(
  { segments, key }: EntityModel,
  values: KeyValues,
  count: number,
  row: Uint8Array,
): Uint8Array | undefined {
  const names = segments.slice(0, count).map(({ property }) => property);
  const fixed = Object.fromEntries(names.map((name) => [name, values[name]]));
  const ranges = key.ranges({ fixed }).perShard.flat();
  const found = ranges.find(
    ({ start }) => compareBytes(row.subarray(0, start.length), start) === 0,
  );
  return found?.start;
}

/** So many leading segments, after the shard. */
function decodedKey(
  model: EntityModel,
  key: Uint8Array,
  values: KeyValues,
  count: number,
): DecodedKey {
  const shard = model.key.shardOf(key);
  const segments = model.segments
    .slice(0, count)
    .map(({ property }) => ({ name: property, text: segmentText(values[property]) }));
  const shards = shard === '' ? [] : [{ name: 'shard', text: shard }];
  return { entity: model.name, segments: [...shards, ...segments] };
}

/** Decodes the keys of one entity; undefined for other keys. */
export function decoderOf({ key }: EntityModel): (key: Uint8Array) => KeyValues | undefined {
  const decode = key.decoder();
  return (bytes) => {
    const values: KeyValues = {};
    return decode(bytes, 0, bytes.length, values) ? values : undefined;
  };
}

/** The value of a segment as text. */
export function segmentText(value: SegmentValue): string {
  if (value === null) return 'null';
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Uint8Array) return printable(value);
  return String(value).replace(hidden, escaped);
}

/**
 * Control characters, and characters that change the direction of text: they spoil a line or a
 * label.
 */
const hidden = /[\0-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

function escaped(character: string): string {
  const hex = character.charCodeAt(0).toString(16);
  return hex.length > 2 ? `\\u${hex.padStart(4, '0')}` : `\\x${hex.padStart(2, '0')}`;
}
