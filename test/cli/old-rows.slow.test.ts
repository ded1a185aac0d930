/** The command says which imported rows are too old, and which rows are incomplete. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { Column, Entity, maxAge, open, rowKey, Segment } from '../../src/index.js';
import { buildLinkedPackage, makeProject, rowsmith } from '../support/linked-package.js';

/** As another program declares it. */
@Entity({ table: 'readings', families: { m: { gc: maxAge('30d') } } })
class Reading {
  static readonly key = rowKey('device', 'at');
  @Segment('string', { maxLength: 20 }) device!: string;
  @Segment('timestamp') at!: Date;
  @Column('m', 'string') note?: string;
}

let linked = '';
let project = '';
const ago = (days: number): string => new Date(Date.now() - days * 86_400_000).toISOString();

beforeAll(() => {
  linked = buildLinkedPackage();
  project = makeProject(linked, {
    'rowsmith.config.ts': "export default { entities: ['./reading.ts'], url: 'file:./data' };",
    'package.json': '{ "type": "module" }',
    'reading.ts': `import { Column, Entity, Segment, maxAge, rowKey } from 'rowsmith';
@Entity({ table: 'readings', families: { m: { gc: maxAge('30d') } } })
export class Reading {
  static readonly key = rowKey('device', 'at');
  @Segment('string', { maxLength: 20 }) device!: string;
  @Segment('timestamp') at!: Date;
  @Column('m', 'double', { required: true }) value!: number;
  @Column('m', 'string') note?: string;
}
`,
    'rows.csv': `device,at,value\nd,${ago(1)},1\nd,${ago(60)},2\n`,
  });
});
afterAll(() => {
  for (const each of [linked, project]) rmSync(each, { recursive: true, force: true });
});

const run = (...args: string[]) => rowsmith(linked, project, args);

function json(...args: string[]): unknown {
  const { output } = run(...args, '--json');
  return JSON.parse(output.split('\n').find((line) => line.startsWith('{'))!);
}

test('import counts lines that are older than the rules, with and without --cell-times', () => {
  expect(run('import', 'Reading', 'rows.csv')).toEqual({
    status: 0,
    output: expect.stringContaining(
      "1 line with 'at' older than the maxAge of their families (30d), which counts from this " +
        "import: delete these rows and import them again with --cell-times at, to count from 'at'",
    ) as string,
  });
  const timed = run('import', 'Reading', 'rows.csv', '--cell-times', 'at');
  expect(timed).toEqual({
    status: 0,
    output: expect.stringContaining(
      '1 line written with cells older than the maxAge of their families (30d): no read finds these cells',
    ) as string,
  });
  expect(timed.output).not.toContain('--cell-times');
  expect(json('import', 'Reading', 'rows.csv')).toMatchObject({
    written: 2,
    expired: 0,
    keptLonger: { property: 'at', lines: 1 },
  });
  expect(run('import', 'Reading', 'rows.csv', '--cell-times', 'value')).toMatchObject({
    status: expect.any(Number),
    output: expect.stringContaining("name one of 'at'") as string,
  });
});

test('derived verify prints incomplete rows, and what to do', async () => {
  expect(run('derived', 'verify', 'Reading').output).toContain(
    'Reading, required columns: no row is incomplete',
  );
  const db = await open(`file:${join(project, 'data')}`, { entities: [Reading], lint: false });
  const at = new Date(Date.UTC(2026, 10, 27));
  await db.repository(Reading).patch({ device: 'e', at }, { note: 'x' });
  await db.close();
  const verified = run('derived', 'verify', 'Reading');
  expect(verified.status).toBe(3);
  expect(verified.output).toMatch(/^incomplete {2}e#\d+ {2}has no value$/mu);
  expect(verified.output).toContain(
    'Reading, required columns: 1 row incomplete: ' +
      'complete them with rowsmith patch Reading KEY, or delete them',
  );
  expect(json('derived', 'verify')).toMatchObject({
    reports: [{ entity: 'Reading', incomplete: { rows: 1, samples: [{ missing: ['value'] }] } }],
  });
  const key = ['device=e', 'at=2026-11-27T00:00:00Z'];
  const patched = run('patch', 'Reading', ...key, 'value=1', '--yes');
  expect(patched).toEqual({ status: 0, output: expect.any(String) as string });
  expect(run('derived', 'verify', 'Reading').status).toBe(0);
});
