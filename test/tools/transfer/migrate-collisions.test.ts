/** Old rows that would become one new row. */
import { column, type Database, defineEntity, open, rowKey } from '../../../src/index.js';
import type { Engine } from '../../../src/storage.js';
import {
  defineMigration,
  migrate,
  type MigrationProgress,
} from '../../../src/tools/transfer/index.js';

describe('several old rows that would become one new row', () => {
  class Visit {
    user = '';
    page = '';
    count?: number;
  }
  const families = { m: {} };
  const columns = { count: column('m', 'int32') };
  const segments = { user: 'string', page: 'string' } as const;
  const From = defineEntity(class From extends Visit {}, {
    table: 'c1',
    families,
    key: rowKey('user', 'page'),
    segments,
    columns,
  });
  const ByUser = defineEntity(
    class ByUser {
      user = '';
      count?: number;
    },
    {
      table: 'c2',
      families,
      key: rowKey('user'),
      segments: { user: { kind: 'string', lower: true } },
      columns,
    },
  );
  const Kept = defineEntity(class Kept extends Visit {}, {
    table: 'c2',
    families,
    key: rowKey('page', 'user'),
    segments,
    columns,
  });
  const cells = async (db: Database): Promise<number> =>
    (await db.repository(ByUser).scanAll().all()).length;
  const byUser = defineMigration({ from: From, to: ByUser });
  async function opened(rows: readonly (readonly [string, string])[]): Promise<Database> {
    const db = await open('memory:', { entities: [From, ByUser] });
    await db
      .repository(From)
      .saveMany(rows.map(([user, page], i) => Object.assign(new From(), { user, page, count: i })));
    return db;
  }

  test('the migration stops before anything is written, and a dry run reports them', async () => {
    const db = await opened([
      ['a', 'x'],
      ['A', 'y'],
      ['b', 'x'],
      ['c', 'x'],
      ['c', 'y'],
      ['c', 'z'],
    ]);
    const dry = await migrate(db.engine, byUser, { dryRun: true });
    expect(dry).toMatchObject({ rows: 6, copied: 0, collidingRows: 5 });
    expect(dry.collisions.map(({ to, from }) => [to, [...from].sort()])).toEqual(
      expect.arrayContaining([
        ['a', ['A#y', 'a#x']],
        ['c', ['c#x', 'c#y', 'c#z']],
      ]),
    );
    expect(dry.collisions).toHaveLength(2);
    const phases = new Set<string>();
    for (const options of [{}, { verify: false }, { deleteOld: true }])
      await expect(
        migrate(db.engine, byUser, { ...options, onProgress: ({ phase }) => phases.add(phase) }),
      ).rejects.toMatchObject({
        code: 'FAILED_PRECONDITION',
        details: {
          entity: 'ByUser',
          property: 'key',
          problem: expect.stringMatching(
            /^5 old rows would be moved over each other: (A#y and a#x all become a|c#x and c#y and c#z all become c)$/,
          ) as string,
          fix: expect.stringMatching(
            /^map each old key to a different new key, .+nothing was written$/,
          ) as string,
        },
      });
    expect([...phases]).toEqual(['check']);
    expect(await cells(db)).toBe(0);
    await db.close();
  });

  test('a map function is checked too, and rows that it leaves out do not count', async () => {
    const db = await opened([
      ['a', 'x'],
      ['a', 'y'],
    ]);
    const map = (old: Visit) => Object.assign(new ByUser(), { user: old.user, count: old.count });
    const mapped = { from: From, to: ByUser, map };
    expect(await migrate(db.engine, mapped, { dryRun: true })).toMatchObject({ collidingRows: 2 });
    const firstOnly = { ...mapped, map: (old: Visit) => (old.page === 'x' ? map(old) : undefined) };
    expect(await migrate(db.engine, firstOnly)).toMatchObject({ copied: 1, collidingRows: 0 });
    await db.close();
  });

  test('a key that keeps every segment needs no check', async () => {
    const db = await open('memory:', { entities: [From, Kept] });
    await db.repository(From).save(Object.assign(new From(), { user: 'a', page: 'x', count: 1 }));
    const phases = new Set<string>();
    const onProgress = ({ phase }: MigrationProgress) => phases.add(phase);
    await migrate(db.engine, { from: From, to: Kept }, { onProgress });
    expect([...phases]).toEqual(['copy', 'verify']);
    await db.close();
  });

  test('rows written after the check are found by the comparison', async () => {
    const db = await opened([['a', 'x']]);
    let written: Promise<void> | undefined;
    const write = (page: string): Promise<void> =>
      db.repository(From).save(Object.assign(new From(), { user: 'A', page, count: 7 }));
    const onProgress = ({ phase, rows }: MigrationProgress): void => {
      if (phase === 'copy' && rows === 0) written ??= write('z');
    };
    const slow = new Proxy(db.engine, {
      get(engine, name) {
        if (name === 'mutateRows')
          return async (...args: Parameters<Engine['mutateRows']>) => {
            await written;
            const results = await engine.mutateRows(...args);
            // The same timestamp with another value, so that one row replaces the other.
            const [row] = args[1];
            const [cell] = row.mutations;
            if (cell.kind === 'setCell')
              await engine.mutateRow(args[0], {
                key: row.key,
                mutations: [{ ...cell, value: new Uint8Array(8) }],
              });
            return results;
          };
        const value: unknown = Reflect.get(engine, name);
        return typeof value === 'function' ? value.bind(engine) : value;
      },
    });
    await db.repository(From).save(Object.assign(new From(), { user: 'a', page: 'x', count: 5 }));
    await expect(migrate(slow, byUser, { onProgress })).rejects.toMatchObject({
      code: 'FAILED_PRECONDITION',
      details: {
        problem: expect.stringContaining('would be moved over each other') as string,
        fix: expect.stringContaining('no old row was deleted by this run') as string,
      },
    });
    await db.close();
  });
});
