/** `rowsmith derived`: an index is added to a table with rows, built, checked, changed and dropped. */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openEngine } from '../../src/engines/index.js';
import { everyKey } from '../../src/base/index.js';
import {
  Column,
  copies,
  copyOf,
  Entity,
  indexOn,
  indexes,
  open,
  rowKey,
  Segment,
} from '../../src/index.js';
import { collectRows } from '../../src/data/store/index.js';
import { buildLinkedPackage, makeProject, rowsmith } from '../support/linked-package.js';

/** The entities of the project with copies, as another program declares them. */
@Entity({ table: 'authors', families: { m: {} } })
class Author {
  static readonly key = rowKey('id');
  @Segment('string') id!: string;
  @Column('m', 'string') name?: string;
}

@Entity({ table: 'posts', families: { m: {} } })
class Post {
  static readonly key = rowKey('id');
  static readonly indexes = indexes({ byAuthor: indexOn('authorId') });
  static readonly copies = copies({ authorName: copyOf(() => Author, 'name', { id: 'authorId' }) });
  @Segment('string') id!: string;
  @Column('m', 'string') authorId?: string;
  @Column('m', 'string') authorName?: string;
}

const entity = (indexes: string): string => `
import { Column, Entity, Segment, indexOn, indexes, rowKey, uniqueIndexOn } from 'rowsmith';
@Entity({ table: 'orders', families: { m: {} } })
export class Order {
  static readonly key = rowKey('id');
  ${indexes}
  @Segment('string') id!: string;
  @Column('m', 'string') status?: string;
  @Column('m', 'string') email?: string;
}
`;
const both = entity(
  "static readonly indexes = indexes({ byStatus: indexOn('status'), byEmail: uniqueIndexOn('email') });",
);

let linked = '';
let project = '';
beforeAll(() => {
  linked = buildLinkedPackage();
  project = makeProject(linked, {
    'rowsmith.config.ts': "export default { entities: ['./order.ts'], url: 'file:./data' };",
    'order.ts': entity(''),
    'package.json': '{ "type": "module" }',
    'rows.jsonl': [1, 2, 3]
      .map((id) => `${JSON.stringify({ id: `o${id}`, status: 'open', email: `${id % 2}@x` })}\n`)
      .join(''),
  });
});
afterAll(() => {
  for (const each of [linked, project]) rmSync(each, { recursive: true, force: true });
});
const run = (...args: string[]) => rowsmith(linked, project, args);
const declare = (text: string): void => writeFileSync(join(project, 'order.ts'), text);

async function deleteEntry(start: string): Promise<void> {
  const engine = await openEngine(`file:${join(project, 'data')}`);
  const table = 'orders_index';
  const rows = await collectRows(engine.readRows({ table, ranges: [everyKey], reversed: false }));
  const { key } = rows.find((row) => Buffer.from(row.key).toString().startsWith(start))!;
  await engine.mutateRow(table, { key, mutations: [{ kind: 'deleteFromRow' }] });
  await engine.close();
}

test('from the declaration of an index to its removal', async () => {
  expect(run('import', 'Order', 'rows.jsonl')).toMatchObject({ status: 0 });
  expect(run('derived', 'verify')).toMatchObject({
    status: 2,
    output: expect.stringContaining(
      'no entity of the project declares an index, a rollup or a required column',
    ) as string,
  });

  declare(both);
  expect(run('schema', 'apply').output).toContain('create  table orders_index');
  const listed = run('derived', 'list');
  expect(listed.output).toMatch(
    /^building {4}Order\.byStatus {2}byStatus\.[0-9a-f]{8} in orders_index\nbuilding {4}Order\.byEmail/,
  );
  expect(run('derived', 'verify', 'Order', '--index', 'byStatus', '--max-findings', '1')).toEqual({
    status: 3,
    output: expect.stringMatching(
      /^missing {4}byStatus {2}o1\nOrder: 3 rows, 0 entries: 3 missing; 0 of 3 repaired\n {2}Order .*3 rows/,
    ) as string,
  });
  const built = run('derived', 'rebuild', 'Order');
  expect(built.status).toBe(3);
  expect(built.output).toContain('Order.byStatus is ready.');
  expect(built.output).toMatch(/duplicate {2}byEmail {2}o[13] {2}has the value of {"id":"o[13]"}/);
  expect(built.output).toContain('Order.byEmail is not ready');

  writeFileSync(join(project, 'rows.jsonl'), '{"id":"o3","email":"3@x"}\n');
  expect(run('import', 'Order', 'rows.jsonl')).toMatchObject({ status: 0 });
  const again = run('derived', 'rebuild', '--json');
  expect(again.status).toBe(0);
  expect(JSON.parse(again.output.slice(again.output.indexOf('{"url"')))).toMatchObject({
    builds: [{ entity: 'Order', index: 'byEmail', ready: true }],
  });
  expect(run('derived', 'rebuild', 'Order')).toMatchObject({ status: 0 });

  await deleteEntry('byStatus');
  expect(run('derived', 'verify')).toMatchObject({ status: 3 });
  expect(run('derived', 'repair').output).toContain('1 missing; 1 of 1 repaired');
  expect(run('derived', 'verify')).toMatchObject({
    status: 0,
    output: expect.stringContaining('Order: 3 rows, 6 entries: no fault') as string,
  });
  const limited = run('derived', 'verify', 'Order', '--limit', '1');
  const after = /--after (\S+) continues/.exec(limited.output)![1];
  expect(run('derived', 'verify', 'Order', '--after', after).output).toContain('Order: 0 rows, 6');

  const id = /byStatus\.[0-9a-f]{8}/.exec(listed.output)![0];
  expect(run('derived', 'drop', 'Order', '--index', id)).toMatchObject({
    status: 1,
    output: expect.stringContaining('remove it from the declaration first') as string,
  });
  declare(entity("static readonly indexes = indexes({ byEmail: uniqueIndexOn('email') });"));
  expect(run('derived', 'list').output).toContain(`undeclared  Order, no longer declared  ${id}`);
  expect(run('derived', 'drop', 'Order', '--index', id)).toMatchObject({
    status: 0,
    output: expect.stringContaining(`3 entries of ${id} deleted.`) as string,
  });
  expect(run('derived', 'drop', 'orders_index', '--index', id)).toMatchObject({ status: 1 });
  expect(run('derived', 'list').output).not.toContain(id);
});

