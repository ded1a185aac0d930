/**
 * The rows that torture scenarios write. All cells of a row follow from its key and its generation,
 * the number of the write, so that a row that is lost, old, half written or another's is detected.
 */
import {
  collectRows,
  copyRow,
  everyKey,
  type Cell,
  type Engine,
  type Mutation,
  type Row,
  type RowMutation,
} from '../../../../src/storage.js';
import { randomOf, seedOf } from './random.js';

export const table = 't';
const families = ['big', 'g', 'many', 'n'];

/** Creates a table, unless it exists. */
export async function ensureTable(engine: Engine, name = table): Promise<void> {
  if (await hasTable(engine, name)) return;
  await engine.createTable({ name, families: new Map(families.map((family) => [family, {}])) });
}

async function hasTable(engine: Engine, wanted: string): Promise<boolean> {
  return (await engine.listTables()).some(({ name }) => name === wanted);
}

/** The row is deleted by this generation; generation 0 is before its first write. */
export function isDeletion(generation: number): boolean {
  return generation % 9 === 0;
}

/** The next generation that deletes a row. */
export function nextDeletion(generation: number): number {
  return generation + 9 - (generation % 9);
}

interface ExpectedCell {
  readonly family: string;
  readonly qualifier: string;
  readonly value: Buffer;
}

/** The cells of the row after a write, in the order of a read. */
function cellsOf(key: string, generation: number, maxBytes: number): ExpectedCell[] {
  if (isDeletion(generation)) return [];
  const random = randomOf(seedOf(`${key} ${generation}`));
  const text = `${key}.${generation}.`;
  const cells: ExpectedCell[] = [];
  // As many small values as large ones.
  const length = Math.floor(maxBytes ** random.fraction());
  if (random.chance(0.8))
    cells.push({ family: 'big', qualifier: 'v', value: Buffer.alloc(length, text) });
  cells.push({ family: 'g', qualifier: 'generation', value: Buffer.from(`${generation}`) });
  cells.push({ family: 'g', qualifier: 'x', value: Buffer.from(text) });
  if (random.chance(0.2)) {
    const value = Buffer.from(text.padEnd(60, '-'));
    // More than one chunk.
    for (let i = 0; i < 250; i++) cells.push({ family: 'many', qualifier: `q${1000 + i}`, value });
  }
  return cells;
}

/** The write of a generation of a row, which replaces the row. */
export function writeOf(key: string, generation: number, maxBytes: number): RowMutation {
  const cells = cellsOf(key, generation, maxBytes).map(
    ({ family, qualifier, value }): Mutation => ({
      kind: 'setCell',
      family,
      qualifier: Buffer.from(qualifier),
      timestamp: generation * 1000,
      value,
    }),
  );
  return { key: Buffer.from(key), mutations: [{ kind: 'deleteFromRow' }, ...cells] };
}

/** Keys of counters begin so; the generation of a counter is its value. */
const counterPrefix = 'count-';

export function counterKey(number: number): string {
  return `${counterPrefix}${number}`;
}

/** Adds 1 to a counter and returns its value. */
export async function increment(engine: Engine, key: string): Promise<number> {
  const row = await engine.readModifyWriteRow(table, Buffer.from(key), [
    { kind: 'increment', family: 'n', qualifier: Buffer.from('n'), amount: 1n },
  ]);
  return counterValues(row)[0];
}

/** Of all versions, the newest first. */
function counterValues(row: Row): number[] {
  return row.cells.map(({ value }) => Number(Buffer.from(value).readBigInt64BE()));
}

/** The generation of a row that was read; undefined if no single write could have written it. */
export function generationOf(row: Row, maxBytes: number): number | undefined {
  const key = text(row.key);
  if (key.startsWith(counterPrefix)) {
    // Each write of another millisecond leaves a version.
    const values = counterValues(row);
    return values.every((value, i) => i === 0 || value < values[i - 1]) ? values[0] : undefined;
  }
  const named = row.cells.find(({ family }) => family === 'g');
  const generation = Number(named === undefined ? NaN : text(named.value));
  if (!Number.isSafeInteger(generation)) return undefined;
  const expected = cellsOf(key, generation, maxBytes);
  const isSame = (cell: Cell, i: number): boolean =>
    cell.family === expected[i].family &&
    text(cell.qualifier) === expected[i].qualifier &&
    Number(cell.timestamp) === generation * 1000 &&
    expected[i].value.equals(cell.value);
  if (row.cells.length !== expected.length || !row.cells.every(isSame)) return undefined;
  return generation;
}

