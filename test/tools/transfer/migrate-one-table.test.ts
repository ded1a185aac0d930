/** Migrations within one table, in which old and new keys may be equal. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { column, type Database, defineEntity, open, rowKey } from '../../../src/index.js';
import { defineMigration, migrate } from '../../../src/tools/transfer/index.js';
import { KeyDigests } from '../../../src/tools/transfer/migrate/key-collisions.js';
import type { MovedRow } from '../../../src/tools/transfer/migrate/moved-row.js';
import { dump } from './everything.js';

describe('within one table, new keys that the old class reads as its own', () => {
  // The scan read what it had just written: the row was moved twice, or over one not yet moved.
  class Shape {
    a = '';
    b = '';
    text?: string;
  }
  const declared = {
    table: 't',
    families: { m: {} },
    segments: { a: 'string', b: 'string' },
    columns: { text: column('m', 'string') },
  } as const;
  const From = defineEntity(class From extends Shape {}, { ...declared, key: rowKey('a', 'b') });
  const Same = defineEntity(class Same extends Shape {}, { ...declared, key: rowKey('a', 'b') });
  const Swapped = defineEntity(class Swapped extends Shape {}, {
    ...declared,
    key: rowKey('b', 'a'),
  });
  async function opened(rows: readonly (readonly [string, string])[]): Promise<Database> {
    const db = await open('memory:', { entities: [From] });
    await db
      .repository(From)
      .saveMany(rows.map(([a, b]) => Object.assign(new From(), { a, b, text: `${a}${b}` })));
    return db;
  }
  const next = (old: Shape): Shape => Object.assign(new Same(), old, { a: `${Number(old.a) + 1}` });

  test.each([{}, { dryRun: true }, { verify: false }, { deleteOld: true }])(
    'a map function that makes them is rejected before anything is written: %j',
    async (options) => {
      const db = await opened([
        ['1', 'x'],
        ['2', 'x'],
        ['7', 'y'],
      ]);
      const before = await dump(db, 't');
      const migration = defineMigration({ from: From, to: Same, map: next });
      await expect(migrate(db.engine, migration, options)).rejects.toMatchObject({
        code: 'FAILED_PRECONDITION',
        details: {
          entity: 'Same',
          property: 'map',
          problem: expect.stringMatching(
            /^3 new keys in table 't' are keys of From, too, .*: 1#x becomes 2#x, 2#x becomes 3#x, 7#y becomes 8#y$/,
          ) as string,
          fix: expect.stringMatching(
            /^move the rows to another table.+nothing was written$/,
          ) as string,
        },
      });
      expect(await dump(db, 't')).toEqual(before);
      await db.close();
    },
  );

  test('a map function that keeps the keys, or leaves rows out, is run', async () => {
    const db = await opened([
      ['1', 'x '],
      ['2', 'x'],
    ]);
    const map = (old: Shape) =>
      old.a === '1' ? Object.assign(new Same(), old, { text: old.text?.trim() }) : undefined;
    expect(await migrate(db.engine, { from: From, to: Same, map })).toMatchObject({
      copied: 1,
      leftOut: 1,
    });
    const texts = (await db.repository(From).scanAll().all()).map(({ text }) => text);
    expect(texts).toEqual(['1x', '2x']);
    await db.close();
  });

  test('in place, a map function that changes its own results is rejected', async () => {
    // A resumed migration applied it twice, and the comparison failed after the rows were written.
    const db = await opened([['1', 'x']]);
    const before = await dump(db, 't');
    const map = (old: Shape) => Object.assign(new Same(), old, { text: `new ${old.text}` });
    for (const options of [{}, { dryRun: true }, { verify: false }])
      await expect(
        migrate(db.engine, { from: From, to: Same, map }, options),
      ).rejects.toMatchObject({
        code: 'FAILED_PRECONDITION',
        details: {
          entity: 'Same',
          property: 'map',
          problem: expect.stringContaining('would change them again') as string,
          fix: expect.stringMatching(/another table, or .*new qualifiers; nothing was/) as string,
        },
      });
    expect(await dump(db, 't')).toEqual(before);
    await db.close();
  });

  test('a row written after the check is not moved', async () => {
    const db = await opened([['1', 'x']]);
    const map = (old: Shape) => (old.a === '5' ? next(old) : Object.assign(new Same(), old));
    const abort = new AbortController();
    const folder = mkdtempSync(join(tmpdir(), 'rowsmith-migrate-'));
    const state = join(folder, 'state.json');
    const migration = defineMigration({ from: From, to: Same, map });
    const interrupted = migrate(db.engine, migration, {
      state,
      signal: abort.signal,
      onProgress: ({ phase, rows }) => {
        if (phase === 'verify' && rows === 0) abort.abort();
      },
    });
    await expect(interrupted).rejects.toMatchObject({ name: 'AbortError' });
    await db.repository(From).save(Object.assign(new From(), { a: '5', b: 'x', text: 'later' }));
    await expect(migrate(db.engine, migration, { state })).rejects.toMatchObject({
      code: 'FAILED_PRECONDITION',
      details: { fix: expect.stringContaining('these rows were not moved') as string },
    });
    expect(await db.repository(From).get({ a: '6', b: 'x' })).toBeUndefined();
    rmSync(folder, { recursive: true });
    await db.close();
  });

  test('columns that would be written over each other are rejected', async () => {
    // Both became the value of one of them, depending on the timestamps.
    class Two {
      id = '';
      x?: string;
      y?: string;
    }
    const two = {
      table: 't',
      families: { m: {} },
      key: rowKey('id'),
      segments: { id: 'string' },
    } as const;
    const Before = defineEntity(class Before extends Two {}, {
      ...two,
      columns: { x: column('m', 'string'), y: column('m', 'string') },
    });
    const After = defineEntity(class After extends Two {}, {
      ...two,
      columns: {
        x: column('m', 'string', { qualifier: 'y' }),
        y: column('m', 'string', { qualifier: 'x' }),
      },
    });
    const db = await open('memory:', { entities: [Before] });
    await expect(migrate(db.engine, { from: Before, to: After })).rejects.toMatchObject({
      code: 'INVALID_DECLARATION',
      details: {
        entity: 'After',
        property: 'x',
        problem: "'x' would be written over 'y' of the same row",
      },
    });
    await db.close();
  });

  test('so are segments in another order', async () => {
    const db = await opened([
      ['1', '2'],
      ['2', '1'],
    ]);
    await expect(migrate(db.engine, { from: From, to: Swapped })).rejects.toMatchObject({
      code: 'INVALID_DECLARATION',
      details: {
        entity: 'Swapped',
        property: 'key',
        problem:
          "in table 't' a key of Swapped can be one of From: its segments are b, a instead of a, b",
      },
    });
    await db.close();
  });
});

test('digests of keys: equal ones are found among a hundred thousand, and looked at exactly', () => {
  const digests = new KeyDigests();
  const key = (i: number): Uint8Array => new Uint8Array(Buffer.from(`row ${i}`));
  for (let i = 0; i < 100_000; i++) digests.add(key(i));
  for (const i of [5, 5, 77_777]) digests.add(key(i));
  const repeated = digests.repeated();
  const moved = (i: number, from: string): MovedRow => ({
    source: { key: new Uint8Array(Buffer.from(from)), cells: [] },
    to: key(i),
    cells: [],
    taken: [],
    undeclared: 0,
  });
  repeated.look([moved(5, 'a'), moved(6, 'x'), moved(5, 'b'), moved(77_777, 'y')]);
  // Only one row of the third key is found: it had the digest of another key.
  expect(repeated.collisions()).toEqual({ rows: 2, examples: [{ to: 'row 5', from: ['a', 'b'] }] });
  expect(new KeyDigests().repeated().isEmpty).toBe(true);
});