test('verify and repair of rollups', async () => {
  const rolled = makeProject(linked, {
    'rowsmith.config.ts': "export default { entities: ['./visit.ts'], url: 'file:./data' };",
    'visit.ts': `
import { Column, Entity, Segment, rollups, rowKey } from 'rowsmith';
@Entity({ table: 'visits', families: { m: {} } })
export class Visit {
  static readonly key = rowKey('page', 'at');
  static readonly rollups = rollups({
    daily: { by: ['page', { time: 'at', every: '1d' }], values: { visits: 'count' } },
  });
  @Segment('string') page!: string;
  @Segment('timestamp') at!: Date;
  @Column('m', 'string') user?: string;
}
`,
    'package.json': '{ "type": "module" }',
    'rows.jsonl': [1, 2]
      .map((day) => `{"page":"/","at":"2026-11-0${day}T00:00:00Z","user":"u"}\n`)
      .join(''),
  });
  try {
    const call = (...args: string[]) => rowsmith(linked, rolled, args);
    expect(call('import', 'Visit', 'rows.jsonl')).toMatchObject({ status: 0 });
    expect(call('derived', 'verify')).toMatchObject({
      status: 0,
      output: expect.stringContaining('Visit, rollups: 2 rows, 2 buckets: no fault') as string,
    });
    const engine = await openEngine(`file:${join(rolled, 'data')}`);
    await engine.dropRowRange('visits_rollup', { kind: 'all' });
    await engine.close();
    const found = call('derived', 'verify', 'Visit', '--max-findings', '1');
    expect(found.status).toBe(3);
    expect(found.output).toContain(
      'missing    daily  {"page":"/","at":"2026-11-01T00:00:00.000Z"}',
    );
    expect(found.output).not.toContain('2026-11-02');
    expect(found.output).toContain('2 rows, 2 buckets: 2 missing; 0 of 2 repaired');
    expect(call('derived', 'repair')).toMatchObject({
      status: 0,
      output: expect.stringContaining('2 missing; 2 of 2 repaired') as string,
    });
    expect(call('derived', 'rebuild')).toMatchObject({
      status: 2,
      output: expect.stringContaining('no entity of the project declares an index') as string,
    });
    // Rows that come again, are corrected and are deleted.
    const first = ['page=/', 'at=2026-11-01T00:00:00Z'];
    const second = ['page=/', 'at=2026-11-02T00:00:00Z'];
    expect(call('import', 'Visit', 'rows.jsonl')).toMatchObject({ status: 0 });
    expect(call('patch', 'Visit', ...first, 'user=v', '--yes')).toMatchObject({ status: 0 });
    expect(call('delete', 'Visit', ...first, '--yes')).toMatchObject({ status: 0 });
    expect(call('derived', 'verify')).toMatchObject({
      status: 0,
      output: expect.stringContaining('Visit, rollups: 1 row, 1 bucket: no fault') as string,
    });
    expect(call('put', 'Visit', ...second, 'user=w', '--yes')).toMatchObject({ status: 0 });
    expect(call('delete', 'Visit', 'page=/', '--yes')).toMatchObject({ status: 0 });
    expect(call('derived', 'verify')).toMatchObject({
      status: 0,
      output: expect.stringContaining('Visit, rollups: 0 rows, 0 buckets: no fault') as string,
    });
  } finally {
    rmSync(rolled, { recursive: true, force: true });
  }
});

