/** check, export, import and migrate in a project. */
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import {
  buildLinkedPackage,
  makeProject,
  rowsmith,
  rowsmithProcess,
  writeFiles,
} from '../support/linked-package.js';

let linked = '';
const projects: string[] = [];
beforeAll(() => {
  linked = buildLinkedPackage();
});
afterAll(() => {
  for (const folder of [linked, ...projects]) rmSync(folder, { recursive: true, force: true });
});

const config = `import { defineConfig } from 'rowsmith/config';
export default defineConfig({ entities: ['./entities.ts'], url: 'file:./data' });
`;
const entities = (
  fields: string,
  extra = '',
): string => `import { Column, Entity, Field, Message, Packed, Segment, maxVersions, rowKey } from 'rowsmith';
${extra}
@Message('shop.Info')
export class Info {
${fields}
}

@Entity({ table: 'items', families: { m: { gc: maxVersions(1) } } })
export class Item {
  static readonly key = rowKey('sku');
  @Segment('string') sku!: string;
  @Column('m', 'int64') stock?: bigint;
  @Packed('m', () => Info) info?: Info;
}
`;

function project(files: Readonly<Record<string, string>>): string {
  const folder = makeProject(linked, {
    'package.json': '{ "type": "module" }',
    'rowsmith.config.ts': config,
    ...files,
  });
  projects.push(folder);
  return folder;
}

const run = (folder: string, ...args: string[]): { status: number | null; output: string } =>
  rowsmith(linked, folder, args);

test('check: the first lock, compatible, rejected and accepted changes', () => {
  const folder = project({
    'entities.ts': entities(
      "  @Field(1, 'string') name?: string;\n  @Field(2, 'int32') size?: number;",
    ),
  });
  expect(run(folder, 'check')).toMatchObject({
    status: 3,
    output: expect.stringContaining('run rowsmith check --update'),
  });
  expect(existsSync(join(folder, 'rowsmith.lock.json'))).toBe(false);
  expect(run(folder, 'check', '--update')).toMatchObject({
    status: 0,
    output: expect.stringContaining('rowsmith.lock.json is written; commit it.'),
  });
  expect(run(folder, 'check')).toMatchObject({ status: 0 });
  const lock = readFileSync(join(folder, 'rowsmith.lock.json'), 'utf8');

  writeFiles(folder, {
    'entities.ts': entities(
      "  @Field(1, 'int64') name?: bigint;\n  @Field(3, 'string') more?: string;",
    ),
  });
  const rejected = run(folder, 'check', '--update');
  expect(rejected.status).toBe(3);
  expect(rejected.output).toContain("rejected shop.Info.1: 'name' was string and is int64");
  expect(rejected.output).toContain("ok       shop.Info.2: 'size', number 2, is removed");
  expect(readFileSync(join(folder, 'rowsmith.lock.json'), 'utf8')).toBe(lock);
  expect(run(folder, 'check', '--update', '--accept', 'shop.Info.9')).toMatchObject({ status: 2 });
  expect(run(folder, 'check', '--update', '--accept', 'shop.Info.1')).toMatchObject({ status: 0 });
  expect(JSON.parse(readFileSync(join(folder, 'rowsmith.lock.json'), 'utf8'))).toMatchObject({
    messages: {
      'shop.Info': { fields: { 1: { type: 'int64' } }, reserved: { 2: { name: 'size' } } },
    },
  });
  const json = JSON.parse(run(folder, 'check', '--json').output) as {
    rejected: number;
    recorded: boolean;
  };
  expect(json).toMatchObject({ rejected: 0, recorded: true, changes: [] });

  writeFiles(folder, {
    'rowsmith.lock.json': lock.replace('  "messages"', '<<<<<<< HEAD\n  "messages"'),
  });
  expect(run(folder, 'check')).toMatchObject({
    status: 1,
    output: expect.stringContaining('merge conflict'),
  });
});

