/** `rowsmith generate python` from the built package, and `rowsmith check` of what it wrote. */
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { buildLinkedPackage, makeProject, rowsmith, writeFiles } from '../support/linked-package.js';

const entity = (kind: string): string => `
import { Column, Entity, indexes, indexOn, rowKey, Segment } from 'rowsmith';
@Entity({ table: 'readings', families: { m: {} } })
export class Reading {
  static readonly key = rowKey('device');
  static readonly indexes = indexes({ byPlace: indexOn('place') });
  @Segment('string', { maxLength: 40 }) device!: string;
  @Column('m', '${kind}') temperature?: number;
  @Column('m', 'string') place?: string;
}
`;

describe('a project', () => {
  let linked = '';
  let project = '';
  beforeAll(() => {
    linked = buildLinkedPackage();
    project = makeProject(linked, {
      'rowsmith.config.ts': "export default { entities: ['./reading.ts'] };",
      'reading.ts': entity('double'),
      'package.json': '{ "type": "module" }',
    });
  });
  afterAll(() => {
    for (const each of [linked, project]) rmSync(each, { recursive: true, force: true });
  });
  const run = (...args: string[]) => rowsmith(linked, project, args);
  const module = (name: string): string =>
    readFileSync(join(project, 'generated/python/rowsmith_rows', name), 'utf8');

  test('languages run once they were named, and check says what is outdated', async () => {
    expect((await run('generate')).stdout).not.toContain('python');
    await run('check', '--update');
    expect((await run('generate', 'python')).status).toBe(0);
    expect(module('reading.py')).toMatch(
      /^"""Rows of Reading in the table readings\.\n\nEntity Reading, version [0-9a-f]{8} /,
    );
    expect(module('reading.py')).toContain('-> NoReturn:');
    expect((await run('generate', '--check')).status).toBe(0);
    expect((await run('check')).status).toBe(0);

    writeFiles(project, { 'reading.ts': entity('float') });
    await run('check', '--update', '--accept', 'Reading.temperature');
    const outdated = await run('check');
    expect(outdated.stdout).toContain('outdated python/rowsmith_rows/reading.py');
    expect(outdated.stdout).toContain('run rowsmith generate');
    expect(outdated.status).toBe(3);
    expect((await run('generate')).stdout).toContain('changed  python/rowsmith_rows/reading.py');
    expect((await run('check')).status).toBe(0);
  });

  test('unsafe writers are written on demand, and are not outdated', async () => {
    expect((await run('generate', 'python', '--unsafe-writers')).status).toBe(0);
    expect(module('reading.py')).toContain('# Unsafe: a write must change the entries of');
    expect(module('reading.py')).toContain('_ENTITY.mutations(vars(row), now, replace)');
    expect((await run('check')).status).toBe(0);
  });
});
