/** Column maps with typed qualifiers in exported files. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  column,
  columnMap,
  type Database,
  defineEntity,
  open,
  rowKey,
} from '../../../src/index.js';
import { defineMigration, migrate } from '../../../src/tools/index.js';
import { buildModel } from '../../../src/entities/model/index.js';
import { exportRows, importRows, type RowFormat } from '../../../src/tools/transfer/index.js';
import { Sheet } from '../../entities/repository/support/map-entities.js';

const folder = mkdtempSync(join(tmpdir(), 'rowsmith-typed-maps-'));
afterAll(() => rmSync(folder, { recursive: true }));
const model = buildModel(Sheet);
const at = new Date('2026-11-20T10:40:00.000Z');

async function openSheets(): Promise<Database> {
  return open('memory:', { entities: [Sheet] });
}

test.each<[RowFormat]>([['jsonl'], ['csv']])('%s has them as text, and back', async (format) => {
  const [from, to] = [await openSheets(), await openSheets()];
  const sheets = from.repository(Sheet);
  await sheets.save(
    sheets.create({
      id: 'a',
      tags: new Map([['05', 'x']]),
      offsets: new Map([
        [-5, 1],
        [5, 2],
      ]),
      seconds: new Map([[3599, 3]]),
      ids: new Map([[-(10n ** 30n), true]]),
      prices: new Map([[at, 1.5]]),
      news: new Map([[at, 2.5]]),
      levels: new Map([['MID', 7]]),
    }),
  );
  await sheets.incrementEntry({ id: 'a' }, 'hits', at, 4n);
  await sheets.incrementEntry({ id: 'a' }, 'totals', 'x', 9n);
  const file = join(folder, `rows.${format}`);
  await exportRows(from.engine, model, file, { format });
  if (format === 'jsonl') {
    const { '@at': times, ...record } = JSON.parse(readFileSync(file, 'utf8')) as Record<
      string,
      object
    >;
    expect(record).toEqual({
      id: 'a',
      tags: { '05': 'x' },
      offsets: { '-5': 1, 5: 2 },
      seconds: { 3599: 3 },
      ids: { '-1000000000000000000000000000000': true },
      prices: { '2026-11-20T10:40:00.000Z': 1.5 },
      news: { '2026-11-20T10:40:00.000Z': 2.5 },
      levels: { MID: 7 },
      hits: { '2026-11-20T10:40:00.000Z': '4' },
      totals: { x: '9' },
    });
    expect(times).not.toHaveProperty('totals');
  }
  for (let turn = 0; turn < 2; turn++) {
    const { written, rejected } = await importRows(to.engine, model, file, { format });
    expect([written, rejected]).toEqual([1, 0]);
    expect(await to.repository(Sheet).get({ id: 'a' })).toEqual(await sheets.get({ id: 'a' }));
  }
  await from.close();
  await to.close();
});

test.each([
  ['offsets', '{"x":1}'],
  ['offsets', '{"1.5":1}'],
  ['seconds', '{"3600":1}'],
  ['prices', '{"yesterday":1}'],
  ['prices', '{"1969-12-31T23:59:59.000Z":1}'],
  ['prices', '{"2026-11-20T10:40:00Z":1,"2026-11-20T11:40:00+01:00":2}'],
  ['levels', '{"TOP":1}'],
])('a line with the wrong keys of %s is rejected: %s', async (property, map) => {
  const db = await openSheets();
  const file = join(folder, 'bad.jsonl');
  writeFileSync(file, `{"id":"a","${property}":${map}}\n`);
  const rejects = join(folder, 'rejected.jsonl');
  const result = await importRows(db.engine, model, file, { format: 'jsonl', rejects });
  expect([result.written, result.rejected]).toEqual([0, 1]);
  expect(result.reasons.map(({ reason }) => reason).join()).toContain(property);
  await db.close();
});

test('a migration does not copy entries under other qualifiers', async () => {
  const shape = (name: string, key: object) =>
    defineEntity(
      {
        [name]: class {
          id = '';
          text?: string;
        },
      }[name],
      {
        table: name,
        families: { m: {}, t: {} },
        key: rowKey('id'),
        segments: { id: 'string' },
        columns: { text: column('m', 'string'), map: columnMap('t', 'double', key) } as never,
      },
    );
  const [Old, Texts] = [shape('Old', { qualifiers: 'uint' }), shape('Texts', {})];
  const db = await open('memory:', { entities: [Old, Texts] });
  await expect(migrate(db.engine, defineMigration({ from: Old, to: Texts }))).rejects.toMatchObject(
    { code: 'INVALID_DECLARATION' },
  );
  await db.close();
});
