/** `rowsmith export` of what a query finds. */
import { rmSync } from 'node:fs';
import { buildLinkedPackage, makeProject, rowsmith } from '../support/linked-package.js';

let linked = '';
let project = '';
/** Its entity has one column of the table's three. */
let reduced = '';
const config = (url: string) => `export default { entities: ['./order.ts'], url: '${url}' };`;
const orderSource = (
  columns: string,
) => `import { Column, Entity, Segment, rowKey } from 'rowsmith';
@Entity({ table: 'orders', families: { m: {} } })
export class Order {
  static readonly key = rowKey('shop', 'n');
  @Segment('string') shop!: string;
  @Segment('uint', { max: 999 }) n!: number;
${columns}}
`;
const orders = [
  { shop: 'oslo', n: 1, status: 'failed', total: '10', at: '2026-11-20T10:00:00Z' },
  { shop: 'oslo', n: 2, status: 'ok', total: '9007199254740993', at: '2026-11-21T10:00:00Z' },
  { shop: 'oslo', n: 3, status: 'open', total: '-5' },
  { shop: 'oslo', n: 4, total: '7' },
  { shop: 'oslo2', n: 1, status: 'failed', total: '1' },
];
beforeAll(() => {
  linked = buildLinkedPackage();
  project = makeProject(linked, {
    'rowsmith.config.ts': config('file:./data'),
    'package.json': '{ "type": "module" }',
    'order.ts': orderSource(`  @Column('m', 'string') status?: string;
  @Column('m', 'int64') total?: bigint;
  @Column('m', 'timestamp') at?: Date;
`),
    'rows.jsonl': orders.map((order) => JSON.stringify(order)).join('\n'),
  });
  expect(rowsmith(linked, project, ['import', 'Order', 'rows.jsonl'])).toMatchObject({ status: 0 });
  reduced = makeProject(linked, {
    'rowsmith.config.ts': config(`file:${project}/data`),
    'package.json': '{ "type": "module" }',
    'order.ts': orderSource("  @Column('m', 'string') status?: string;\n"),
  });
});
afterAll(() => {
  for (const each of [linked, project, reduced]) rmSync(each, { recursive: true, force: true });
});

const run = (...args: string[]) =>
  rowsmith(linked, project, ['export', 'Order', '-', '--plain', ...args]);

test.each([
  [
    ['--prefix', 'shop=oslo'],
    ['oslo1', 'oslo2', 'oslo3', 'oslo4'],
  ],
  [
    ['--prefix', 'shop=oslo', '--limit', '2'],
    ['oslo1', 'oslo2'],
  ],
  [
    ['--where', 'status=failed'],
    ['oslo1', 'oslo21'],
  ],
  [
    ['--where', 'status=failed', '--where', 'status=open'],
    ['oslo1', 'oslo3', 'oslo21'],
  ],
  [
    ['--prefix', 'shop=oslo', '--where', 'status!=ok'],
    ['oslo1', 'oslo3'],
  ],
  [['--prefix', 'shop=oslo', '--where', '!status'], ['oslo4']],
  [
    ['--prefix', 'shop=oslo', '--where', 'status'],
    ['oslo1', 'oslo2', 'oslo3'],
  ],
  [['--where', 'total>9007199254740992'], ['oslo2']],
  [
    ['--where', 'total>=-5', '--where', 'total<8'],
    ['oslo3', 'oslo4', 'oslo21'],
  ],
  [
    ['--where', 'status^=o'],
    ['oslo2', 'oslo3'],
  ],
  [['--where', 'at<=2026-11-20T10:00:00Z'], ['oslo1']],
  [['--prefix', 'shop=none'], []],
])('%j', (args, expected) => {
  const { status, output } = run(...args);
  const lines = output.split('\n').filter((line) => line.startsWith('{'));
  const found = lines.map((line) => JSON.parse(line) as { shop: string; n: number });
  expect({ status, found: found.map(({ shop, n }) => `${shop}${n}`) }).toEqual({
    status: 0,
    found: expected,
  });
});

test.each([
  [['--prefix', 'shop'], '--prefix takes SEGMENT=VALUE, such as --prefix shop=value'],
  [['--prefix', 'shopp=a'], "did you mean 'shop'?"],
  [['--prefix', 'shop=a', '--prefix', 'shop=b'], "--prefix gives 'shop' twice"],
  [['--where', '=x'], "'=x' is not a condition: write NAME=VALUE"],
  [['--where', 'statsu=ok'], "did you mean 'status'?"],
  [['--where', 'total=many'], '--where total=many: '],
  [['--limit', '0'], '--limit takes a whole number above 0'],
])('%j is a usage error', (args, text) => {
  expect(run(...args)).toMatchObject({
    status: 2,
    output: expect.stringContaining(text) as string,
  });
});

test('what a query cannot serve is an error', () => {
  expect(run('--prefix', 'n=1')).toMatchObject({
    status: 1,
    output: expect.stringContaining('a prefix has all segments but the last') as string,
  });
});

test('cells that the entity does not declare are counted, and mentioned if there are any', () => {
  const of = (folder: string) => rowsmith(linked, folder, ['export', 'Order', 'orders.csv']).output;
  expect(of(project)).not.toContain('not declared');
  expect(of(reduced)).toContain('7 cells not declared by Order were not exported.');
});
