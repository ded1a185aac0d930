/** Migrations that would lose or mix up rows are rejected. */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { column, defineEntity, rowKey } from '../../../src/index.js';
import type { Engine, RowMutation } from '../../../src/storage.js';
import {
  defineMigration,
  migrate,
  type MigrationProgress,
} from '../../../src/tools/transfer/index.js';
import { dump } from './everything.js';
import { simple, From, opened, memberOf } from './migrations.js';

describe('migrations that would lose or mix up rows are rejected', () => {
  const to = (columns: object, more: object = {}) =>
    defineEntity(
      class Target {
        id = '';
        a?: never;
        b?: never;
      },
      { ...simple, table: 'new', columns, ...more } as never,
    ) as never;

  test.each<[string, never, object]>([
    [
      'a column without a counterpart',
      to({ a: column('m', 'string') }),
      { property: 'b', fix: expect.stringContaining("drop: ['b']") },
    ],
    [
      'a column of another kind',
      to({ a: column('m', 'string'), b: column('m', 'string') }),
      { property: 'b' },
    ],
    [
      'keys that both read',
      to(
        { a: column('m', 'string'), b: column('m', 'int32') },
        { table: 'old', segments: { id: { kind: 'string', lower: true } }, key: rowKey('id') },
      ),
      { property: 'key' },
    ],
  ])('%s', async (_what, Target, details) => {
    const db = await opened(['x']);
    await expect(migrate(db.engine, { from: From, to: Target })).rejects.toMatchObject({
      code: 'INVALID_DECLARATION',
      details,
    });
    await db.close();
  });

  test('dropped and undeclared cells are counted and prevent deletion of the old rows', async () => {
    const db = await opened(['x', 'y']);
    const Target = to({ a: column('x', 'string') });
    const migration = defineMigration({ from: From, to: Target, drop: ['b'] });
    await db.engine.mutateRow('old', {
      key: Buffer.from('x'),
      mutations: [
        {
          kind: 'setCell',
          family: 'm',
          qualifier: Buffer.from('foreign'),
          timestamp: 1000,
          value: Buffer.from('f'),
        },
      ],
    });
    const before = await dump(db, 'old');
    await expect(migrate(db.engine, migration, { deleteOld: true })).rejects.toMatchObject({
      code: 'FAILED_PRECONDITION',
      details: { problem: expect.stringContaining('3 cells') },
    });
    expect(await dump(db, 'old')).toEqual(before);
    expect(await migrate(db.engine, migration)).toMatchObject({
      copied: 2,
      undeclaredCells: 3,
      deleted: 0,
    });
    await db.close();
  });

  test('a comparison that fails deletes nothing, and the next run copies again', async () => {
    const db = await opened(['x', 'y']);
    const folder = mkdtempSync(join(tmpdir(), 'rowsmith-migrate-'));
    const Target = to({ a: column('m', 'string'), b: column('m', 'int32') });
    const migration = defineMigration({ from: From, to: Target });
    const before = await dump(db, 'old');
    // Storage that acknowledges a row without writing it.
    const forgetful = new Proxy(db.engine, {
      get: (engine, name: keyof Engine) =>
        name === 'mutateRows'
          ? (table: string, some: readonly RowMutation[]) =>
              engine.mutateRows(
                table,
                some.filter(({ key }) => key[0] !== 'y'.charCodeAt(0)),
              )
          : memberOf(engine, name),
    });
    const state = join(folder, 'state.json');
    await expect(migrate(forgetful, migration, { deleteOld: true, state })).rejects.toMatchObject({
      code: 'FAILED_PRECONDITION',
      details: { key: 'y' },
    });
    expect(await dump(db, 'old')).toEqual(before);
    expect(existsSync(state)).toBe(true);
    expect(await migrate(db.engine, migration, { deleteOld: true, state })).toMatchObject({
      rows: 2,
      verified: 2,
      deleted: 2,
    });
    expect(existsSync(state)).toBe(false);
    expect(await dump(db, 'new')).toEqual(before);
    rmSync(folder, { recursive: true });
    await db.close();
  });

  test('what is written to old rows while they are deleted is kept', async () => {
    const db = await opened(['x']);
    const Target = to({ a: column('m', 'string'), b: column('m', 'int32') });
    const write = async ({ phase }: MigrationProgress): Promise<void> => {
      if (phase === 'verify')
        await db.engine.mutateRow('old', {
          key: Buffer.from('x'),
          mutations: [
            {
              kind: 'setCell',
              family: 'm',
              qualifier: Buffer.from('new'),
              timestamp: 9_000_000_000_000_000,
              value: Buffer.from('n'),
            },
          ],
        });
    };
    await migrate(db.engine, defineMigration({ from: From, to: Target }), {
      deleteOld: true,
      onProgress: (progress) => void write(progress),
    });
    const left = (await dump(db, 'old')).map((cell) =>
      Buffer.from(cell.split(':')[1].split(' ')[0], 'hex').toString(),
    );
    expect(left).toEqual(['new']);
    await db.close();
  });

  test('the state of another migration, and a damaged one', async () => {
    const db = await opened(['x']);
    const folder = mkdtempSync(join(tmpdir(), 'rowsmith-migrate-'));
    const state = join(folder, 'state.json');
    const Target = to({ a: column('m', 'string'), b: column('m', 'int32') });
    for (const text of [
      '',
      '{}',
      '{"identity":"other","phase":"copy","last":null,"counts":{"rows":0,"copied":0,"leftOut":0,"undeclaredCells":0,"verified":0,"deleted":0}}',
    ]) {
      writeFileSync(state, text);
      await expect(migrate(db.engine, { from: From, to: Target }, { state })).rejects.toMatchObject(
        {
          code: 'FILE_FAILED',
          details: { file: state },
        },
      );
    }
    expect(await dump(db, 'new')).toEqual([]);
    rmSync(folder, { recursive: true });
    await db.close();
  });
});
