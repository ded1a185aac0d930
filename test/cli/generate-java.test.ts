/** `rowsmith generate java` from the built package, and `rowsmith check` of what it wrote. */
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import {
  buildLinkedPackage,
  makeProject,
  rowsmith,
  writeFiles,
} from '../support/linked-package.js';

const entity = (more: string): string => `
import { Column, Entity, rowKey, Segment } from 'rowsmith';
@Entity({ table: 'readings', families: { m: {} } })
export class Reading {
  static readonly key = rowKey('device');
  @Segment('string', { maxLength: 40 }) device!: string;
  @Column('m', 'double') temperature?: number;
  ${more}
}
`;

test('java runs once it was named, and check says what is outdated', () => {
  const linked = buildLinkedPackage();
  const project = makeProject(linked, {
    'rowsmith.config.ts': "export default { entities: ['./reading.ts'] };",
    'reading.ts': entity(''),
    'package.json': '{ "type": "module" }',
  });
  const run = (...args: string[]) => rowsmith(linked, project, args);
  try {
    run('check', '--update');
    expect(run('generate').output).not.toContain('java');
    expect(run('generate', 'java').status).toBe(0);
    const file = join(project, 'generated/java/rowsmith/rows/Reading.java');
    expect(readFileSync(file, 'utf8')).toMatch(
      /^\/\/ Rows of Reading in the table readings\.\n\/\/ Entity Reading, version [0-9a-f]{8} /,
    );
    expect(run('check').status).toBe(0);

    writeFiles(project, { 'reading.ts': entity("@Column('m', 'bool') wet?: boolean;") });
    run('check', '--update');
    const outdated = run('check');
    expect(outdated.output).toContain('outdated java/rowsmith/rows/Reading.java');
    expect(outdated.status).toBe(3);
    expect(run('generate').output).toContain('changed  java/rowsmith/rows/Reading.java');
    expect(run('check').status).toBe(0);
  } finally {
    for (const each of [linked, project]) rmSync(each, { recursive: true, force: true });
  }
});
