/** Plans over every back end: made, verified, repeated, and stopped by somebody else's change. */
import 'reflect-metadata';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { status } from '@grpc/grpc-js';
import { openLiveEngine } from '../../../../src/engines/bigtable/index.js';
import { openEngine } from '../../../../src/engines/index.js';
import { Column, Entity, Segment, maxAge, maxVersions, rowKey } from '../../../../src/index.js';
import {
  buildModels,
  type EntityClass,
  storedModels,
} from '../../../../src/entities/model/index.js';
import {
  applySchemaPlan,
  type DeclaredSchema,
  readSchemaPlan,
} from '../../../../src/entities/repository/index.js';
import type { Engine, GcRule, TableUpdate } from '../../../../src/data/store/index.js';
import {
  liveUrl,
  openOverEmulator,
  openOverOurServer,
} from '../../../engines/bigtable/live-backends.js';
import { findEmulator } from '../../../support/emulator.js';
import { startFaultServer } from '../../../support/fault-server.js';

function entity(table: string, gc: GcRule | undefined, more: readonly string[] = []): EntityClass {
  const families = {
    m: gc === undefined ? {} : { gc },
    ...Object.fromEntries(more.map((f) => [f, {}])),
  };
  @Entity({ name: `Reading_${table}`, table, families })
  class Reading {
    static readonly key = rowKey('id');
    @Segment('string') id!: string;
    @Column('m', 'string') value?: string;
  }
  return Reading;
}

interface Opened {
  readonly engine: Engine;
  readonly isLive: boolean;
  readonly close: () => Promise<void>;
}
const emulator = findEmulator();
const backEnds: Record<string, () => Promise<Opened>> = {
  memory: async () => {
    const engine = await openEngine('memory:');
    return { engine, isLive: false, close: () => engine.close() };
  },
  disk: async () => {
    const folder = mkdtempSync(join(tmpdir(), 'rowsmith-plan-'));
    const engine = await openEngine(`file:${folder}`, { durability: 'relaxed' });
    const close = async (): Promise<void> => {
      await engine.close();
      rmSync(folder, { recursive: true });
    };
    return { engine, isLive: false, close };
  },
  'live, our server': async () => ({ ...(await openOverOurServer()), isLive: true }),
};
if (emulator !== undefined)
  backEnds["live, Google's emulator"] = async () => ({
    ...(await openOverEmulator(emulator)),
    isLive: true,
  });

const everySetting: TableUpdate = {
  deletionProtection: true,
  changeStreamMicros: 86_400e6,
  automatedBackup: { retentionMicros: 3 * 86_400e6, frequencyMicros: 86_400e6 },
};

function declare(
  entities: readonly EntityClass[],
  isLive: boolean,
  settings: Readonly<Record<string, TableUpdate>> = {},
): DeclaredSchema {
  return {
    models: storedModels(buildModels(entities)),
    settings: new Map(Object.entries(settings)),
    isLive,
  };
}

