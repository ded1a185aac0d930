/** Entities with values of the declared sizes, for writes to a real engine. */
import type { FaultTexts } from '../../../base/index.js';
import type { ColumnModel, EntityModel } from '../../../entities/model/index.js';
import type { Random } from '../../values/index.js';
import { isManaged } from './check-columns.js';
import { workloadError } from './check-values.js';
import type { ColumnSize, EntityLoad } from './entity-load.js';

/** Makes the values of columns. */
export class RowData {
  readonly #model: EntityModel;
  readonly #columns: readonly ColumnSize[];
  /** Digits after the point that rollups allow in a number. */
  readonly #decimals = new Map<string, number>();
  #grown = 0;

  /**
   * With `complete`, throws INVALID_ARGUMENT for a column with values that cannot be made;
   * otherwise such columns are left out.
   */
  constructor({ model, columns }: EntityLoad, complete: boolean) {
    this.#model = model;
    for (const { results } of model.rollups)
      for (const { property, decimals } of results)
        if (property !== undefined && decimals !== undefined)
          this.#decimals.set(
            property,
            Math.min(decimals, this.#decimals.get(property) ?? Infinity),
          );
    this.#columns = columns.filter((size) => {
      if (isManaged(model, size.column.property) || isCounter(size.column)) return false;
      if (canMake(size)) return true;
      if (complete) throw missingValue(model, size.column);
      return false;
    });
  }

  /** Values of the columns of one write, by property. */
  columns(random: Random): Record<string, unknown> {
    const values: Record<string, unknown> = {};
    for (const size of this.#columns)
      if (size.share === 1 || random.next() < size.share)
        values[size.column.property] = this.#valueOf(size, random);
    return values;
  }

  /** Number of columns that writes have values for. */
  get size(): number {
    return this.#columns.length;
  }

  /** Counters that a write adds to. */
  counters(): readonly string[] {
    return this.#model.columns.filter(isCounter).map(({ property }) => property);
  }

  #valueOf(size: ColumnSize, random: Random): unknown {
    const { column, value, entries, from, to } = size;
    if (value !== undefined) return value(random.next());
    const bytes = Math.floor(from + random.next() * (to - from + 1));
    if (column.kind !== 'columnMap') {
      const made = scalarValue(column.codec.kind, bytes, random);
      const decimals = this.#decimals.get(column.property);
      if (typeof made !== 'number' || decimals === undefined) return made;
      // Numbers of four bytes have no exact decimals.
      return column.codec.kind === 'double' ? Number(made.toFixed(decimals)) : Math.round(made);
    }
    const first = entries === 'grow' ? this.#grown++ : 0;
    const count = entries === 'grow' ? 1 : entries;
    return new Map(
      Array.from({ length: count }, (_, i) => [
        qualifier(column, first + i),
        scalarValue(column.codec.kind, bytes, random),
      ]),
    );
  }
}

function isCounter({ kind }: ColumnModel): boolean {
  return kind === 'counter';
}

const scalarKinds = new Set([
  'string',
  'bytes',
  'bool',
  'int32',
  'uint32',
  'int64',
  'double',
  'float',
  'timestamp',
  'date',
  'json',
]);

function canMake({ column, value }: ColumnSize): boolean {
  if (value !== undefined) return true;
  if (column.kind === 'versions' || !scalarKinds.has(column.codec.kind)) return false;
  return column.kind !== 'columnMap' || !column.aggregate;
}

function missingValue(model: EntityModel, { property, codec, kind }: ColumnModel): Error {
  return workloadError(
    model,
    property,
    faults.missingValues(property, kind === 'versions' ? 'versions' : codec.kind),
  );
}

function scalarValue(kind: string, bytes: number, random: Random): unknown {
  switch (kind) {
    case 'string':
      return textOf(bytes, random);
    case 'bytes':
      return Buffer.from(textOf(bytes, random));
    case 'json':
      // Two quotes are part of the stored text.
      return textOf(Math.max(0, bytes - 2), random);
    case 'bool':
      return random.next() < 0.5;
    case 'int64':
      return BigInt(random.below(1e9));
    case 'timestamp':
      return new Date(1.7e12 + random.below(1e10));
    case 'date':
      return `2026-01-${String(1 + random.below(28)).padStart(2, '0')}`;
    case 'int32':
    case 'uint32':
      return random.below(1e9);
    default:
      return random.next() * 100;
  }
}

const letters = 'abcdefghijklmnopqrstuvwxyz012345';

function textOf(bytes: number, random: Random): string {
  let text = '';
  while (text.length < bytes) {
    let bits = random.below(2 ** 30);
    for (let i = 0; i < 6; i++, bits >>>= 5) text += letters[bits & 31];
  }
  return text.slice(0, bytes);
}

/** The key of an entry of a column map. */
export function qualifier(
  { qualifiers }: Extract<ColumnModel, { kind: 'columnMap' }>,
  n: number,
): unknown {
  const { kind } = qualifiers.type;
  if (kind === 'string') return `entry-${n}`;
  if (kind === 'timestamp') return new Date(1.7e12 + n * 1000);
  if (kind === 'bigint') return BigInt(n);
  if (kind === 'enum') return qualifiers.type.values![n % qualifiers.type.values!.length];
  return n;
}

const faults = {
  missingValues: (property: string, text: string) => ({
    problem: `values of '${property}' (${text}) cannot be made up`,
    fix: `give value: columns: { ${property}: { value: (random) => ... } }`,
  }),
} satisfies FaultTexts;
