/**
 * Views of indexes and rollups: the text of files, the pattern that Google documents for such
 * queries, and what they compute, by the evaluator of the tests. Bigtable itself has not run them.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { schemaGenerators } from '../../../../src/tools/codegen/schema-generators.js';
import {
  Column,
  Entity,
  type EntityClass,
  indexOn,
  indexes,
  literal,
  rollups,
  rowKey,
  Segment,
  uniqueIndexOn,
} from '../../../../src/index.js';
import { buildModels } from '../../../../src/entities/model/index.js';
import { DeviceEvent, Order } from '../../../entities/derived/index/entities.js';
import { Order as RolledOrder, Reading } from '../../../entities/derived/rollup/rollup-entities.js';
import { runView, Timestamp } from '../sql-evaluator.js';

@Entity({ table: 'articles', families: { m: {} } })
class Article {
  static readonly key = rowKey(literal('article'), 'site', 'section', 'at', 'id');
  static readonly indexes = indexes({
    byAuthor: indexOn('site', { segment: 'author', lower: true }).including('title', 'day'),
    byDay: indexOn('site', { segment: 'published', floor: 'day' }, 'draft'),
    bySection: indexOn('section', 'author'),
    byTitle: uniqueIndexOn('title'),
    byScore: indexOn({ segment: 'score', order: 'desc' }),
  });
  static readonly rollups = rollups({
    daily: { by: ['site', 'section', { time: 'at', every: '1d' }], values: { count: 'count' } },
  });
  @Segment('string') site!: string;
  @Segment('enum', { values: ['news', 'sport'], by: 'ordinal' }) section!: string;
  @Segment('timestamp') at!: Date;
  @Segment('uint', { max: 999 }) id!: number;
  @Column('m', 'string') author?: string;
  @Column('m', 'string') title?: string;
  @Column('m', 'date') day?: string;
  @Column('m', 'timestamp') published?: Date;
  @Column('m', 'bool') draft?: boolean;
  @Column('m', 'int64') score?: bigint;
}

const url = 'bigtable://my-project/my-instance';
const generator = schemaGenerators.find(({ name }) => name === 'materialized-views')!;

async function filesOf(...entities: readonly EntityClass[]): Promise<ReadonlyMap<string, string>> {
  const files = await generator.generate({ models: buildModels(entities), url });
  return new Map(files.map(({ path, content }) => [path, content as string]));
}

/** Compares with a file beside this test; UPDATE_GOLDEN=1 writes it. */
function expectFile(name: string, text: string): void {
  const path = join(__dirname, name);
  if (process.env.UPDATE_GOLDEN === '1') writeFileSync(path, text);
  expect(text).toBe(readFileSync(path, 'utf8'));
}