describe.each(Object.entries(backEnds))('%s', (name, open) => {
  let opened: Opened;
  beforeEach(async () => {
    opened = await open();
  });
  afterEach(() => opened.close());

  async function planAndApply(declared: DeclaredSchema) {
    const { engine } = opened;
    const plan = await readSchemaPlan(engine, declared);
    return { plan, ...(await applySchemaPlan(engine, declared, plan)) };
  }

  test('tables, families, rules and the protection are made and verified; then nothing differs', async () => {
    const { engine, isLive } = opened;
    const first = declare([entity('a', maxVersions(3)), entity('b', undefined)], isLive);
    const { plan, results } = await planAndApply(first);
    expect(plan.steps.map(({ safety }) => safety)).toEqual(['safe', 'safe']);
    expect(results).toHaveLength(2);
    expect((await readSchemaPlan(engine, first)).steps).toEqual([]);

    const second = declare(
      [entity('a', maxVersions(1), ['x', 'y']), entity('b', maxAge('1d'))],
      isLive,
      {
        a: { deletionProtection: true },
      },
    );
    const more = await planAndApply(second);
    expect(more.plan.steps.map(({ safety, change }) => [safety, change.kind])).toEqual([
      ['safe', 'createFamily'],
      ['safe', 'createFamily'],
      ['safe', 'setOption'],
      ['data-losing', 'changeGc'],
      ['data-losing', 'changeGc'],
    ]);
    expect(more.results.every(({ offered }) => offered)).toBe(true);
    expect((await readSchemaPlan(engine, second)).steps).toEqual([]);
    expect((await engine.listTables())[0].deletionProtection).toBe(true);
  });

  test('settings that the back end does not have are reported and do no harm', async () => {
    const { engine, isLive } = opened;
    const declared = declare([entity('a', undefined)], isLive, { a: everySetting });
    const { results } = await planAndApply(declared);
    if (name === 'live, our server') {
      // It keeps all of them.
      expect(results.map(({ offered }) => offered)).not.toContain(false);
      expect((await engine.listTables())[0]).toMatchObject(everySetting);
      expect((await readSchemaPlan(engine, declared)).steps).toEqual([]);
      return;
    }
    const unoffered = results.filter(({ offered }) => !offered).map(({ step }) => step.change);
    const made = results.filter(({ offered }) => offered).map(({ step }) => step.change.kind);
    expect(made).toEqual(['createTable', 'setOption']);
    if (isLive)
      expect(unoffered).toMatchObject([{ option: 'changeStream' }, { option: 'automatedBackup' }]);
    expect((await engine.listTables())[0].deletionProtection).toBe(true);
    const left = (await readSchemaPlan(engine, declared)).steps;
    expect(left).toMatchObject([
      { change: { option: 'changeStream' }, applies: isLive },
      { change: { option: 'automatedBackup' }, applies: isLive },
    ]);
    if (!isLive) expect(left[0].consequence).toContain('does not offer change streams');
  });

  test("somebody else's change after the plan stops it, before anything is made", async () => {
    const { engine, isLive } = opened;
    await planAndApply(declare([entity('a', undefined)], isLive));
    const declared = declare([entity('a', undefined, ['x']), entity('b', undefined)], isLive);
    const plan = await readSchemaPlan(engine, declared);
    await engine.modifyFamilies('a', [{ kind: 'create', family: 'other', schema: {} }]);
    const { results, changed } = await applySchemaPlan(engine, declared, plan);
    expect(results).toEqual([]);
    expect(changed?.id).not.toBe(plan.id);
    expect(changed?.steps.map(({ safety, change }) => [safety, change.kind])).toEqual([
      ['safe', 'createFamily'],
      ['safe', 'createTable'],
      ['destructive', 'dropFamily'],
    ]);
    expect((await engine.listTables()).map(({ name }) => name)).toEqual(['a']);
    expect((await applySchemaPlan(engine, declared, changed!)).changed).toBeUndefined();
  });

  test("somebody else's change of a later table stops it there; planned again, it continues", async () => {
    const { engine, isLive } = opened;
    await planAndApply(declare([entity('a', undefined), entity('b', undefined)], isLive));
    const declared = declare(
      [entity('a', undefined, ['x']), entity('b', undefined, ['x'])],
      isLive,
    );
    const plan = await readSchemaPlan(engine, declared);
    let other: Promise<unknown> | undefined;
    const { results, changed } = await applySchemaPlan(
      {
        ...delegate(engine),
        // The other program is faster than the second table.
        modifyFamilies: async (table, changes) => {
          const made = await engine.modifyFamilies(table, changes);
          other ??= engine.modifyFamilies('b', [
            { kind: 'update', family: 'm', gc: maxVersions(9) },
          ]);
          await other;
          return made;
        },
      },
      declared,
      plan,
    );
    expect(results.map(({ step }) => step.change.table)).toEqual(['a']);
    expect(changed?.steps.map(({ change }) => `${change.kind} ${change.table}`).sort()).toEqual([
      'changeGc b',
      'createFamily b',
    ]);
    await planAndApply(declared);
    expect((await readSchemaPlan(engine, declared)).steps).toEqual([]);
  });

  test('a table that somebody else creates at the same time', async () => {
    const { engine, isLive } = opened;
    const declared = declare(
      [entity('a', undefined), entity('b', maxVersions(2)), entity('c', undefined)],
      isLive,
    );
    const plan = await readSchemaPlan(engine, declared);
    const { results, changed } = await applySchemaPlan(
      {
        ...delegate(engine),
        createTable: async (schema) => {
          if (schema.name === 'b')
            await engine.createTable({ name: 'b', families: new Map([['m', {}]]) });
          return engine.createTable(schema);
        },
      },
      declared,
      plan,
    );
    expect(results.map(({ step }) => step.change.table)).toEqual(['a']);
    expect(changed?.steps.map(({ change }) => `${change.kind} ${change.table}`)).toEqual([
      'createTable c',
      'changeGc b',
    ]);
  });

  test('an apply that was interrupted is repeated', async () => {
    const { engine, isLive } = opened;
    const declared = declare(
      ['a', 'b', 'c'].map((table) => entity(table, maxVersions(1))),
      isLive,
      { a: { deletionProtection: true } },
    );
    const plan = await readSchemaPlan(engine, declared);
    const onStep = (): void => {
      throw new Error('interrupted');
    };
    await expect(applySchemaPlan(engine, declared, plan, { onStep })).rejects.toThrow(
      'interrupted',
    );
    expect((await engine.listTables()).map(({ name }) => name)).toEqual(['a']);
    const { results } = await planAndApply(declared);
    expect(results.map(({ step }) => step.change)).toMatchObject([
      { kind: 'setOption', table: 'a' },
      { kind: 'createTable', table: 'b' },
      { kind: 'createTable', table: 'c' },
    ]);
    expect((await readSchemaPlan(engine, declared)).steps).toEqual([]);
  });
});

