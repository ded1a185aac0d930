/** Commands that only read, beside a program that has the database open. */
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { openEngine } from '../../src/engines/index.js';
import type { Engine } from '../../src/data/store/index.js';
import { buildLinkedPackage, makeProject, rowsmith } from '../support/linked-package.js';

let linked = '';
let project = '';
let owner: Engine;
beforeAll(async () => {
  linked = buildLinkedPackage();
  const entity = (name: string, key: string) => `
@Entity({ table: 'readings', families: { m: { gc: maxVersions(1) } } })
export class ${name} {
  static readonly key = rowKey(${key});
  @Segment('string', { maxLength: 40 }) device!: string;
  @Column('m', 'string') note?: string;
}
`;
  const imports =
    "import { Column, Entity, Segment, literal, maxVersions, rowKey } from 'rowsmith';" +
    "import { defineMigration } from 'rowsmith/tools';";
  project = makeProject(linked, {
    'rowsmith.config.ts': "export default { entities: ['./reading.ts'], url: 'file:./data' };",
    'reading.ts': `${imports}${entity('Reading', "'device'")}`,
    'moved.ts': `${imports}${entity('Old', "'device'")}${entity('Moved', "literal('r'), 'device'")}
export default defineMigration({ from: Old, to: Moved });
`,
    'row.jsonl': '{"device":"d2","note":"second"}',
    'package.json': '{ "type": "module" }',
  });
  owner = await openEngine(`file:${join(project, 'data')}`);
  // Another rule than the declared one.
  const gc = { kind: 'maxVersions', versions: 2 } as const;
  await owner.createTable({ name: 'readings', families: new Map([['m', { gc }]]) });
  await owner.mutateRow('readings', {
    key: Buffer.from('d1'),
    mutations: [
      {
        kind: 'setCell',
        family: 'm',
        qualifier: Buffer.from('note'),
        timestamp: 1000,
        value: Buffer.from('first'),
      },
    ],
  });
});
afterAll(async () => {
  await owner.close();
  for (const each of [linked, project]) rmSync(each, { recursive: true, force: true });
});
const run = (...args: string[]) => rowsmith(linked, project, args);

test.each([
  [['export', 'Reading', '--format', 'jsonl'], 0, '"note":"first"'],
  [['pull', '--table', 'readings'], 0, 'note'],
  [['describe'], 0, 'maxversions=1'],
  [['derived', 'list'], 0, 'no entity declares an index'],
  [['doctor'], 0, 'only that one can write'],
  [['schema', 'plan'], 3, 'maxversions=2'],
  [['migrate', 'moved.ts', '--dry-run'], 0, '1 row would be moved'],
])('%j reads beside the program', (args, status, text) => {
  const files = readdirSync(join(project, 'data'));
  expect(run(...args)).toEqual({ status, output: expect.stringContaining(text) });
  expect(readdirSync(join(project, 'data'))).toEqual(files);
});

test.each([[['import', 'Reading', 'row.jsonl']], [['schema', 'apply']], [['migrate', 'moved.ts']]])(
  '%j needs the database for itself',
  (args) => {
    expect(run(...args)).toEqual({ status: 1, output: expect.stringContaining('in use') });
  },
);
