/** `rowsmith generate python` from the built package, and `rowsmith check` of what it wrote. */
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import {
  buildLinkedPackage,
  makeProject,
  rowsmith,
  writeFiles,
} from '../support/linked-package.js';

const entity = (more: string): string => `
import { Column, Entity, indexes, indexOn, rowKey, Segment } from 'rowsmith';
@Entity({ table: 'readings', families: { m: {} } })
export class Reading {
  static readonly key = rowKey('device');
  static readonly indexes = indexes({ byPlace: indexOn('place') });
  @Segment('string', { maxLength: 40 }) device!: string;
  @Column('m', 'double') temperature?: number;
  @Column('m', 'string') place?: string;
  ${more}
}
`;

describe('a project', () => {
  let linked = '';
  let project = '';
  beforeAll(() => {
    linked = buildLinkedPackage();
    project = makeProject(linked, {
      'rowsmith.config.ts': "export default { entities: ['./reading.ts'] };",
      'reading.ts': entity(''),
      'package.json': '{ "type": "module" }',
    });
  });
  afterAll(() => {
    for (const each of [linked, project]) rmSync(each, { recursive: true, force: true });
  });
  const run = (...args: string[]) => rowsmith(linked, project, args);
  const module = (name: string): string =>
    readFileSync(join(project, 'generated/python/rowsmith_rows', name), 'utf8');

  test('languages run once they were named, and check says what is outdated', () => {
    expect(run('generate').output).not.toContain('python');
    run('check', '--update');
    expect(run('generate', 'python').status).toBe(0);
    expect(module('reading.py')).toMatch(
      /^"""Rows of Reading in the table readings\.\n\nEntity Reading, version [0-9a-f]{8} /,
    );
    expect(module('reading.py')).toContain('-> NoReturn:');
    expect(run('generate', '--check').status).toBe(0);
    expect(run('check').status).toBe(0);

    writeFiles(project, { 'reading.ts': entity("@Column('m', 'bool') wet?: boolean;") });
    run('check', '--update');
    const outdated = run('check');
    expect(outdated.output).toContain('outdated python/rowsmith_rows/reading.py');
    expect(outdated.output).toContain('run rowsmith generate');
    expect(outdated.status).toBe(3);
    expect(run('generate').output).toContain('changed  python/rowsmith_rows/reading.py');
    expect(run('check').status).toBe(0);
  });

  test('unsafe writers are written on demand, and are not outdated', () => {
    expect(run('generate', 'python', '--unsafe-writers').status).toBe(0);
    expect(module('reading.py')).toContain('# Unsafe: a write must change the entries of');
    expect(module('reading.py')).toContain('_ENTITY.mutations(vars(row), now, replace)');
    expect(run('check').status).toBe(0);
  });
});
