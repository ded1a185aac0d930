/** Stages around the requests to an engine. */
import { everyKey, pointRange } from '../../../src/base/index.js';
import { openMemoryEngine } from '../../../src/engines/local/index.js';
import {
  type AdminRequest,
  collectRows,
  type Engine,
  failedRead,
  type ReadRequest,
  type Stage,
  withStages,
  type WriteRequest,
} from '../../../src/data/store/index.js';
import { describeEngine, set, utf8 } from '../../engines/conformance.js';

type Request = ReadRequest | WriteRequest | AdminRequest;

/** Passes every request on, and reports its kind with a name. */
function marker(name: string, seen: string[], requests: Request[] = []): Stage {
  const mark = (request: Request): void => {
    seen.push(`${name} ${request.kind}`);
    requests.push(request);
  };
  return {
    read(request, send) {
      mark(request);
      return send(request);
    },
    write(request, send) {
      mark(request);
      return send(request);
    },
    admin(request, send) {
      mark(request);
      return send(request);
    },
  };
}

// Every request with its arguments and its result passes a stage unchanged.
describeEngine('an engine behind stages', async (clock) => {
  const engine = withStages(await openMemoryEngine({ clock }), [marker('only', [])]);
  return { engine, close: () => engine.close() };
});

const schema = { name: 't', families: new Map([['a', {}]]) };
const scan = { table: 't', ranges: [everyKey], reversed: false };
const row = { key: utf8('r'), mutations: [set('a', 'q', 'v')] };

async function useAll(engine: Engine): Promise<void> {
  const { signal } = new AbortController();
  await engine.createTable(schema);
  await engine.mutateRow('t', row);
  await engine.mutateRows('t', [row], { signal });
  await engine.checkAndMutateRow('t', { key: utf8('r'), onTrue: row.mutations }, { signal });
  await engine.readModifyWriteRow('t', utf8('r'), [
    { kind: 'append', family: 'a', qualifier: utf8('q'), value: utf8('w') },
  ]);
  await collectRows(engine.readRows(scan, { signal }));
  await engine.sampleRowKeys('t');
  await engine.checkConsistency('t', await engine.generateConsistencyToken('t'));
  await engine.listTables();
  await engine.modifyFamilies('t', [{ kind: 'create', family: 'b', schema: {} }]);
  await engine.updateTable('t', { deletionProtection: false });
  await engine.compact('t', {});
  await engine.dropRowRange('t', { kind: 'all' });
  await engine.deleteTable('t');
  await engine.close();
}

test('each request is plain data, once, and passes the stages in their order', async () => {
  const seen: string[] = [];
  const requests: Request[] = [];
  const inner = withStages(await openMemoryEngine({}), [marker('third', seen)]);
  await useAll(
    withStages(inner, [marker('first', seen, requests), undefined, marker('second', seen)]),
  );
  const kinds = [
    'createTable',
    'mutateRow',
    'mutateRows',
    'checkAndMutateRow',
    'readModifyWriteRow',
    'readRows',
    'sampleRowKeys',
    'generateConsistencyToken',
    'checkConsistency',
    'listTables',
    'modifyFamilies',
    'updateTable',
    'compact',
    'dropRowRange',
    'deleteTable',
    'close',
  ];
  expect(seen).toEqual(
    kinds.flatMap((kind) => [`first ${kind}`, `second ${kind}`, `third ${kind}`]),
  );
  const signal = expect.any(AbortSignal) as AbortSignal;
  expect(requests.slice(0, 6)).toEqual([
    { kind: 'createTable', schema },
    { kind: 'mutateRow', table: 't', row },
    { kind: 'mutateRows', table: 't', rows: [row], options: { signal } },
    {
      kind: 'checkAndMutateRow',
      table: 't',
      check: { key: utf8('r'), onTrue: row.mutations },
      options: { signal },
    },
    expect.objectContaining({ kind: 'readModifyWriteRow', table: 't', key: utf8('r') }),
    { kind: 'readRows', plan: scan, options: { signal } },
  ]);
});

test('an engine without stages is the engine itself', async () => {
  const engine = await openMemoryEngine({});
  expect(withStages(engine, [])).toBe(engine);
  expect(withStages(engine, [undefined])).toBe(engine);
  const staged = withStages(engine, [{}]);
  expect(staged).not.toBe(engine);
  for (const property of ['name', 'skipsRows', 'appliesOnce'] as const)
    expect(staged[property]).toBe(engine[property]);
  await engine.close();
});

test('a stage changes requests and results, or answers itself', async () => {
  const refused = new Error('refused');
  const engine = withStages(await openMemoryEngine({}), [
    {
      read({ plan, options, kind }, send) {
        if (plan.reversed) return failedRead(refused);
        return send({ kind, plan: { ...plan, ranges: [pointRange(utf8('r2'))] }, options });
      },
      async write(request, send) {
        if (request.kind === 'dropRowRange') throw refused;
        if (request.kind !== 'mutateRows') return send(request);
        const [first] = await send({ ...request, rows: request.rows.slice(0, 1) });
        return request.rows.map(() => first);
      },
      async admin(request, send) {
        return request.kind === 'listTables' ? [] : send(request);
      },
    },
  ]);
  await engine.createTable(schema);
  await engine.mutateRow('t', { key: utf8('r2'), mutations: row.mutations });
  const rows = ['r1', 'r3'].map((key) => ({ key: utf8(key), mutations: row.mutations }));
  expect(await engine.mutateRows('t', rows)).toEqual([undefined, undefined]);
  expect((await collectRows(engine.readRows(scan))).map(({ key }) => key)).toEqual([utf8('r2')]);
  expect(await engine.listTables()).toEqual([]);
  await expect(engine.readRows({ ...scan, reversed: true }).next()).rejects.toBe(refused);
  await expect(engine.dropRowRange('t', { kind: 'all' })).rejects.toBe(refused);
  // The range of the stage hid them, and r3 was not sent.
  expect((await engine.sampleRowKeys('t')).length).toBe(1);
  await engine.close();
});

test('what is derived from an engine with stages keeps its own methods', async () => {
  const seen: string[] = [];
  const staged = withStages(await openMemoryEngine({}), [marker('inner', seen)]);
  await staged.createTable(schema);
  // An object that passes for the engine, but is not: its list of stages is not its own.
  const derived = Object.create(staged, {
    mutateRow: { value: async () => void seen.push('derived') },
  }) as Engine;
  seen.length = 0;
  await withStages(derived, [marker('outer', seen)]).mutateRow('t', row);
  expect(seen).toEqual(['outer mutateRow', 'derived']);
  await staged.close();
});
