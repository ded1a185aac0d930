/** An exported table is imported unchanged: every kind, every cell, every timestamp. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { open, unknownFields } from '../../../src/index.js';
import { buildModel } from '../../../src/entities/model/index.js';
import { exportRows, importRows, type RowFormat } from '../../../src/tools/transfer/index.js';
import { All, dump, Everything, instances } from './everything.js';
import fc from '../../support/fast-check.js';

// Tests are slow on a busy machine.
const folder = mkdtempSync(join(tmpdir(), 'rowsmith-transfer-'));
afterAll(() => rmSync(folder, { recursive: true }));
const model = buildModel(Everything);
const runs = Number(process.env.RUNS ?? 8);

test.each<[RowFormat, string]>([
  ['jsonl', 'rows.jsonl'],
  ['csv', 'rows.csv'],
  ['jsonl', 'rows.jsonl.gz'],
  ['csv', 'rows.csv.gz'],
])('property: %s in %s gives the same database byte for byte', async (format, name) => {
  const gzip = name.endsWith('.gz');
  const file = join(folder, name);
  await fc.assert(
    fc.asyncProperty(
      fc.array(instances, { maxLength: 6 }),
      fc.array(fc.integer({ min: 0, max: 5 }), { maxLength: 8 }),
      async (rows, again) => {
        let now = 1_700_000_000_000;
        const from = await open('memory:', { entities: [Everything], clock: () => now });
        const to = await open('memory:', { entities: [Everything] });
        const everything = from.repository(Everything);
        await everything.saveMany(rows);
        // Older versions, cells with different timestamps, counters of both kinds.
        for (const i of again) {
          if (rows[i] === undefined) continue;
          now += 1000;
          await everything.patch(rows[i], {
            text: `again ${now}`,
            scores: new Map([['a', BigInt(now)]]),
          });
          await everything.increment(rows[i], 'plain', 3n);
          await everything.increment(rows[i], 'added', -4n);
        }
        const { rows: exported, undeclaredCells } = await exportRows(from.engine, model, file, {
          format,
          gzip,
        });
        expect([exported, undeclaredCells]).toEqual([await everything.scanAll().count(), 0]);
        for (let turn = 0; turn < 2; turn++) {
          // Twice: importing again changes nothing.
          const { written, rejected, reasons } = await importRows(to.engine, model, file, {
            format,
            gzip,
          });
          expect({ written, rejected, reasons }).toEqual({
            written: exported,
            rejected: 0,
            reasons: [],
          });
          expect(await dump(to)).toEqual(await dump(from));
        }
        await from.close();
        await to.close();
      },
    ),
    { numRuns: runs },
  );
  expect(readdirSync(folder).filter((each) => each.startsWith('.'))).toEqual([]);
});

test('unknown fields and Timestamps finer than a millisecond are kept', async () => {
  const from = await open('memory:', { entities: [Everything] });
  const to = await open('memory:', { entities: [Everything] });
  const [row] = fc.sample(instances, { numRuns: 1, seed: 7 });
  await from
    .repository(Everything)
    .save(Object.assign(row, { all: Object.assign(new All(), { int32: 5 }) }));
  const [cell] = (await dump(from)).filter((each) =>
    each.includes(`a:${Buffer.from('all').toString('hex')}`),
  );
  // Field 16: seconds 1, nanos 1; field 99: varint 7.
  const value = Buffer.concat([
    Buffer.from(cell.split(' ')[3], 'hex'),
    Uint8Array.of(0x82, 0x01, 0x04, 0x08, 0x01, 0x10, 0x01, 0x98, 0x06, 0x07),
  ]);
  await from.engine.mutateRow('everything', {
    key: Buffer.from(cell.split(' ')[0], 'hex'),
    mutations: [
      {
        kind: 'setCell',
        family: 'a',
        qualifier: Buffer.from('all'),
        timestamp: Number(cell.split(' ')[2].slice(1)),
        value,
      },
    ],
  });
  expect((await from.repository(Everything).get(row))!.all![unknownFields as never]).toBeDefined();
  const file = join(folder, 'exact.jsonl');
  await exportRows(from.engine, model, file, { format: 'jsonl' });
  expect(readFileSync(file, 'utf8')).toContain(
    '"timestamp":{"@timestamp":"CAEQAQ=="},"@unknown":"mAYH"',
  );
  await importRows(to.engine, model, file, { format: 'jsonl' });
  expect(await dump(to)).toEqual(await dump(from));
  await from.close();
  await to.close();
});

test('plain exports contain values only, which are imported with the time of the import', async () => {
  const from = await open('memory:', { entities: [Everything] });
  const to = await open('memory:', { entities: [Everything] });
  const [row] = fc.sample(instances, { numRuns: 1, seed: 8 });
  await from.repository(Everything).save(row);
  const file = join(folder, 'plain.csv');
  await exportRows(from.engine, model, file, { format: 'csv', plain: true });
  expect(readFileSync(file, 'utf8')).not.toContain('@');
  await importRows(to.engine, model, file, { format: 'csv', clock: () => 5 });
  expect(
    (await dump(to))
      .filter((cell) => / [ac]:/.test(cell))
      .every((cell) => cell.includes(' @5000 ')),
  ).toBe(true);
  expect(await to.repository(Everything).scanAll().all()).toEqual(
    await from.repository(Everything).scanAll().all(),
  );
  await from.close();
  await to.close();
});

test('an export that fails leaves an existing file unchanged', async () => {
  const db = await open('memory:', { entities: [Everything] });
  const file = join(folder, 'kept.jsonl');
  writeFileSync(file, 'before');
  await db.repository(Everything).saveMany(fc.sample(instances, { numRuns: 3, seed: 9 }));
  const key = Buffer.from((await dump(db))[0].split(' ')[0], 'hex');
  await db.engine.mutateRow('everything', {
    key,
    mutations: [
      {
        kind: 'setCell',
        family: 'a',
        qualifier: Buffer.from('flag'),
        timestamp: 1000,
        value: Uint8Array.of(9),
      },
      { kind: 'deleteFromColumn', family: 'a', qualifier: Buffer.from('flag'), start: 2000 },
    ],
  });
  await expect(exportRows(db.engine, model, file, { format: 'jsonl' })).rejects.toMatchObject({
    code: 'DAMAGED_CELL',
    details: { property: 'flag' },
  });
  expect(readFileSync(file, 'utf8')).toBe('before');
  await db.engine.dropRowRange('everything', { kind: 'all' });
  await expect(
    exportRows(db.engine, model, join(folder, 'no/such/folder.jsonl'), { format: 'jsonl' }),
  ).rejects.toMatchObject({ code: 'FILE_FAILED' });
  expect(readdirSync(folder).filter((each) => each.startsWith('.'))).toEqual([]);
  await db.close();
});
