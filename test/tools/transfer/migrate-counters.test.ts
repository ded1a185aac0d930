/** Counters that are added to while they are migrated. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  column,
  counter,
  type Database,
  defineEntity,
  literal,
  aggregate,
  open,
  rowKey,
} from '../../../src/index.js';
import type { CheckAndMutate, Engine } from '../../../src/storage.js';
import { buildModel } from '../../../src/entities/model/index.js';
import { defineMigration, migrate } from '../../../src/tools/transfer/index.js';
import { memberOf } from './migrations.js';

describe('counters of aggregate families that are added to concurrently', () => {
  const families = { m: {}, s: aggregate('sum'), lo: aggregate('min'), hi: aggregate('max') };
  const columns = {
    text: column('m', 'string'),
    total: counter('s'),
    lowest: counter('lo'),
    highest: counter('hi'),
  } as const;
  class Counted {
    id = 0;
    text?: string;
    total?: bigint;
    lowest?: bigint;
    highest?: bigint;
  }
  const Was = defineEntity(class Was extends Counted {}, {
    table: 'counted',
    families,
    key: rowKey('id'),
    segments: { id: 'uint' },
    columns,
  });
  const Stored = defineEntity(class Stored extends Counted {}, {
    table: 'counted',
    families,
    key: rowKey(literal('n'), 'id'),
    segments: { id: 'uint' },
    columns,
  });
  const migration = defineMigration({ from: Was, to: Stored });
  let folder = '';
  let state = '';
  let db: Database;
  let now: Database;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'rowsmith-migrate-'));
    state = join(folder, 'state.json');
    db = await open(`file:${join(folder, 'data')}`, { entities: [Was], durability: 'relaxed' });
    for (let id = 0; id < 20; id++) {
      await db.repository(Was).save(Object.assign(new Was(), { id, text: 'x' }));
      for (const property of ['total', 'lowest', 'highest'] as const)
        await db.repository(Was).increment({ id }, property, 10n);
    }
  });
  afterEach(async () => {
    await db.close();
    rmSync(folder, { recursive: true });
  });
  /** Adds to a counter of a row of the new or the old class. */
  const add = (key: Uint8Array, family: string, qualifier: string, input: bigint) =>
    db.engine.mutateRow('counted', {
      key,
      mutations: [
        { kind: 'addToCell', family, qualifier: Buffer.from(qualifier), timestamp: 0, input },
      ],
    });
  const keyOf = (entity: typeof Was | typeof Stored, id: number): Uint8Array =>
    buildModel(entity as typeof Was).key.encode({ id });
  const stored = async (id: number): Promise<Counted> => {
    await db.close();
    now = await open(`file:${join(folder, 'data')}`, { entities: [Stored] });
    const row = (await now.repository(Stored).get({ id }))!;
    await now.close();
    db = await open(`file:${join(folder, 'data')}`, { entities: [Was] });
    return row;
  };

  test('a sum in the new row is not overwritten, and the error names the option to use', async () => {
    await add(keyOf(Stored, 7), 's', 'total', 3n);
    const conflict = {
      code: 'FAILED_PRECONDITION',
      details: {
        problem: expect.stringContaining('differs from the old row'),
        fix: expect.stringContaining('--replace-counters'),
      },
    };
    for (let turn = 0; turn < 2; turn++)
      await expect(migrate(db.engine, migration, { state, deleteOld: true })).rejects.toMatchObject(
        conflict,
      );
    expect((await stored(7)).total).toBe(3n);
    expect(
      await migrate(db.engine, migration, { state, deleteOld: true, replaceCounters: true }),
    ).toMatchObject({ copied: 20, deleted: 20 });
    expect((await stored(7)).total).toBe(10n);
  });

  test.each([
    ['old', Was, 15n],
    ['new', Stored, 15n],
  ] as const)(
    'additions to the %s row since the copy are found by the comparison and by the next copy',
    async (_which, entity, now) => {
      // Right after this row is copied.
      const racing = new Proxy(db.engine, {
        get: (engine, name: keyof Engine) =>
          name !== 'checkAndMutateRow'
            ? memberOf(engine, name)
            : async (table: string, check: CheckAndMutate) => {
                const found = await engine.checkAndMutateRow(table, check);
                if (Buffer.from(check.key).equals(keyOf(Stored, 3)))
                  await add(keyOf(entity, 3), 's', 'total', 5n);
                return found;
              },
      });
      for (const [engine, problem] of [
        [racing, 'one of the two was added to'],
        [db.engine, 'differs from the old row'],
      ] as const) {
        await expect(migrate(engine, migration, { state, deleteOld: true })).rejects.toMatchObject({
          code: 'FAILED_PRECONDITION',
          details: {
            problem: expect.stringContaining(problem),
            fix: expect.stringContaining('--replace-counters'),
          },
        });
      }
      if (entity === Was)
        expect(
          await migrate(db.engine, migration, { state, deleteOld: true, replaceCounters: true }),
        ).toMatchObject({ deleted: 20 });
      expect((await stored(3)).total).toBe(now);
    },
  );

  test('old counters that are added to between the comparison and the deletion are kept', async () => {
    const racing = new Proxy(db.engine, {
      get: (engine, name: keyof Engine) =>
        name !== 'checkAndMutateRow'
          ? memberOf(engine, name)
          : async (table: string, check: CheckAndMutate) => {
              if (deleting && Buffer.from(check.key).equals(keyOf(Was, 4)))
                await add(keyOf(Was, 4), 's', 'total', 1n);
              return engine.checkAndMutateRow(table, check);
            },
    });
    let deleting = false;
    await expect(
      migrate(racing, migration, {
        state,
        deleteOld: true,
        onProgress: ({ phase }) => {
          deleting = phase === 'delete';
        },
      }),
    ).rejects.toMatchObject({
      code: 'FAILED_PRECONDITION',
      details: { problem: expect.stringContaining('was added to before it could be deleted') },
    });
    expect((await db.repository(Was).get({ id: 4 }))!.total).toBe(11n);
    expect(
      await migrate(db.engine, migration, { state, deleteOld: true, replaceCounters: true }),
    ).toMatchObject({ rows: 1, deleted: 1 });
    expect((await stored(4)).total).toBe(11n);
  });

  test('the minimum and maximum of both rows are kept, in any order', async () => {
    await add(keyOf(Stored, 1), 'lo', 'lowest', 4n);
    await add(keyOf(Stored, 1), 'hi', 'highest', 4n);
    await add(keyOf(Stored, 2), 'lo', 'lowest', 40n);
    await add(keyOf(Stored, 2), 'hi', 'highest', 40n);
    expect(await migrate(db.engine, migration, { state, deleteOld: true })).toMatchObject({
      copied: 20,
      deleted: 20,
    });
    expect([await stored(1), await stored(2)]).toMatchObject([
      { lowest: 4n, highest: 10n, total: 10n },
      { lowest: 10n, highest: 40n, total: 10n },
    ]);
  });
});
