/** `rowsmith lint`: text, JSON, SARIF, exit codes, levels, rules, pages, and wrong options. */
import { existsSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { lintRules } from '../../src/tools/lint/index.js';
import {
  buildLinkedPackage,
  makeProject,
  rowsmith,
  rowsmithProcess,
  writeFiles,
} from '../support/linked-package.js';

const entities = `import { Column, Entity, LintIgnore, Segment, maxVersions, rowKey } from 'rowsmith';
@Entity({ table: 'logs', families: { m: {} } })
export class Log {
  static readonly key = rowKey('at', 'tenant');
  @Segment('timestamp') at!: Date;
  @LintIgnore('K12', 'read by time')
  @Segment('string', { maxLength: 20 })
  tenant!: string;
  @Column('m', 'string') text?: string;
}
@Entity({ table: 'users', families: { m: { gc: maxVersions(1) } } })
export class User {
  static readonly key = rowKey('user');
  @Segment('string') user!: string;
  @Column('m', 'string') plan?: string;
}
`;
const configOf = (lint = ''): string => `export default { entities: ['./entities.ts']${lint} };`;
let linked = '';
let project = '';
beforeAll(() => {
  linked = buildLinkedPackage();
  symlinkSync(join(__dirname, '../../docs'), join(linked, 'docs'));
  project = makeProject(linked, {
    'rowsmith.config.ts': configOf(),
    'entities.ts': entities,
    'package.json': '{ "type": "module" }',
  });
});
afterEach(() => writeFiles(project, { 'rowsmith.config.ts': configOf() }));
afterAll(() => {
  for (const each of [linked, project]) rmSync(each, { recursive: true, force: true });
});
const lint = (...args: string[]) => rowsmith(linked, project, ['lint', ...args]);
const json = (...args: string[]): any => JSON.parse(lint('--json', ...args).output);
const rulesOf = (result: any): string[] =>
  result.findings.map((found: any) => `${found.rule} ${found.entity}`);

test('prints findings of level warning and above with positions, and exits with 3', () => {
  expect(lint()).toEqual({
    status: 3,
    output: [
      "error   K01 Log.at: the key starts with 'at', a time: all new rows are written at one end of the table",
      "        start the key with 'tenant': rowKey('tenant', 'at'); or use shards: { count: 16, by: ['tenant'] } if rows are read by time alone",
      '        entities.ts:5',
      "warning K08 User.user: 'user' has no maximum length, and Bigtable allows keys of 4096 bytes",
      "        declare @Segment('string', { maxLength: 64 }) user",
      '        entities.ts:14',
      '1 error, 1 warning; 1 more of level info: --level info; 1 finding ignored with a reason; rowsmith lint --explain K01',
      '',
    ].join('\n'),
  });
});

test('levels, rules and entities choose what is reported', () => {
  expect(rulesOf(json('--level', 'info'))).toEqual(['K01 Log', 'F03 Log', 'K08 User']);
  expect(rulesOf(json('--level', 'error'))).toEqual(['K01 Log']);
  expect(rulesOf(json('--rule', 'K08', '--rule', 'F03'))).toEqual(['K08 User']);
  expect(rulesOf(json('--rule', 'k08'))).toEqual(['K08 User']);
  expect(json('--level', 'error').below).toEqual({ info: 1, warning: 1 });
  expect(rulesOf(json('User'))).toEqual(['K08 User']);
  expect(lint('User', '--level', 'error')).toMatchObject({
    status: 0,
    output: expect.stringContaining('No findings; 1 warning more: --level info'),
  });
});

test('levels of the config', () => {
  writeFiles(project, {
    'rowsmith.config.ts': configOf(", lint: { rules: { K01: 'off', K08: 'error', F03: 'off' } }"),
  });
  expect(json()).toMatchObject({
    level: 'warning',
    findings: [
      { rule: 'K08', level: 'error', position: expect.stringMatching(/entities\.ts:14$/) },
    ],
    suppressed: [{ rule: 'K12', ignored: 'read by time' }],
  });
});

test.each([
  ["{ rules: { K99: 'off' } }", "lint has no rule 'K99'", 'did you mean'],
  ["{ rules: { K01: 'bad' } }", 'the level of K01', "use one of 'off', 'info'"],
  ["{ rule: { K01: 'off' } }", "lint has no setting 'rule'", "did you mean 'rules'?"],
  ["'K01'", 'lint is the string "K01"', 'write lint:'],
])('a config with lint: %s is rejected', (text, problem, fix) => {
  writeFiles(project, { 'rowsmith.config.ts': configOf(`, lint: ${text}`) });
  const { status, output } = lint();
  expect(status).toBe(1);
  expect(output).toContain(problem);
  expect(output).toContain(fix);
});

test.each([
  [['--level', 'warn'], "--level takes info, warning or error, not 'warn'"],
  [['--rule', 'K011'], "lint has no rule 'K011'; did you mean 'K01'?"],
  [['--explain', 'Z1'], "lint has no rule 'Z1'"],
  [['Usr'], "the project has no entity 'Usr'; did you mean 'User'?"],
  [['--sarif='], '--sarif needs a file'],
  [['--sarf', 'x'], "there is no option '--sarf'; did you mean '--sarif'?"],
])('%j is a usage error', (args, text) => {
  expect(lint(...args)).toEqual({ status: 2, output: expect.stringContaining(text) });
});

test('SARIF 2.1.0, in a file and on standard output', () => {
  expect(lint('--sarif', 'out.sarif').status).toBe(3);
  const text = readFileSync(join(project, 'out.sarif'), 'utf8');
  const sarif = JSON.parse(text);
  expect(lint('--sarif', '-')).toEqual({ status: 3, output: text });
  expect(sarif).toMatchObject({
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
  });
  const [{ tool, results }] = sarif.runs;
  expect(tool.driver.rules.map(({ id }: any) => id)).toEqual(lintRules.map(({ id }) => id));
  expect(results).toEqual([
    {
      ruleId: 'K01',
      ruleIndex: 0,
      level: 'error',
      message: { text: expect.stringMatching(/^Log\.at: the key starts with .* Fix: start/) },
      locations: [
        {
          physicalLocation: {
            artifactLocation: { uri: 'entities.ts' },
            region: { startLine: 5 },
          },
          logicalLocations: [{ fullyQualifiedName: 'Log.at', kind: 'member' }],
        },
      ],
      partialFingerprints: { 'rowsmith/v1': 'K01/Log/at/' },
    },
    expect.objectContaining({ ruleId: 'K08', level: 'warning' }),
    expect.objectContaining({
      ruleId: 'K12',
      suppressions: [{ kind: 'inSource', justification: 'read by time' }],
    }),
  ]);
  for (const { ruleId, ruleIndex } of results) expect(tool.driver.rules[ruleIndex].id).toBe(ruleId);
});

test('a file that cannot be written is an error', () => {
  const { status, output } = lint('--sarif', 'missing/out.sarif');
  expect({ status, output }).toEqual({ status: 1, output: expect.stringContaining('out.sarif') });
  expect(existsSync(join(project, 'missing'))).toBe(false);
});

test('--explain prints the page of a rule, and needs no project', () => {
  const page = readFileSync(join(__dirname, '../../docs/lint/K01.md'), 'utf8');
  const { status, output } = rowsmith(linked, linked, ['lint', '--explain', 'K01']);
  expect({ status, output }).toEqual({ status: 0, output: page });
  expect(rowsmith(linked, linked, ['lint', '--explain', 'k01']).output).toBe(page);
  expect(json('--explain', 'K10')).toMatchObject({
    id: 'K10',
    title: 'Two entities of a table can have the same keys',
    page: expect.stringContaining('```diff'),
  });
});

test('on a terminal levels have colours', () => {
  const { output } = rowsmithProcess(linked, project, ['lint', '--level', 'info'], {
    NODE_OPTIONS: '--import=data:text/javascript,process.stdout.isTTY=true',
    NO_COLOR: undefined,
    TERM: 'xterm',
  });
  expect(output).toContain('\x1b[31merror  \x1b[39m \x1b[1mK01 Log.at\x1b[22m: ');
  expect(output).toContain('\x1b[33mwarning\x1b[39m ');
  expect(output).toContain('\x1b[2minfo   \x1b[22m ');
});
