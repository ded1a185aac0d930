/** The conformance cases as `rowsmith verify-live` runs them: on a service, in tables of the run. */
import { everyKey } from '../../../src/base/index.js';
import { collectRows, type Filter, type Stage } from '../../../src/data/store/index.js';
import { conformanceCases, set, shown, utf8 } from '../../engines/conformance.js';
import { type FaultyServer, prefix, startFaultyServer, titlesOf, verify } from './service.js';

let server: FaultyServer;
const serve = async (fault?: Stage): Promise<void> =>
  void (server = await startFaultyServer(fault));
afterEach(() => server.close());

/** As many operations as notice a fault. */
const history = { history: { seed: 1, operations: 100 } };

const tablesOf = async () => (await server.backend.listTables()).map(({ name }) => name);

describe('on a server that keeps all guarantees', () => {
  beforeEach(() => serve());

  test('every case passes, but what the clock of a service rules out, and other tables stay', async () => {
    const names = ['t', 'nowhere', 'split', 'rowsmith-verify-20251127-zzzzzz-1'];
    for (const name of names) {
      await server.backend.createTable({ name, families: new Map([['a', {}]]) });
      const row = { key: utf8('k'), mutations: [set('a', 'q', name)] };
      await server.backend.mutateRow(name, row);
    }
    const report = await verify(server, history);
    expect(titlesOf(report, 'leftOut')).toEqual([expect.stringMatching(/^J: /)]);
    expect(report.results.filter(({ outcome }) => outcome !== 'passed')).toHaveLength(1);
    expect(report).toMatchObject({ leftTables: [], error: undefined });
    expect(report.results).toHaveLength(conformanceCases.length);
    expect(await tablesOf()).toEqual(names.toSorted());
    for (const table of names) {
      const plan = { table, ranges: [everyKey], reversed: false };
      const rows = await collectRows(server.backend.readRows(plan));
      expect(shown(rows)).toEqual([`k{a:q@1000=${table}}`]);
    }
    for (const { kind, count, p50, p99 } of report.requests)
      expect({ kind, ok: count > 0 && p50 > 0 && p99 >= p50 }).toEqual({ kind, ok: true });
  });

  test('after an abort no case runs, and the tables are dropped', async () => {
    const controller = new AbortController();
    const reason = new Error('enough');
    const report = await verify(server, {
      signal: controller.signal,
      onResult: ({ title }) => title.startsWith('A8') && controller.abort(reason),
    });
    expect(report).toMatchObject({ error: reason, leftTables: [] });
    expect(titlesOf(report, 'passed')).toHaveLength(5);
    expect(titlesOf(report, 'notRun')).toHaveLength(conformanceCases.length - 5);
    expect(await tablesOf()).toEqual([]);
  });
});

test('it notices a fault that only the random operations meet', async () => {
  await serve({
    read: ({ plan, ...rest }, send) =>
      send({ ...rest, plan: { ...plan, filter: firstQualifiers(plan.filter) } }),
  });
  const { results } = await verify(server, history);
  const [differing, ...others] = results.filter(({ outcome }) => outcome === 'differs');
  expect(others).toEqual([]);
  expect(differing).toMatchObject({
    group: 'Random history',
    step: expect.stringMatching(/^operation \d+: \{"kind":"read",/) as string,
    expected: expect.stringMatching(/^\["r/) as string,
    table: expect.stringMatching(new RegExp(`^${prefix}-\\d$`)) as string,
  });
});

/** A filter of columns that passes only the first qualifier of each family. */
function firstQualifiers(filter: Filter | undefined): Filter | undefined {
  if (filter?.kind !== 'columns') return filter;
  const columns = filter.columns.map(({ family, qualifiers }) => ({
    family,
    qualifiers: qualifiers === 'all' ? qualifiers : qualifiers.slice(0, 1),
  }));
  return { ...filter, columns };
}
