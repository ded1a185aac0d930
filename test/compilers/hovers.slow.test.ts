/**
 * What an editor shows over the names that programs use most, as in the golden file. To update:
 * UPDATE_GOLDEN=1 npx jest --selectProjects slow -- test/compilers/hovers
 */
import { join } from 'node:path';
import * as ts from 'typescript';
import { root } from '../support/built-package.js';
import { expectGolden } from '../support/golden.js';
import { languageService } from './language-service.js';

/** A hover is over the name after each comment; the comment is its title. */
const program = `
import {
  Column, ColumnMap, Counter, Entity, Segment, Versions, accessPatterns, column, defineEntity, indexes, indexOn,
  open, rollups, rowKey, type Version,
} from '../../src/index.js';

/* the decorator of a class */@Entity({ table: 't', families: { m: {}, c: {}, p: {} } })
class Reading {
  static readonly /* a key */key = rowKey('tenant', 'device', 'at');
  static readonly patterns = accessPatterns({ latest: { prefix: ['tenant', 'device'], limit: 1 } });
  static readonly indexes = indexes({ byStatus: indexOn('tenant', 'status', 'at') });
  static readonly rollups = rollups({
    hourly: { by: ['tenant', 'device', { time: 'at', every: '1h' }], values: { n: 'count', top: { max: 'level' } } },
  });
  /* the decorator of a segment */@Segment('string') tenant!: string;
  @Segment('string') device!: string;
  @Segment('timestamp') at!: Date;
  /* the decorator of a column */@Column('m', 'double') temperature?: number;
  @Column('m', 'string') status?: 'ok' | 'failed';
  @Column('m', 'int32') level?: number;
  @Column('m', 'string') note?: string;
  @Counter('c') hits?: bigint;
  /* the decorator of a map */@ColumnMap('p', 'double', { qualifiers: 'timestamp' }) prices?: Map<Date, number>;
  @Versions('m', 'string') notes?: Version<string>[];
}
const /* a defined entity */Device = defineEntity(
  class Device {
    tenant = '';
    device = '';
    model?: string;
  },
  {
    table: 't',
    families: { m: {} },
    key: rowKey('tenant', 'device'),
    segments: { tenant: 'string', device: 'string' },
    columns: { model: column('m', 'string') },
  },
);
const /* a database */db = await /* open */open('memory:', { entities: [Reading, Device] });
const /* a repository */readings = db./* db.repository */repository(Reading);
const key = { tenant: 'a', device: 'd', at: new Date() };

const /* a created entity */reading = readings./* create */create({ /* an input of create */tenant: 'a', device: 'd', at: new Date() });
await readings./* save */save(reading);
const /* a row, or undefined */row = await readings./* get */get(key);
await readings./* patch */patch(key, { /* an input of patch */level: 1 });
await readings./* increment */increment(key, 'hits', 1n);
await readings./* delete */delete(key);

const /* a query */query = readings./* prefix */prefix({ /* an input of prefix */tenant: 'a', device: 'd' });
const /* a bounded query */since = query./* since */since('at', new Date());
const /* a query with conditions */failed = since./* where */where({ /* a condition */status: 'failed' });
const /* rows */rows = await failed./* all */all();
const /* a page */page = await failed./* page */page({ size: 10 });
const /* rows with some properties */selected = await failed./* select */select('level').all();
const /* a named query */latest = readings.patterns./* a pattern */latest({ tenant: 'a', device: 'd' });

const /* an index */byStatus = readings./* index */index('byStatus');
const /* a query of an index */entries = byStatus./* prefix of an index */prefix({ tenant: 'a', status: 'ok' });
const /* rows of an index */found = await entries.all();
const /* a rollup */hourly = readings./* rollup */rollup('hourly');
const /* rows of a rollup */hours = await hourly.prefix({ tenant: 'a', device: 'd' }).all();
const /* groups */groups = await readings.prefix({ tenant: 'a' })./* groupBy */groupBy('device')
  ./* aggregate */aggregate({ n: 'count' }).all();

const /* a scope */scope = db./* db.scope */scope({ tenant: 'a' });
const /* a repository in a scope */scoped = scope.repository(Reading);
const /* a collection */collection = db./* db.collection */collection({ device: Device, readings: Reading });
const /* a query of a collection */members = collection.prefix({ tenant: 'a' });
for await (const /* a row of a collection */member of members) void member;
`;
const marks = [...program.matchAll(/\/\* (.*?) \*\//g)].map((match) => ({
  title: match[1],
  position: match.index + match[0].length,
}));

const hovers = new Map<string, string>();
beforeAll(() => {
  const file = join(root, 'test/compilers/hovers.ts');
  const service = languageService(file, () => program);
  expect(service.getSemanticDiagnostics(file).map(({ messageText }) => messageText)).toEqual([]);
  for (const { title, position } of marks) {
    const at = program[position] === '@' ? position + 1 : position;
    const parts = service.getQuickInfoAtPosition(file, at)?.displayParts;
    hovers.set(title, ts.displayPartsToString(parts));
  }
});

/** Lines of a hover, which an editor wraps. */
const linesOf = (text: string): number =>
  text.split('\n').reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / 120)), 0);

test('hovers are as in the golden file', () => {
  expect(hovers.size).toBe(marks.length);
  const texts = [...hovers].map(([title, text]) => `${title}\n${text.replace(/^/gm, '    ')}\n`);
  expectGolden('hovers.txt', texts.join('\n'));
});

/**
 * Longer ones: objects in a call, which the compiler shows as type argument, parameter and result,
 * and the values of an index.
 */
const longer: Readonly<Record<string, number>> = {
  aggregate: 7,
  'prefix of an index': 7,
  'db.scope': 7,
  'db.collection': 10,
};

test.each(marks.map(({ title }) => title))('%s: at most five lines of 120 columns', (title) => {
  expect(linesOf(hovers.get(title)!)).toBeLessThanOrEqual(longer[title] ?? 5);
});
