/** Writes to rows of about 256 MiB are judged by the size of the row after all mutations. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { everyKey } from '../../src/base/index.js';
import { openDiskEngine, openMemoryEngine } from '../../src/engines/local/index.js';
import { collectRows, type Engine, type Mutation } from '../../src/data/store/index.js';
import { rejects, set, utf8 } from './conformance.js';

const mebibyte = 1024 * 1024;
const key = utf8('k');
const zeros = new Uint8Array(90 * mebibyte);

let directory: string;
beforeEach(() => void (directory = mkdtempSync(join(tmpdir(), 'rowsmith-row-size-'))));
afterEach(() => rmSync(directory, { recursive: true }));

const large = (qualifier: string, mebibytes: number): Mutation => ({
  kind: 'setCell',
  family: 'a',
  qualifier: utf8(qualifier),
  timestamp: 1000,
  value: zeros.subarray(0, mebibytes * mebibyte),
});
const without = (family: string, qualifier: string): Mutation => ({
  kind: 'deleteFromColumn',
  family,
  qualifier: utf8(qualifier),
});
const write = (engine: Engine, ...mutations: Mutation[]) =>
  engine.mutateRow('t', { key, mutations });

/** Qualifiers and sizes in mebibytes of the values of 1 MiB and more. */
async function largeCells(engine: Engine): Promise<readonly string[]> {
  const rows = await collectRows(
    engine.readRows({
      table: 't',
      ranges: [everyKey],
      reversed: false,
      filter: { kind: 'familyRegex', pattern: 'a' },
    }),
  );
  return rows
    .flatMap(({ cells }) => cells)
    .filter(({ value }) => value.length >= mebibyte)
    .map(({ qualifier, value }) => `${utf8Text(qualifier)} ${value.length / mebibyte}`);
}
const utf8Text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

const engines: readonly (readonly [string, () => Promise<Engine>])[] = [
  ['memory', () => openMemoryEngine()],
  ['disk', () => openDiskEngine(directory, { durability: 'relaxed' })],
];

describe.each(engines)('%s', (_, open) => {
  let engine: Engine;
  beforeEach(async () => {
    engine = await open();
    await engine.createTable({
      name: 't',
      families: new Map([
        ['a', {}],
        ['b', {}],
      ]),
    });
    // The family is so large that it is split into chunks. A write loads only some chunks.
    const cells = Array.from({ length: 1000 }, (__, n) => set('a', `b${n}`, 'v'.repeat(40)));
    await write(engine, ...cells);
    for (const qualifier of ['b1', 'b3', 'b5']) await write(engine, large(qualifier, 84));
  });
  afterEach(() => engine.close());

  test('cells that the write deletes first do not count, those that it sets do', async () => {
    await write(engine, without('a', 'b1'), large('b1x', 86));
    expect(await largeCells(engine)).toEqual(['b1x 86', 'b3 84', 'b5 84']);
    await rejects(write(engine, without('a', 'b3'), large('b3', 90)), 'FAILED_PRECONDITION');
    const rows = [
      {
        key,
        mutations: [{ kind: 'deleteFromRow' }, large('x', 90), large('y', 90), large('z', 90)],
      },
    ];
    const outcome = await engine.mutateRows('t', rows as never);
    expect(outcome).toMatchObject([{ code: 'FAILED_PRECONDITION' }]);
    expect(await largeCells(engine)).toEqual(['b1x 86', 'b3 84', 'b5 84']);
    // Larger than the limit only in between.
    await write(engine, large('x', 80), without('a', 'b1x'));
    expect(await largeCells(engine)).toEqual(['b3 84', 'b5 84', 'x 80']);
  });

  test('a row over the limit can be made smaller, and not larger', async () => {
    // Not counted exactly, because the chunks with the large values are not loaded.
    const small = Array.from({ length: 3900 }, (__, n) => set('b', `m${n}`, 'v'.repeat(4000)));
    await write(engine, ...small);
    await rejects(write(engine, large('b7', 1)), 'FAILED_PRECONDITION');
    await rejects(write(engine, large('b1', 85)), 'FAILED_PRECONDITION');
    expect(await largeCells(engine)).toEqual(['b1 84', 'b3 84', 'b5 84']);
    await write(engine, without('b', 'm1'));
    await write(engine, large('b1', 82));
    // Loads all chunks, and leaves the row over the limit.
    await write(engine, ...Array.from({ length: 1000 }, (__, n) => without('a', `b${n * 2}`)));
    const predicate = { kind: 'familyRegex', pattern: 'a' } as const;
    const check = { key, predicate, onTrue: [large('b1', 81)] };
    expect(await engine.checkAndMutateRow('t', check)).toBe(true);
    const rule = {
      kind: 'append',
      family: 'a',
      qualifier: utf8('b1'),
      value: zeros.subarray(0, mebibyte),
    } as const;
    await rejects(engine.readModifyWriteRow('t', key, [rule]), 'FAILED_PRECONDITION');
    await write(engine, without('a', 'b1'), large('b1', 80));
    expect(await largeCells(engine)).toEqual(['b1 80', 'b3 84', 'b5 84']);
    await write(engine, without('a', 'b3'));
    await write(engine, large('b7', 70));
    expect(await largeCells(engine)).toEqual(['b1 80', 'b5 84', 'b7 70']);
  });
});
