/** Bigtable's limits, at the limit and one past it, and large values, rows and families. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { everyKey, pointRange, type RowsmithError } from '../../src/base/index.js';
import { openDiskEngine, openMemoryEngine } from '../../src/engines/local/index.js';
import { collectRows, type Engine } from '../../src/data/store/index.js';
import { rejects, set, utf8 } from './conformance.js';

let directory: string;
let engines: Engine[];
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'rowsmith-limits-'));
  engines = [await openMemoryEngine(), await openDiskEngine(directory, { durability: 'relaxed' })];
  for (const engine of engines)
    await engine.createTable({ name: 't', families: new Map([['a', {}]]) });
});
afterEach(async () => {
  for (const engine of engines) await engine.close();
  rmSync(directory, { recursive: true });
});

const cell = (qualifier: Uint8Array, value: Uint8Array) =>
  ({ kind: 'setCell', family: 'a', qualifier, timestamp: 1000, value }) as const;
const rowsOf = (engine: Engine, ranges = [everyKey]) =>
  collectRows(engine.readRows({ table: 't', ranges, reversed: false }));

test('row keys of 4,096 bytes and qualifiers of 16,384', async () => {
  for (const engine of engines) {
    const key = new Uint8Array(4096).fill(255);
    const qualifier = new Uint8Array(16_384).fill(1);
    await engine.mutateRow('t', { key, mutations: [cell(qualifier, utf8('v'))] });
    await rejects(
      engine.mutateRow('t', { key: new Uint8Array(4097), mutations: [set('a', 'q', 'v')] }),
      'LIMIT_EXCEEDED',
    );
    await rejects(
      engine.mutateRow('t', { key, mutations: [cell(new Uint8Array(16_385), utf8('v'))] }),
      'LIMIT_EXCEEDED',
    );
    const [row] = await rowsOf(engine);
    expect([row.key.length, row.cells.length, row.cells[0].qualifier.length]).toEqual([
      4096, 1, 16_384,
    ]);
  }
});

test('values of 100 MiB', async () => {
  const maxBytes = 100 * 1024 * 1024;
  const value = new Uint8Array(maxBytes);
  value[maxBytes - 1] = 7;
  const engine = engines[1];
  await rejects(
    engine.mutateRow('t', {
      key: utf8('k'),
      mutations: [cell(utf8('q'), new Uint8Array(maxBytes + 1))],
    }),
    'LIMIT_EXCEEDED',
  );
  await engine.mutateRow('t', { key: utf8('k'), mutations: [cell(utf8('q'), value)] });
  await rejects(
    engine.readModifyWriteRow('t', utf8('k'), [
      { kind: 'append', family: 'a', qualifier: utf8('q'), value: utf8('!') },
    ]),
    'LIMIT_EXCEEDED',
  );
  const stream = engine.readRows({ table: 't', ranges: [everyKey], reversed: false });
  const page = (await stream.next())!;
  expect([
    page.nextRow(),
    page.nextCell(),
    page.valueEnd - page.valueStart,
    page.valueBytes[page.valueEnd - 1],
  ]).toEqual([true, true, maxBytes, 7]);
  await stream.close();
});

test('rows of 256 MiB, including large values in chunks that the write does not load', async () => {
  const engine = engines[1];
  const value = new Uint8Array(85 * 1024 * 1024);
  const put = (qualifier: string, bytes: Uint8Array) =>
    engine.mutateRow('t', { key: utf8('k'), mutations: [cell(utf8(qualifier), bytes)] });
  await engine.mutateRow('t', {
    key: utf8('k'),
    mutations: Array.from({ length: 1000 }, (_, at) => set('a', `m${at}`, 'v'.repeat(40))),
  });
  await put('a', value);
  await put('b', value);
  await put('c', value);
  await rejects(put('z', new Uint8Array(1024 * 1024)), 'FAILED_PRECONDITION');
  await rejects(
    engine.readModifyWriteRow('t', utf8('k'), [
      { kind: 'append', family: 'a', qualifier: utf8('z'), value: new Uint8Array(1024 * 1024) },
    ]),
    'FAILED_PRECONDITION',
  );
  await put('z', new Uint8Array(512 * 1024));
  await put('c', new Uint8Array(0));
  await put('z', new Uint8Array(1024 * 1024));
  const stripped = await collectRows(
    engine.readRows({
      table: 't',
      ranges: [everyKey],
      reversed: false,
      filter: { kind: 'stripValue' },
    }),
  );
  expect(stripped[0].cells.length).toBe(1004);
});

test('rows of 256 MiB that grow by small cells: detected once they have grown by 16 MiB', async () => {
  const engine = engines[1];
  const key = utf8('k');
  const small = (from: number, count: number) =>
    Array.from({ length: count }, (_, at) =>
      cell(utf8(`m${String(from + at).padStart(8, '0')}`), new Uint8Array(4000)),
    );
  // Large values in a chunk that writing the small cells does not load.
  await engine.mutateRow('t', {
    key,
    mutations: Array.from({ length: 1000 }, (_, at) => set('a', `b${at}`, 'v'.repeat(40))),
  });
  for (const qualifier of ['b1', 'b2', 'b3'])
    await engine.mutateRow('t', {
      key,
      mutations: [cell(utf8(qualifier), new Uint8Array(84 * 1024 * 1024))],
    });
  const maxBytes = 256 * 1024 * 1024;
  let written = 3 * 84 * 1024 * 1024;
  let rejected = false;
  for (let from = 0; !rejected && written < maxBytes + 20 * 1024 * 1024; from += 500) {
    rejected = await engine.mutateRow('t', { key, mutations: small(from, 500) }).then(
      () => false,
      (error: RowsmithError) => {
        expect(error).toMatchObject({
          code: 'FAILED_PRECONDITION',
          details: { fix: expect.stringContaining('several rows') as string },
        });
        return true;
      },
    );
    if (!rejected) written += 500 * 4000;
  }
  expect(rejected).toBe(true);
  expect(written).toBeLessThanOrEqual(maxBytes + 16 * 1024 * 1024);
});

test('100,000 mutations of a row, and of a request', async () => {
  for (const engine of engines) {
    const mutations = Array.from({ length: 100_000 }, (_, at) => set('a', `q${at}`, 'v'));
    const more = [...mutations, set('a', 'one more', 'v')];
    await rejects(engine.mutateRow('t', { key: utf8('k'), mutations: more }), 'LIMIT_EXCEEDED');
    await rejects(
      engine.mutateRows('t', [
        { key: utf8('k'), mutations: more.slice(0, 50_000) },
        { key: utf8('l'), mutations: more.slice(50_000) },
      ]),
      'LIMIT_EXCEEDED',
    );
    expect(await rowsOf(engine)).toEqual([]);
    await engine.mutateRow('t', { key: utf8('k'), mutations });
    expect((await rowsOf(engine))[0].cells.length).toBe(100_000);
  }
});

test('a family grows far beyond a chunk and shrinks again, column by column', async () => {
  for (const engine of engines) {
    const count = 3000;
    for (let step = 0; step < 6; step++) {
      // 500 columns in each step, each of them between existing columns.
      await engine.mutateRow('t', {
        key: utf8('k'),
        mutations: Array.from({ length: count / 6 }, (_, at) =>
          set('a', `q${at * 6 + ((step * 5) % 6) + 10_000}`, `${step}`.repeat(40)),
        ),
      });
    }
    const [full] = await rowsOf(engine, [pointRange(utf8('k'))]);
    expect(full.cells.map((cell) => Buffer.from(cell.qualifier).toString())).toEqual(
      Array.from({ length: count }, (_, at) => `q${at + 10_000}`),
    );
    for (let from = 0; from < count - 1; from += 250) {
      const mutations = Array.from(
        { length: 250 },
        (_, at) =>
          ({
            kind: 'deleteFromColumn',
            family: 'a',
            qualifier: utf8(`q${from + at + 10_000}`),
          }) as const,
      ).filter((_mutation, at) => from + at !== 1777);
      await engine.mutateRow('t', { key: utf8('k'), mutations });
      const [row] = await rowsOf(engine);
      expect(row.cells.length).toBe(Math.max(1, count - from - 250 + (from >= 1750 ? 1 : 0)));
    }
    expect(Buffer.from((await rowsOf(engine))[0].cells[0].qualifier).toString()).toBe('q11777');
  }
});
