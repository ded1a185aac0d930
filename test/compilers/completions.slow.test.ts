/** What an editor offers inside of calls: the names that fit, and nothing else. */
import { join } from 'node:path';
import { root } from '../support/built-package.js';
import { languageService } from './language-service.js';

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

const file = join(root, 'test/compilers/completions.ts');
let text = program;
const service = languageService(file, () => text);

/** The names at the place of the |. */
function names(call: string): string[] {
  text = program + call.replace('|', '');
  const position = program.length + call.indexOf('|');
  const found = service.getCompletionsAtPosition(file, position, {});
  return (found?.entries ?? []).map(({ name }) => name);
}

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