/** The methods of an engine as own properties. */
function delegate(engine: Engine): Engine {
  return new Proxy({} as Engine, {
    ownKeys: () => ['listTables', 'updateTable', 'createTable', 'modifyFamilies'],
    getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true }),
    get: (_target, name) => {
      const value: unknown = Reflect.get(engine, name, engine);
      return typeof value === 'function' ? (value.bind(engine) as unknown) : value;
    },
  });
}

describe('while Bigtable rejects changes of families', () => {
  const modify = '/google.bigtable.admin.v2.BigtableTableAdmin/ModifyColumnFamilies';
  const pausesMs = [1, 1, 1];

  async function run(codes: readonly { readonly code: number; readonly reachesServer: boolean }[]) {
    const server = await openOverOurServer();
    const declaredFirst = declare([entity('a', maxVersions(2))], true);
    await applySchemaPlan(
      server.engine,
      declaredFirst,
      await readSchemaPlan(server.engine, declaredFirst),
    );
    let failures = 0;
    const proxy = await startFaultServer(server.address, ({ method }) =>
      method === modify ? codes[failures++] : undefined,
    );
    const engine = await openLiveEngine(liveUrl, { emulatorHost: proxy.address });
    const declared = declare([entity('a', maxVersions(5), ['x', 'y'])], true);
    const pauses: string[] = [];
    try {
      const plan = await readSchemaPlan(engine, declared);
      const options = { pausesMs, onPause: (table: string) => void pauses.push(table) };
      const { results } = await applySchemaPlan(engine, declared, plan, options);
      expect((await readSchemaPlan(server.engine, declared)).steps).toEqual([]);
      return {
        results: results.length,
        pauses: pauses.length,
        calls: proxy.calls.filter((call) => call.method === modify).length,
      };
    } finally {
      await engine.close();
      await proxy.close();
      await server.close();
    }
  }

  test('one call changes all families of a table', async () => {
    expect(await run([])).toEqual({ results: 3, pauses: 0, calls: 1 });
  });

  test('one change at a time: it is attempted again', async () => {
    const busy = [status.FAILED_PRECONDITION, status.ABORTED, status.FAILED_PRECONDITION];
    expect(await run(busy.map((code) => ({ code, reachesServer: false })))).toEqual({
      results: 3,
      pauses: 3,
      calls: 4,
    });
  });

  test('a change is found after its response was lost, and not made again', async () => {
    expect(await run([{ code: status.ABORTED, reachesServer: true }])).toEqual({
      results: 3,
      pauses: 1,
      calls: 1,
    });
  });

  test('attempts end, with the error of the last one', async () => {
    const busy = { code: status.FAILED_PRECONDITION, reachesServer: false };
    await expect(run([busy, busy, busy, busy])).rejects.toMatchObject({
      code: 'FAILED_PRECONDITION',
    });
  });

  test.each([
    [
      'relaxing age rules of replicated tables',
      'Cannot relax pure age-based GC for a replicated family',
    ],
  ])('not for %s', async (_name, problem) => {
    const { RowsmithError } = await import('../../../../src/base/errors.js');
    const engine = await openEngine('memory:');
    const first = declare([entity('a', maxAge('1d'))], true);
    await applySchemaPlan(engine, first, await readSchemaPlan(engine, first));
    let attempts = 0;
    const rejecting: Engine = {
      ...delegate(engine),
      modifyFamilies: async () => {
        attempts++;
        throw new RowsmithError('FAILED_PRECONDITION', { problem });
      },
    };
    const declared = declare([entity('a', maxAge('2d'))], true);
    const plan = await readSchemaPlan(rejecting, declared);
    expect(plan.steps[0].safety).toBe('unsafe-live');
    await expect(applySchemaPlan(rejecting, declared, plan, { pausesMs })).rejects.toMatchObject({
      details: { problem },
    });
    expect(attempts).toBe(1);
    await engine.close();
  });
});

test('a change that is not stored afterwards is an error', async () => {
  const engine = await openEngine('memory:');
  const declared = declare([entity('a', maxVersions(1))], false);
  const plan = await readSchemaPlan(engine, declared);
  const forgetful: Engine = {
    ...delegate(engine),
    createTable: (schema) => engine.createTable({ ...schema, families: new Map([['m', {}]]) }),
  };
  await expect(applySchemaPlan(forgetful, declared, plan)).rejects.toMatchObject({
    code: 'SCHEMA_CONFLICT',
    details: { property: 'family m', problem: expect.stringContaining('keeps everything') },
  });
  await engine.close();
});