test('a file for each index, and one for Terraform', async () => {
  const files = await filesOf(Article);
  expect([...files.keys()]).toEqual([
    'materialized-views/Article.daily.sql',
    'materialized-views/Article.byAuthor.sql',
    'materialized-views/Article.byDay.sql',
    'materialized-views/Article.bySection.sql',
    'materialized-views/Article.byTitle.sql',
    'materialized-views/Article.byScore.sql',
    'materialized-views.tf',
  ]);
  for (const [path, content] of files) expectFile(path.replace(/^.*\//, ''), content);
});

test('every index that is not a view says why', async () => {
  const files = await filesOf(Article, Order, DeviceEvent);
  const reasons: Record<string, string> = {};
  for (const [path, content] of files) {
    const [, reason] = /cannot be an? .*:\n-- - (.*)\n$/.exec(content) ?? [];
    if (reason !== undefined) reasons[path.replace(/^.*\/|\.sql$/g, '')] = reason;
  }
  expect(reasons).toEqual({
    'Article.bySection': "'section' sorts by declaration, and a view by name",
    'Article.byTitle': 'it is unique, and views are written after the row: they reject nothing',
    'Article.byScore': "'score' is descending, and views are ascending",
    'Order.byStatus': "'placedAt' is descending, and views are ascending",
    'Order.byEmail': 'it is unique, and views are written after the row: they reject nothing',
    'DeviceEvent.byNumber': "'n' is descending, and views are ascending",
    'DeviceEvent.byNullable':
      "'level' is nullable, and it is not documented whether keys of views may be NULL",
  });
  const terraform = files.get('materialized-views.tf')!;
  expect(terraform).toContain('# Index Article.byTitle cannot be an asynchronous secondary index:');
  expect(terraform).not.toContain('"Article_byTitle"');
});

test('queries have the pattern of such views, and nothing that Google lists as unsupported', async () => {
  const files = [
    ...(await filesOf(Article, Order, DeviceEvent)),
    ...(await filesOf(RolledOrder, Reading)),
  ];
  let queries = 0;
  for (const [path, content] of files) {
    const query = content.replace(/^--.*\n/gm, '');
    if (!path.endsWith('.sql') || query === '') continue;
    queries++;
    expect(query).toMatch(
      /^SELECT\n(  .*\n)+FROM `\w+`\n(WHERE (.*\n)+?)?(GROUP BY `.*\n|ORDER BY (`\w+`, )*`source_key`\n)$/,
    );
    // Dates are not values of views.
    expect(query).not.toMatch(/DATE(TIME)?\) AS `/);
    // Outside of texts and names.
    const code = query.replace(/r?'(?:[^'\\]|\\.)*'|`[^`]*`/g, "''");
    expect({ path, code }).not.toMatchObject({
      code: expect.stringMatching(
        /\b(ARRAY\w*|SPLIT|REGEXP_EXTRACT_ALL|CODE_POINTS_TO_STRING|COUNT_?IF|CURRENT_\w+|DESC|DISTINCT|LIMIT|OFFSET|SAFE_OFFSET|OVER|STRUCT|HAVING|JOIN)\b|->|\(SELECT|SELECT \*/,
      ) as string,
    });
  }
  expect(queries).toBeGreaterThan(8);
});

test('the values of the row', async () => {
  const files = await filesOf(Article);
  const [model] = buildModels([Article]);
  // Text with the delimiter, with what the format escapes, and with what looks like an escape.
  const site = 'a#b $23\n';
  const key = model.key.encode({ site, section: 'sport', at: new Date(0), id: 7 });
  const published = new Date(Date.UTC(2026, 10, 22, 17, 5));
  const values = { author: 'Ann', title: 't', day: '2026-11-22', published, draft: true };
  const cells = new Map(
    model.columns.flatMap(({ property, codec }) => {
      const value = (values as Record<string, unknown>)[property];
      return value === undefined ? [] : [[property, Buffer.from(codec.encode(value))] as const];
    }),
  );
  const runQuery = (query: string, m: ReadonlyMap<string, Buffer> = cells) =>
    runView(
      query,
      new Map<string, Buffer | ReadonlyMap<string, Buffer>>([
        ['_key', Buffer.from(key)],
        ['m', m],
      ]),
    );
  const run = (name: string, m?: ReadonlyMap<string, Buffer>) =>
    runQuery(files.get(`materialized-views/${name}.sql`)!, m);
  expect(Object.fromEntries(run('Article.byAuthor')!)).toEqual({
    site,
    author: 'ann',
    source_key: Buffer.from(key),
    title: 't',
    day: '2026-11-22',
  });
  expect(Object.fromEntries(run('Article.byDay')!)).toEqual({
    site,
    published: new Timestamp(BigInt(Date.UTC(2026, 10, 22)) * 1000n),
    draft: 1n,
    source_key: Buffer.from(key),
  });
  // The groups of a rollup, which the evaluator does not count.
  const daily = files.get('materialized-views/Article.daily.sql')!;
  const groups = daily.replace(/,\n  COUNT.*/, '').replace(/GROUP BY .*\n/, '');
  expect(Object.fromEntries(runQuery(groups)!)).toEqual({
    site,
    section: 'sport',
    at: new Timestamp(0n),
  });
  // A row without a value has no entry.
  expect(run('Article.byAuthor', new Map([...cells].filter(([name]) => name !== 'author')))).toBe(
    undefined,
  );
});
