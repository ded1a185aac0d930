/** `rowsmith schema`: differences between stored and declared tables, and the changes. */
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { maxAge, maxVersions } from '../../src/entities/model/index.js';
import { openEngine } from '../../src/engines/index.js';
import type { FamilySchema } from '../../src/data/store/index.js';
import { buildLinkedPackage, makeProject, rowsmith } from '../support/linked-package.js';

let linked = '';
let project = '';
beforeAll(() => {
  linked = buildLinkedPackage();
  const entity = `import { Column, Counter, Entity, Segment, aggregate, maxVersions, rowKey } from 'rowsmith';
@Entity({ table: 'readings', families: { m: { gc: maxVersions(1) }, c: aggregate('sum') } })
export class Reading {
  static readonly key = rowKey('device');
  @Segment('string', { maxLength: 40 }) device!: string;
  @Column('m', 'double') temperature?: number;
  @Counter('c') hits?: bigint;
}
`;
  project = makeProject(linked, {
    'rowsmith.config.ts': "export default { entities: ['./reading.ts'], url: 'file:./data' };",
    'reading.ts': entity,
    'package.json': '{ "type": "module" }',
  });
});
afterAll(() => {
  for (const each of [linked, project]) rmSync(each, { recursive: true, force: true });
});
const schema = (...args: string[]) => rowsmith(linked, project, ['schema', ...args]);

/** A database with this table, as another program could have created it. */
async function stored(
  name: string,
  families: Readonly<Record<string, FamilySchema>>,
): Promise<string> {
  const engine = await openEngine(`file:${join(project, name)}`);
  await engine.createTable({ name: 'readings', families: new Map(Object.entries(families)) });
  await engine.close();
  return `file:${name}`;
}

test('plan changes nothing and creates no directory; apply creates the tables; then nothing differs', () => {
  const plan = schema('plan');
  expect(plan).toEqual({
    status: 3,
    output: expect.stringMatching(
      /^Safe\n {2}create {2}table readings\n(.*\n)+file:.* does not exist yet: apply creates it\n/,
    ),
  });
  expect(schema('plan').output).toBe(plan.output);
  expect(existsSync(join(project, 'data'))).toBe(false);
  expect(schema('apply')).toEqual({
    status: 0,
    output: expect.stringMatching(
      /^Safe\n {2}create {2}table readings\n {10}family c {2}keeps everything {2}sum\n {10}family m {2}maxversions=1\n.*\n1 change made in file:/,
    ),
  });
  expect(schema('plan')).toMatchObject({
    status: 0,
    output: expect.stringContaining('has every table and family'),
  });
  expect(JSON.parse(schema('apply', '--json').output)).toEqual({
    url: `file:${join(project, 'data')}`,
    changed: [],
    steps: [],
  });
});

test('a missing family, and a rule that deletes more', async () => {
  const url = await stored('older', { m: { gc: maxVersions(5) } });
  const { status, output } = schema('plan', '--url', url);
  expect({ status, output }).toEqual({
    status: 3,
    output: expect.stringContaining(
      'Data-losing: made only with --allow-data-loss\n' +
        '  change  family m of readings  maxversions=5 -> maxversions=1\n' +
        '          Cells that the stored rule keeps are deleted',
    ),
  });
  expect(output).toContain('  create  family c of readings  keeps everything  sum\n');
  expect(schema('apply', '--url', url)).toMatchObject({
    status: 1,
    output: expect.stringContaining('--allow-data-loss'),
  });
  expect(schema('plan', '--url', url).output).toBe(output);
  expect(schema('apply', '--url', url, '--allow-data-loss')).toMatchObject({ status: 0 });
  expect(schema('plan', '--url', url)).toMatchObject({ status: 0 });
});

test('a conflict that no change can resolve', async () => {
  const url = await stored('other', { c: { gc: maxAge('1d') } });
  expect(schema('plan', '--url', url)).toMatchObject({
    status: 1,
    output: expect.stringMatching(
      /Impossible in place[^]* {2}cannot {2}family c of readings[^]*The stored table conflicts with the declaration/,
    ),
  });
});

test('usage errors', () => {
  for (const args of [
    [],
    ['show'],
    ['plan', 'apply'],
    ['plan', '--allow-data-loss'],
    ['plan', '--verify-keys'],
    ['plan', '--plan', 'abc'],
    ['plan', '--url', 'memory:'],
  ])
    expect(schema(...args)).toMatchObject({ status: 2 });
});