test.each([
  [['derived'], 'derived takes list, verify'],
  [['derived', 'check'], 'derived takes list, verify'],
  [['derived', 'list', 'Order'], 'list takes no entity'],
  [['derived', 'drop', 'Order'], 'derived drop ENTITY --index ID'],
  [['derived', 'verify', 'Ordr'], "did you mean 'Order'?"],
  [['derived', 'verify', '--index', 'byEmail'], 'need an entity'],
  [['derived', 'rebuild', 'Order', '--limit', '3'], 'option of verify and repair'],
  [['derived', 'rebuild', 'Order', '--index', 'byEmial'], "did you mean 'byEmail'?"],
  [['derived', 'verify', '--limit', '0'], '--limit takes a whole number above 0'],
  [['derived', 'list', '--url', 'memory:'], 'memory: is empty in every process'],
])('%j is a usage error', (args, text) => {
  expect(run(...args)).toMatchObject({
    status: 2,
    output: expect.stringContaining(text) as string,
  });
});

test('copies: from their declaration to a propagation that is due', async () => {
  const blog = (copied: string): string => `
import { Column, Entity, Segment, copies, copyOf, indexOn, indexes, rowKey } from 'rowsmith';
@Entity({ table: 'authors', families: { m: {} } })
export class Author {
  static readonly key = rowKey('id');
  @Segment('string') id!: string;
  @Column('m', 'string') name?: string;
}
@Entity({ table: 'posts', families: { m: {} } })
export class Post {
  static readonly key = rowKey('id');
  static readonly indexes = indexes({ byAuthor: indexOn('authorId') });
  ${copied}
  @Segment('string') id!: string;
  @Column('m', 'string') authorId?: string;
  @Column('m', 'string') authorName?: string;
}
`;
  const files = {
    'rowsmith.config.ts': "export default { entities: ['./blog.ts'], url: 'file:./data' };",
    'blog.ts': blog(''),
    'package.json': '{ "type": "module" }',
    'authors.jsonl': '{"id":"a","name":"Ann"}\n',
    'posts.jsonl':
      '{"id":"1","authorId":"a"}\n{"id":"2","authorId":"a"}\n{"id":"3","authorId":"b"}\n',
  };
  const folder = makeProject(linked, files);
  const inBlog = (...args: string[]) => rowsmith(linked, folder, args);
  try {
    expect(inBlog('import', 'Author', 'authors.jsonl')).toMatchObject({ status: 0 });
    expect(inBlog('import', 'Post', 'posts.jsonl')).toMatchObject({ status: 0 });
    expect(inBlog('derived', 'propagate')).toMatchObject({
      status: 2,
      output: expect.stringContaining('no entity of the project is the source of a copy') as string,
    });
    const declared =
      "static readonly copies = copies({ authorName: copyOf(() => Author, 'name', { id: 'authorId' }) });";
    writeFileSync(join(folder, 'blog.ts'), blog(declared));
    expect(inBlog('describe', 'Post').output).toContain(
      'copies\n  authorName  Author.name  id = authorId',
    );
    expect(inBlog('derived', 'list').output).not.toContain('pending');
    expect(inBlog('schema', 'apply').output).toContain('create  table authors_copies');
    expect(inBlog('derived', 'verify', 'Post')).toMatchObject({
      status: 3,
      output: expect.stringMatching(
        /^stale copy {2}authorName {2}1\nstale copy {2}authorName {2}2\nPost: 3 rows, 3 entries: 2 stale copy; 0 of 2/,
      ) as string,
    });
    expect(inBlog('derived', 'repair', 'Post')).toMatchObject({ status: 0 });
    expect(inBlog('derived', 'propagate', 'Author').output).toContain('Author: copies of 0 rows');

    // As a program that is stopped before the copies are written.
    const db = await open(`file:${join(folder, 'data')}`, {
      entities: [Author, Post],
      copies: 'manual',
    });
    await db.repository(Author).patch({ id: 'a' }, { name: 'Ann B.' });
    await db.close();
    expect(inBlog('derived', 'list').output).toMatch(
      /\npending {5}Author {"id":"a"} {2}copies since 20\d\d-[-0-9T:.]+Z/,
    );
    const json = inBlog('derived', 'list', '--json').output;
    expect(JSON.parse(json)).toMatchObject({
      copies: [{ entity: 'Author', due: 1, rows: [{ key: { id: 'a' }, done: 0 }] }],
    });
    expect(inBlog('derived', 'propagate')).toMatchObject({
      status: 0,
      output: expect.stringMatching(/^Author: copies of 1 row in 2 rows/) as string,
    });
    expect(inBlog('derived', 'list').output).not.toContain('pending');
    expect(inBlog('derived', 'verify', 'Post')).toMatchObject({ status: 0 });
    expect(inBlog('derived', 'propagate', 'Autor')).toMatchObject({
      status: 2,
      output: expect.stringContaining("did you mean 'Author'?") as string,
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
