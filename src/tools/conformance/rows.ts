/** Rows and mutations of conformance cases, in short forms. */
import { everyKey, latin1Text, utf8Bytes } from '../../base/index.js';
import {
  collectRows,
  type Engine,
  type Mutation,
  type ReadPlan,
  type Row,
} from '../../data/store/index.js';

/** The table of a case. */
export const caseTable = 't';

export const utf8 = utf8Bytes;

export const set = (
  family: string,
  qualifier: string,
  value: string,
  timestamp: number | bigint = 1000,
): Mutation => ({
  kind: 'setCell',
  family,
  qualifier: utf8(qualifier),
  timestamp,
  value: utf8(value),
});

/** Deletes cells of a column of family `a`. */
export const deleteColumn = (qualifier: string, start?: number, end?: number): Mutation => ({
  kind: 'deleteFromColumn',
  family: 'a',
  qualifier: utf8(qualifier),
  start,
  end,
});

/** Rows as one line of text each: `key{family:qualifier@timestamp=value ...}`. */
export function shown(rows: readonly Row[]): string[] {
  return rows.map(({ key, cells }) => {
    const shownCells = cells.map(
      ({ family, qualifier, timestamp, value }) =>
        `${family}:${latin1Text(qualifier)}@${timestamp}=${latin1Text(value)}`,
    );
    return `${latin1Text(key)}{${shownCells.join(' ')}}`;
  });
}

/** The rows of a read of the whole table, or as the plan says. */
export function rowsOf(
  engine: Engine,
  plan: Partial<ReadPlan> = {},
  pageRows?: number,
): Promise<Row[]> {
  const whole = { table: caseTable, ranges: [everyKey], reversed: false };
  return collectRows(engine.readRows({ ...whole, ...plan }, { pageRows }));
}

/** The same as text. */
export async function read(
  engine: Engine,
  plan: Partial<ReadPlan> = {},
  pageRows?: number,
): Promise<string[]> {
  return shown(await rowsOf(engine, plan, pageRows));
}

/** The rows with the families of each in the order of their names. */
export function withSortedFamilies(rows: readonly Row[]): Row[] {
  const order = (a: string, b: string): number => {
    if (a === b) return 0;
    return a < b ? -1 : 1;
  };
  return rows.map(({ key, cells }) => ({
    key,
    cells: cells.toSorted((a, b) => order(a.family, b.family)),
  }));
}
