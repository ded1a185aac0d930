/** The keys of the rows that follow from the rows of an entity: where their load is. */
import { buildKeyCodec, type KeyCodec } from '../../../data/key/index.js';
import type { CopyModel, EntityModel, IndexModel } from '../../../entities/model/index.js';
import type { Random } from '../../values/index.js';
import { RowData } from '../workload/row-data.js';
import type { EntityLoad } from '../workload/entity-load.js';

type Values = Readonly<Record<string, unknown>>;

/** What has rows besides the entity, or what its writes read. */
export interface DerivedOwner {
  /** Of the index or rollup; of copies, the entity with the values. */
  readonly name: string;
  readonly kind: 'index' | 'rollup' | 'copies';
}

interface KeyedOwner extends DerivedOwner {
  /** The key that follows from a row; undefined without one. */
  readonly keyOf: (values: Values) => Uint8Array | undefined;
}

/** Makes the keys that follow from rows of a design. */
export class DerivedKeys {
  readonly owners: readonly KeyedOwner[];
  readonly #data: RowData;

  constructor(load: EntityLoad) {
    const { model } = load;
    const { indexes, rollups, copies = [] } = model;
    this.owners = [
      ...indexes.map((index) => indexOwner(index, model)),
      ...rollups.map(({ name, rows, time, width }): KeyedOwner => {
        const floored = (value: unknown): unknown =>
          value instanceof Date ? new Date(value.getTime() - (value.getTime() % width)) : value;
        const keyOf = (values: Values): Uint8Array =>
          rows.key.encode({ ...values, [time]: floored(values[time]) });
        return { name, kind: 'rollup', keyOf };
      }),
      ...copies.map(copiesOwner),
    ];
    const used = new Set([
      ...indexes.flatMap(({ segments }) => segments),
      ...copies.flatMap(({ by }) => [...by.values()]),
    ]);
    const columns = load.columns.filter(({ column }) => used.has(column.property));
    this.#data = new RowData({ ...load, columns }, false);
  }

  /** The keys that follow from a row with these segments, in the order of the owners. */
  keysOf(segments: Values, random: Random): readonly (Uint8Array | undefined)[] {
    const values = { ...segments, ...this.#data.columns(random) };
    return this.owners.map(({ keyOf }) => keyOf(values));
  }
}

function indexOwner(index: IndexModel, model: EntityModel): KeyedOwner {
  const key = entryKey(index, model);
  const needed = index.segments;
  const keyOf = (values: Values): Uint8Array | undefined =>
    needed.every((name) => values[name] !== undefined) ? key.encode(values) : undefined;
  return { name: index.name, kind: 'index', keyOf };
}

/** The key of entries, which end with the segments of the row in the order of the design. */
function entryKey({ entry, segments, unique }: IndexModel, model: EntityModel): KeyCodec {
  const { format, parts } = entry.key.spec;
  const leading = parts
    .filter((part) => part.kind === 'literal' || segments.includes(part.name))
    .map((part) => {
      const own = model.segments.find(
        ({ property }) => part.kind === 'segment' && property === part.name,
      );
      if (part.kind !== 'segment' || own?.type.kind !== 'reversedId') return part;
      return { ...part, type: own.type };
    });
  const rest = model.key.spec.parts.filter(
    (part) => part.kind === 'segment' && !segments.includes(part.name),
  );
  const built = buildKeyCodec(
    { format, parts: unique ? leading : [...leading, ...rest] },
    entry.name,
  );
  return 'codec' in built ? built.codec : entry.key;
}

/** The rows that a write reads because it copies their values, if there can be such rows. */
function copiesOwner({ source, by }: CopyModel): KeyedOwner {
  const keyOf = (values: Values): Uint8Array | undefined => {
    const own = Object.fromEntries([...by].map(([segment, name]) => [segment, values[name]]));
    try {
      return source.key.encode(own);
    } catch {
      return undefined;
    }
  };
  return { name: source.name, kind: 'copies', keyOf };
}