const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString();

/** What a row may be: any generation from the last acknowledged to the last attempted one. */
export interface Expected {
  acknowledged: number;
  attempted: number;
}
/** By key. */
export type Expectations = Record<string, Expected>;

/** How the rows of a database differ from what they may be; every list holds descriptions. */
export interface Comparison {
  /** Acknowledged writes of rows that are missing or older. */
  readonly lost: string[];
  /** Rows that no write could have left: half written, mixed up, or never attempted. */
  readonly wrong: string[];
}

/** Compares the row, undefined if it is missing, and narrows the expectation to what was found. */
export function compareRow(
  key: string,
  row: Row | undefined,
  expected: Expected | undefined,
  maxBytes: number,
  result: Comparison,
): void {
  const { acknowledged, attempted } = expected ?? { acknowledged: 0, attempted: 0 };
  const range = `of ${acknowledged} to ${attempted}`;
  let found: number | undefined;
  if (row === undefined) {
    found = acknowledged;
    while (found <= attempted && !isAbsentAt(key, found)) found++;
    if (found > attempted) return void result.lost.push(`${key} is missing, ${range}`);
  } else {
    found = generationOf(row, maxBytes);
    if (found === undefined)
      return void result.wrong.push(`${key} has cells of no write, ${range}`);
    if (found < acknowledged) return void result.lost.push(`${key} is at ${found}, ${range}`);
    if (found > attempted) return void result.wrong.push(`${key} is at ${found}, ${range}`);
  }
  if (expected !== undefined) expected.acknowledged = found;
}

function isAbsentAt(key: string, generation: number): boolean {
  return key.startsWith(counterPrefix) ? generation === 0 : isDeletion(generation);
}

/**
 * Reads all rows and adds what differs to `result`. Rejects with the engine's error, after the rows
 * before it were compared.
 */
export async function compareRows(
  engine: Engine,
  expectations: Expectations,
  { maxBytes, reversed = false, result }: CompareOptions,
): Promise<void> {
  const missing = new Set(Object.keys(expectations));
  const check = (key: string, row?: Row): void =>
    compareRow(key, row, expectations[key], maxBytes, result);
  if (!(await hasTable(engine, table))) return [...missing].forEach((key) => check(key));
  let previous: string | undefined;
  const isBefore = (a: string, b: string): boolean => (reversed ? a > b : a < b);
  // Small pages: the rows together may be larger than memory.
  const stream = engine.readRows({ table, ranges: [everyKey], reversed }, { pageRows: 16 });
  try {
    for (let page = await stream.next(); page !== undefined; page = await stream.next()) {
      while (page.nextRow()) {
        const row = copyRow(page);
        const key = text(row.key);
        if (previous !== undefined && !isBefore(previous, key))
          result.wrong.push(`${key} was read after ${previous}`);
        previous = key;
        missing.delete(key);
        check(key, row);
      }
    }
  } catch (error) {
    for (const key of missing) if (previous !== undefined && isBefore(key, previous)) check(key);
    throw error;
  } finally {
    await stream.close();
  }
  for (const key of missing) check(key);
}

export interface CompareOptions {
  readonly maxBytes: number;
  readonly reversed?: boolean;
  readonly result: Comparison;
}

/** Reads one row; undefined if it does not exist. */
export async function readRow(engine: Engine, key: string, from = table): Promise<Row | undefined> {
  const start = Buffer.from(key);
  const range = { start, end: Buffer.concat([start, Buffer.alloc(1)]) };
  return (await collectRows(engine.readRows({ table: from, ranges: [range], reversed: false })))[0];
}