test('fields without a number get one from the lock, and the program imports them', () => {
  // A process knows the numbers that it has read once.
  const run = (folder: string, ...args: string[]) => rowsmithProcess(linked, folder, args);
  const unnumbered = "  @Field('string') name?: string;\n  @Field('int32') size?: number;";
  const folder = project({ 'entities.ts': entities(unnumbered) });
  expect(run(folder, 'describe')).toMatchObject({
    status: 1,
    output: expect.stringContaining('the field has no number'),
  });
  const copy = project({ 'entities.ts': entities(unnumbered) });
  expect(run(copy, 'check', '--update')).toMatchObject({
    status: 0,
    output: expect.stringContaining('import the numbers beside the entities'),
  });
  expect(run(copy, 'check')).toMatchObject({
    status: 3,
    output: expect.stringContaining('import rowsmith.numbers.ts beside them'),
  });
  // The import may be written before the file exists.
  writeFiles(folder, { 'entities.ts': entities(unnumbered, "import './rowsmith.numbers.js';") });
  expect(run(folder, 'describe')).toMatchObject({
    status: 1,
    output: expect.stringContaining('the field has no number'),
  });
  expect(run(folder, 'check', '--update')).toMatchObject({
    status: 0,
    output: expect.stringContaining('rowsmith.lock.json and rowsmith.numbers.ts are written'),
  });
  expect(readFileSync(join(folder, 'rowsmith.numbers.ts'), 'utf8')).toContain(
    '"name": 1,\n    "size": 2,',
  );
  expect(run(folder, 'check')).toMatchObject({ status: 0 });
  expect(run(folder, 'describe')).toMatchObject({
    status: 0,
    output: expect.stringMatching(/1 {2}name {2}string/),
  });
});

test('import, export and migrate', () => {
  const folder = project({
    'entities.ts': entities("  @Field(1, 'string') name?: string;"),
    'items.jsonl': Array.from({ length: 20 }, (_, i) =>
      JSON.stringify(
        i === 7 ? { sku: 7 } : { sku: `item-${i}`, stock: String(i), info: { name: `Item ${i}` } },
      ),
    ).join('\n'),
    'to-products.ts': `import { Column, Entity, Packed, Segment, literal, maxVersions, rowKey } from 'rowsmith';
import { defineMigration } from 'rowsmith/tools';
import { Info, Item } from './entities.js';
@Entity({ table: 'items', families: { m: { gc: maxVersions(1) } } })
class Product {
  static readonly key = rowKey(literal('product'), 'sku');
  @Segment('string') sku!: string;
  @Column('m', 'int64') stock?: bigint;
  @Packed('m', () => Info) info?: Info;
}
export default defineMigration({ from: Item, to: Product });
`,
  });
  const imported = run(folder, 'import', 'Item', 'items.jsonl');
  expect(imported).toMatchObject({ status: 4 });
  expect(imported.output).toContain('1 bad line written to items.jsonl.rejects.jsonl');
  expect(readFileSync(join(folder, 'items.jsonl.rejects.jsonl'), 'utf8')).toContain('"line":8');
  expect(run(folder, 'export', 'Item', 'out.csv.gz')).toMatchObject({
    status: 0,
    output: expect.stringMatching(/19 rows/),
  });
  expect(run(folder, 'export', 'Item', '--plain').output).toContain(
    '{"sku":"item-0","info":{"name":"Item 0"},"stock":"0"}\n',
  );
  expect(run(folder, 'export', 'Item', '--url', 'file:./nowhere')).toMatchObject({
    status: 1,
    output: expect.stringContaining('there is no such directory'),
  });
  expect(existsSync(join(folder, 'nowhere'))).toBe(false);
  expect(run(folder, 'export', 'Thing')).toMatchObject({
    status: 2,
    output: expect.stringContaining("no entity 'Thing'"),
  });
  expect(run(folder, 'import', 'Item', 'out.csv.gz', '--url', 'file:./copy')).toMatchObject({
    status: 0,
  });
  expect(run(folder, 'export', 'Item', 'again.csv.gz', '--url', 'file:./copy')).toMatchObject({
    status: 0,
  });
  expect(readFileSync(join(folder, 'again.csv.gz'))).toEqual(
    readFileSync(join(folder, 'out.csv.gz')),
  );
  expect(run(folder, 'import', 'Item', 'nothing.csv')).toMatchObject({
    status: 1,
    output: expect.stringContaining(`there is no file 'nothing.csv' in ${folder}`),
  });

  const dry = run(folder, 'migrate', 'to-products.ts', '--dry-run');
  expect(dry).toMatchObject({ status: 0 });
  expect(dry.output).toContain('item-0 -> product#item-0');
  expect(dry.output).toContain('19 rows would be moved; nothing was written.');
  expect(run(folder, 'migrate', 'to-products.ts', '--delete-old')).toMatchObject({
    status: 0,
    output: expect.stringContaining(
      '19 of 19 rows copied, 0 left out, 19 compared, 19 old rows deleted.',
    ),
  });
  const left = run(folder, 'export', 'Item', '--plain');
  expect(left.output).not.toContain('"item-');
  expect(
    readdirSync(folder).filter((name) => name.includes('state') || name.startsWith('.')),
  ).toEqual([]);
});
