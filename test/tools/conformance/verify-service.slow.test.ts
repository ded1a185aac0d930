/** Conformance cases on a service: what they notice, and how they end. */
import { everyKey, RowsmithError } from '../../../src/base/index.js';
import {
  collectRows,
  type Filter,
  rowMutationBytes,
  type Stage,
  type WriteRequest,
} from '../../../src/data/store/index.js';
import { type CaseResult, runCost } from '../../../src/tools/conformance/index.js';
import { conformanceCases, set, shown, utf8 } from '../../engines/conformance.js';
import { type FaultyServer, prefix, startFaultyServer, titlesOf, verify } from './service.js';

let server: FaultyServer;
const serve = async (fault?: Stage): Promise<void> =>
  void (server = await startFaultyServer(fault));
afterEach(() => server.close());

const tablesOf = async () => (await server.backend.listTables()).map(({ name }) => name);

/** As many operations as notice a fault. */
const history = { history: { seed: 1, operations: 100 } };

test('every case passes, but what the clock of a service rules out, and other tables stay', async () => {
  await serve();
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

test('it costs what the announcement says', async () => {
  await serve();
  await verify(server);
  const { requests } = server;
  const kinds = requests.map(({ kind }) => kind);
  const changes = kinds.filter((kind) => /^(create|delete|modify|update)/.test(kind)).length;
  const names = requests.flatMap((each) => (each.kind === 'createTable' ? [each.schema.name] : []));
  const bytes = requests.flatMap((each) => {
    if (each.kind === 'mutateRow') return [rowMutationBytes(each.row)];
    return each.kind === 'mutateRows' ? each.rows.map(rowMutationBytes) : [];
  });
  const found: Record<keyof typeof runCost, number> = {
    tables: new Set(names.filter((name) => /-(\d|split)$/.test(name))).size,
    tableChanges: changes,
    requests: kinds.filter((kind) => kind !== 'close').length - changes,
    bytes: bytes.reduce((sum, each) => sum + each, 0),
  };
  for (const [name, stated] of Object.entries(runCost)) {
    expect({ name, found: found[name as keyof typeof found] <= stated }).toEqual({
      name,
      found: true,
    });
    expect(found[name as keyof typeof found]).toBeGreaterThan(stated * 0.5);
  }
});

test('tables are kept if that is asked for', async () => {
  await serve();
  const { leftTables } = await verify(server, { keep: true });
  expect(leftTables.length).toBeGreaterThan(3);
  expect(await tablesOf()).toEqual([...leftTables].sort());
  expect(leftTables.every((name) => name.startsWith(prefix))).toBe(true);
});

/** Changes writes of one kind. */
function onWrite<K extends WriteRequest['kind']>(
  kind: K,
  change: (request: Extract<WriteRequest, { kind: K }>) => WriteRequest,
): Stage {
  return {
    write: (request, send) =>
      send(request.kind === kind ? change(request as Extract<WriteRequest, { kind: K }>) : request),
  };
}

const faults: readonly (readonly [fault: string, stage: Stage, first: RegExp])[] = [
  [
    'reversed reads are forward',
    { read: ({ plan, ...rest }, send) => send({ ...rest, plan: { ...plan, reversed: false } }) },
    /^E3, E4, E5/,
  ],
  [
    'the last row of a bulk write is lost',
    {
      write: async (request, send) => {
        if (request.kind !== 'mutateRows') return send(request);
        const rows = request.rows.slice(0, -1);
        return [...(await send({ ...request, rows })), undefined];
      },
    },
    /^A1/,
  ],
  [
    'an increment is applied twice',
    onWrite('readModifyWriteRow', ({ rules, ...rest }) => ({
      ...rest,
      rules: rules.flatMap((rule): typeof rules =>
        rule.kind === 'increment' ? [rule, rule] : [rule],
      ),
    })),
    /^C:/,
  ],
  [
    'a check writes both branches',
    onWrite('checkAndMutateRow', ({ check, ...rest }) => {
      const both = [...(check.onTrue ?? []), ...(check.onFalse ?? [])];
      return { ...rest, check: { ...check, onTrue: both, onFalse: both } };
    }),
    /^D:/,
  ],
  [
    'timestamps lose their last three digits',
    onWrite('mutateRow', ({ row, ...rest }) => ({
      ...rest,
      row: {
        ...row,
        mutations: row.mutations.map((each) =>
          each.kind === 'setCell' && BigInt(each.timestamp) > 1000n
            ? { ...each, timestamp: 1000 }
            : each,
        ),
      },
    })),
    /^A6/,
  ],
  [
    'a filter by a family that does not exist shows nothing, instead of an error',
    {
      read: ({ plan, ...rest }, send) => {
        const { filter } = plan;
        const isUnknown = filter?.kind === 'families' && filter.families.includes('zz');
        return send({
          ...rest,
          plan: isUnknown ? { ...plan, filter: { kind: 'blockAll' } } : plan,
        });
      },
    },
    /^G, I/,
  ],
  [
    'dropped rows stay',
    {
      write: (request, send) =>
        request.kind === 'dropRowRange' && request.target.kind === 'all'
          ? Promise.resolve()
          : send(request),
    },
    /^B9/,
  ],
];

test.each(faults)('it notices that %s', async (_name, stage, first) => {
  await serve(stage);
  const report = await verify(server);
  const differing = report.results.filter(({ outcome }) => outcome === 'differs');
  expect(differing[0]?.title).toMatch(first);
  for (const { title, expected = '', found = '', table } of differing) {
    expect({ title, isTold: expected !== '' && found !== expected }).toEqual({
      title,
      isTold: true,
    });
    expect(table).toMatch(/^rowsmith-verify-20261127-abcdef-\d+$/);
  }
  expect(titlesOf(report, 'notRun')).toEqual([]);
  expect(await tablesOf()).toEqual([]);
});

test('a server that is gone ends the run, and its tables are named', async () => {
  await serve();
  const onResult = ({ title }: CaseResult) => title.startsWith('A10') && void server.close();
  const report = await verify(server, { answerMs: 1_000, onResult }, 2_000);
  expect(titlesOf(report, 'failed')).toEqual([expect.stringMatching(/^B1/)]);
  expect(titlesOf(report, 'notRun').length).toBeGreaterThan(20);
  expect(report.error).toMatchObject({ code: 'UNAVAILABLE' });
  expect(report.leftTables).toEqual([`${prefix}-1`]);
  await serve();
});

test('a request that fails once fails its case, and the next cases run', async () => {
  let isFirst = true;
  await serve({
    write: (request, send) => {
      if (request.kind !== 'readModifyWriteRow' || !isFirst) return send(request);
      isFirst = false;
      return Promise.reject(new RowsmithError('UNAVAILABLE'));
    },
  });
  const report = await verify(server);
  expect(titlesOf(report, 'failed')).toHaveLength(1);
  expect(titlesOf(report, 'differs')).toEqual([]);
  expect(titlesOf(report, 'notRun')).toEqual([]);
  expect(report.error).toBeUndefined();
});

test('an app profile without single-row transactions ends the run before its first case', async () => {
  const details = { problem: 'Single-row transactions are not allowed by this app profile' };
  await serve({
    write: (request, send) =>
      request.kind === 'checkAndMutateRow'
        ? Promise.reject(new RowsmithError('FAILED_PRECONDITION', details))
        : send(request),
  });
  const report = await verify(server);
  expect(report).toMatchObject({ results: [], leftTables: [] });
  expect(report.error).toMatchObject({
    code: 'FAILED_PRECONDITION',
    details: { fix: expect.stringContaining('single-cluster routing') as string },
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
