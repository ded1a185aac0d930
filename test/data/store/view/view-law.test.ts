/**
 * The law of views: whatever filter, range or condition a call has, a view answers as a table that
 * has exactly the shown cells, and a write through it changes no hidden cell.
 */
import { inspect } from 'node:util';
import { compareBytes, noBytes, prefixRange, RowsmithError } from '../../../../src/base/index.js';
import {
  collectRows,
  type Engine,
  type Filter,
  type Mutation,
  type ReadPlan,
  type Row,
  type SubsetView,
  TableSubset,
  viewStage,
  withStages,
} from '../../../../src/data/store/index.js';
import { openMemoryEngine } from '../../../../src/engines/local/index.js';
import { randomFilter } from '../../../differential/generate-filter.js';
import { ValueGenerator } from '../../../differential/value-generator.js';
import { random } from '../../../engines/history.js';
import { seed } from '../../../support/seed.js';

const table = 't';
const families = { a: {}, b: {}, Z: {}, s: {} };
const everything: ReadPlan = { table, ranges: [prefixRange(noBytes)], reversed: false };
const denied = new RowsmithError('PERMISSION_DENIED', { problem: 'outside' });
const values = new ValueGenerator(random(seed), { families });

const short = (bytes: Uint8Array): Uint8Array => bytes.subarray(0, 3);
const qualifier = (): Uint8Array => short(values.qualifier());
const key = (): Uint8Array => {
  const bytes = short(values.key());
  return bytes.length > 0 ? bytes : Uint8Array.of(0xff);
};
const setCell = () => ({
  kind: 'setCell' as const,
  family: values.pick(values.familyNames),
  qualifier: qualifier(),
  timestamp: 1000 * values.next(5),
  value: short(values.value()),
});

/** At the boundaries as well: prefixes of 0xff have no end, and the empty one has all. */
function randomView(): SubsetView {
  const shown = [...values.familyNames, 'gone'].filter(() => values.next(6) > 0);
  const columns = () => ({
    qualifiers: values.list(2, qualifier),
    qualifierPrefixes: values.list(2, qualifier),
  });
  return {
    rowPrefixes: values.list(6, () => (values.oneIn(8) ? noBytes : key().subarray(0, 2))),
    families: new Map(shown.map((family) => [family, columns()])),
  };
}

/** The definition of a view, without the code of TableSubset. */
function isShown(view: SubsetView, row: Uint8Array, family: string, name: Uint8Array): boolean {
  const columns = view.families.get(family);
  const startsWith = (bytes: Uint8Array, prefix: Uint8Array): boolean =>
    compareBytes(bytes.subarray(0, prefix.length), prefix) === 0;
  return (
    columns !== undefined &&
    view.rowPrefixes.some((prefix) => startsWith(row, prefix)) &&
    (columns.qualifiers.some((each) => compareBytes(each, name) === 0) ||
      columns.qualifierPrefixes.some((prefix) => startsWith(name, prefix)))
  );
}

function randomMutation(): Mutation {
  const cell = setCell();
  const kind = values.pick(['deleteFromRow', 'deleteFromFamily', 'deleteFromColumn', 'set', 'set']);
  if (kind === 'deleteFromRow') return { kind };
  if (kind === 'deleteFromFamily') return { kind, family: cell.family };
  if (kind === 'deleteFromColumn') return { kind, family: cell.family, qualifier: cell.qualifier };
  return cell;
}

const textOf = (rows: readonly Row[]): string[] =>
  rows.flatMap((row) =>
    row.cells.map((cell) =>
      [row.key, cell.family, cell.qualifier, cell.timestamp, cell.value, cell.labels]
        .map((part) => (part instanceof Uint8Array ? Buffer.from(part).toString('hex') : part))
        .join(' '),
    ),
  );
const rowsOf = (engine: Engine, plan: ReadPlan): Promise<Row[]> =>
  collectRows(engine.readRows(plan));
const outcomeOf = <T>(call: Promise<T>): Promise<T | string> =>
  call.catch((error: unknown) => (error as RowsmithError).code);

/** A table behind a view, and a table of what the view shows. */
async function openTables(view: SubsetView) {
  const base = await openMemoryEngine();
  const model = await openMemoryEngine();
  const schema = { name: table, families: new Map(Object.entries(families)) };
  for (const engine of [base, model]) await engine.createTable(schema);
  for (let i = 0; i < 30; i++) {
    const row = key();
    const mutations = [setCell(), ...values.list(5, setCell)];
    const shown = mutations.filter((cell) => isShown(view, row, cell.family, cell.qualifier));
    await base.mutateRow(table, { key: row, mutations });
    if (shown.length > 0) await model.mutateRow(table, { key: row, mutations: shown });
  }
  const subset = new TableSubset(view, values.familyNames);
  const through = withStages(base, [viewStage(() => ({ subset, refused: () => denied }))]);
  const hidden = async (): Promise<string[]> =>
    textOf(
      (await rowsOf(base, everything)).map((row) => ({
        ...row,
        cells: row.cells.filter((cell) => !isShown(view, row.key, cell.family, cell.qualifier)),
      })),
    );
  return { base, model, through, hidden };
}

test('a view answers as a table of the shown cells, and writes no other', async () => {
  const seen = { cells: 0, written: 0, refused: 0 };
  for (let round = 0; round < 30; round++) {
    const { base, model, through, hidden } = await openTables(randomView());
    const before = await hidden();
    for (let i = 0; i < 20; i++) {
      const filter = values.exceptOneIn(10, (): Filter => randomFilter(values, 3));
      // A sample is random.
      if (inspect(filter, { depth: null }).includes('rowSample')) continue;
      const plan = {
        ...everything,
        ranges: values.oneIn(2) ? everything.ranges : [prefixRange(key().subarray(0, 2))],
        reversed: values.oneIn(4),
        limit: values.inOneOf(3, () => 1 + values.next(3)),
        filter,
      };
      const expected = await outcomeOf(rowsOf(model, plan).then(textOf));
      const found = await outcomeOf(rowsOf(through, plan).then(textOf));
      // An invalid filter is refused where there is something to read.
      if (typeof expected !== 'string' || found.length > 0) expect(found).toEqual(expected);
      seen.cells += found.length;

      const onTrue = [randomMutation()];
      const onFalse = values.oneIn(4) ? [randomMutation()] : [];
      const check = { key: key(), predicate: filter, onTrue, onFalse };
      const answer = await outcomeOf(through.checkAndMutateRow(table, check));
      if (answer === 'PERMISSION_DENIED') seen.refused++;
      else {
        expect(answer).toEqual(await outcomeOf(model.checkAndMutateRow(table, check)));
        seen.written++;
      }
    }
    expect(await hidden()).toEqual(before);
    expect(textOf(await rowsOf(through, everything))).toEqual(
      textOf(await rowsOf(model, everything)),
    );
    await base.close();
    await model.close();
  }
  expect(seen.cells).toBeGreaterThan(100);
  expect(seen.written).toBeGreaterThan(20);
  expect(seen.refused).toBeGreaterThan(50);
});
