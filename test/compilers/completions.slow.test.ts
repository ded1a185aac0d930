/** What an editor offers inside of calls: the names that fit, and nothing else. */
import { writeFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import * as ts from 'typescript';
import { root } from '../support/built-package.js';

const program = `
import { Column, ColumnMap, Counter, Entity, Segment, rowKey, type Database } from '../../src/index.js';
@Entity({ table: 't', families: { m: {}, c: {}, p: {} } })
class Reading {
  static readonly key = rowKey('tenant', 'device', 'at');
  @Segment('string') tenant!: string;
  @Segment('string') device!: string;
  @Segment('timestamp') at!: Date;
  @Column('m', 'double') temperature?: number;
  @Column('m', 'string') note?: string;
  @Counter('c') hits?: bigint;
  @ColumnMap('p', 'double') prices?: Map<string, number>;
}
declare const db: Database;
const readings = db.repository(Reading);
`;
const all = ['tenant', 'device', 'at', 'temperature', 'note', 'hits', 'prices'];

let folder = '';
let names: (call: string) => string[];

beforeAll(() => {
  mkdirSync(join(root, '.tmp'), { recursive: true });
  folder = mkdtempSync(join(root, '.tmp/completions-'));
  const file = join(folder, 'program.ts');
  let text = program;
  let version = 0;
  writeFileSync(file, text);
  const options: ts.CompilerOptions = {
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    strict: true,
    experimentalDecorators: true,
    skipLibCheck: true,
    types: ['node'],
    lib: ['lib.es2023.d.ts', 'lib.esnext.disposable.d.ts', 'lib.esnext.decorators.d.ts'],
  };
  const service = ts.createLanguageService({
    getCompilationSettings: () => options,
    getScriptFileNames: () => [file],
    getScriptVersion: (name) => (name === file ? String(version) : '0'),
    getScriptSnapshot: (name) => {
      const content = name === file ? text : ts.sys.readFile(name);
      return content === undefined ? undefined : ts.ScriptSnapshot.fromString(content);
    },
    getCurrentDirectory: () => root,
    getDefaultLibFileName: (each) => ts.getDefaultLibFilePath(each),
    fileExists: (name) => ts.sys.fileExists(name),
    readFile: (name) => ts.sys.readFile(name),
    directoryExists: (name) => ts.sys.directoryExists(name),
  });
  // The names at the place of the |.
  names = (call) => {
    version++;
    text = program + call.replace('|', '');
    const position = program.length + call.indexOf('|');
    const found = service.getCompletionsAtPosition(file, position, {});
    return (found?.entries ?? []).map(({ name }) => name);
  };
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test.each([
  ["readings.prefix({ tenant: 'a' }).oneOf('|')", ['device']],
  ["readings.prefix({ tenant: 'a' }).since('|')", ['device']],
  ["readings.oneOf('|')", ['tenant']],
  ["readings.firstPer('|')", ['tenant', 'device']],
  ['readings.scanAll().where({ | })', all],
  ["readings.scanAll().aggregate({ m: { avg: '|' } })", ['temperature', 'hits']],
  ["readings.scanAll().select('|')", all],
  ["readings.append({ tenant: 'a', device: 'd', at: new Date() }, { | })", ['note']],
  [
    "readings.increment({ tenant: 'a', device: 'd', at: new Date() }, {}, { append: { | } })",
    ['note'],
  ],
] as const)('%s', (call, expected) => {
  expect(names(call).sort()).toEqual([...expected].sort());
});
