/** CSV for spreadsheets: text that they would evaluate begins with an apostrophe. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { column, defineEntity, open, rowKey, type Database } from '../../../src/index.js';
import { buildModel } from '../../../src/entities/model/index.js';
import { exportRows } from '../../../src/tools/transfer/index.js';

const Row = defineEntity(
  class Row {
    id = '';
    text?: string;
    amount?: number;
  },
  {
    table: 'rows',
    families: { m: {} },
    key: rowKey('id'),
    segments: { id: 'string' },
    columns: { text: column('m', 'string'), amount: column('m', 'double') },
  },
);
const texts = [
  ['=HYPERLINK("x")', `"'=HYPERLINK(""x"")"`],
  ['+1+cmd', "'+1+cmd"],
  ['-2+3', "'-2+3"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['\t=1', "'\t=1"],
  ['\r=1', `"'\r=1"`],
  ['plain', 'plain'],
  ['a=1', 'a=1'],
] as const;

let folder: string;
let db: Database;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'rowsmith-guard-'));
  db = await open('memory:', { entities: [Row] });
  const rows = db.repository(Row);
  for (const [i, [text]] of texts.entries())
    await rows.save(rows.create({ id: String(i), text, amount: -1.5 }));
});
afterAll(async () => {
  await db.close();
  rmSync(folder, { recursive: true });
});

async function exported(guardFormulas: boolean | undefined): Promise<string> {
  const file = join(folder, `${String(guardFormulas)}.csv`);
  const options = { format: 'csv', plain: true, guardFormulas } as const;
  await exportRows(db.engine, buildModel(Row), file, options);
  return readFileSync(file, 'utf8');
}

test('formulas are guarded, negative numbers are not', async () => {
  const lines = texts.map(([, field], i) => `${i},-1.5,${field}\n`);
  expect(await exported(true)).toBe(`id,amount,text\n${lines.join('')}`);
});

test('without the option fields are exact', async () => {
  expect(await exported(false)).toContain('2,-1.5,-2+3\n');
  expect(await exported(undefined)).toContain('3,-1.5,@SUM(A1)\n');
});

test('the option needs CSV', async () => {
  const options = { format: 'jsonl', guardFormulas: true } as const;
  await expect(
    exportRows(db.engine, buildModel(Row), join(folder, 'x'), options),
  ).rejects.toMatchObject({ code: 'INVALID_ARGUMENT', details: { property: 'guardFormulas' } });
});
