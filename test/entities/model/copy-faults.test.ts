/** Faults of copies, with the property and what to write. */
import {
  Column,
  column,
  copies,
  copyOf,
  Counter,
  defineEntity,
  Entity,
  indexOn,
  indexes,
  open,
  revision,
  rollups,
  rowKey,
  RowsmithError,
  Segment,
  uniqueIndexOn,
} from '../../../src/index.js';
import { buildModels } from '../../../src/entities/model/index.js';

@Entity({ table: 'authors', families: { m: {}, c: {} } })
class Author {
  static readonly key = rowKey('tenant', 'id');
  @Segment('string') tenant!: string;
  @Segment('uint') id!: number;
  @Column('m', 'string') name?: string;
  @Column('m', 'string', { default: () => 'none' }) role?: string;
  @Column('m', 'double') score?: number;
  @Counter('c') views?: bigint;
}

interface Parts {
  readonly indexes?: unknown;
  readonly copies?: unknown;
}

const by = { tenant: 'tenant', id: 'authorId' };
const name = copyOf(() => Author, 'name', { tenant: 'tenant', id: 'authorId' });
const byAuthor = indexes({ byAuthor: indexOn('tenant', 'authorId') });

/** The faults of an entity, each as property, problem and fix. */
function faultsOf(parts: Parts): string[] {
  class Post {
    static readonly key = rowKey('tenant', 'id');
    tenant!: string;
    id!: string;
    authorId?: number;
    authorName?: string;
    at?: Date;
    rate?: bigint;
  }
  Object.assign(Post, { indexes: byAuthor, ...parts });
  Segment('string')(Post.prototype, 'tenant');
  Segment('string')(Post.prototype, 'id');
  Column('m', 'uint32')(Post.prototype, 'authorId');
  Column('m', 'string')(Post.prototype, 'authorName');
  Column('m', 'timestamp')(Post.prototype, 'at');
  Counter('m')(Post.prototype, 'rate');
  (Entity({ table: 'posts', families: { m: {} } }) as (c: unknown) => void)(Post);
  try {
    buildModels([Post, Author]);
  } catch (error) {
    if (!(error instanceof RowsmithError)) throw error;
    expect(error.code).toBe('INVALID_DECLARATION');
    const { faults = [] } = error.details;
    return faults.map(({ property, problem, fix }) => `${property} ${problem}: ${fix}`);
  }
  return [];
}

/** The declaration without the checks of the compiler. */
const loose = (source: unknown, property: string, keys: unknown): unknown =>
  (copyOf as unknown as (...args: unknown[]) => unknown)(source, property, keys);
const one = (declared: unknown, property = 'authorName'): string[] =>
  faultsOf({ copies: copies({ [property]: declared } as never) });

test('a correct declaration', () => {
  expect(one(name)).toEqual([]);
});

test.each<[string, () => string[], string]>([
  [
    'copies() is missing',
    () => faultsOf({ copies: { authorName: name } }),
    'not created with copies()',
  ],
  ['copyOf() is missing', () => one({}), 'not created with copyOf()'],
  ['the property is none', () => one(name, 'authorNmae'), "did you mean 'authorName'?"],
  ['the property is no plain column', () => one(name, 'rate'), 'is not a plain column'],
  ['the property is a segment', () => one(name, 'id'), 'is not a plain column'],
  ['the source is no class', () => one(loose(() => undefined, 'name', by)), 'which is not a class'],
  ['the source is a class, not a function', () => one(loose(Author, 'name', by)), 'not a class'],
  ['its property is none', () => one(loose(() => Author, 'nme', by)), "did you mean 'name'?"],
  ['its property is a counter', () => one(loose(() => Author, 'views', by)), 'not a plain column'],
  ['kinds differ', () => one(loose(() => Author, 'score', by)), "'score' of Author double"],
  [
    'a segment is missing',
    () => one(loose(() => Author, 'name', { tenant: 'tenant' })),
    "lacks segment 'id'",
  ],
  [
    'a segment is none',
    () => one(loose(() => Author, 'name', { ...by, x: 'id' })),
    "has no segment 'x'",
  ],
  [
    'a segment has another type',
    () => one(loose(() => Author, 'name', { ...by, id: 'at' })),
    'another type',
  ],
  [
    'it is found by a copy',
    () => one(loose(() => Author, 'name', { ...by, tenant: 'authorName' })),
    'not a segment or plain column',
  ],
  [
    'no index',
    () => faultsOf({ indexes: undefined, copies: copies({ authorName: name }) }),
    "indexes({ byAuthor: indexOn('tenant', 'authorId') })",
  ],
  [
    'an index that leaves rows out',
    () =>
      faultsOf({
        indexes: indexes({ byTime: indexOn('tenant', 'authorId', 'at') }),
        copies: copies({ authorName: name }),
      }),
    "index 'byTime' leaves out rows",
  ],
  [
    'a unique index of copies',
    () =>
      faultsOf({
        indexes: indexes({ ...byAuthor, byName: uniqueIndexOn('authorName') }),
        copies: copies({ authorName: name }),
      }),
    'a segment of a unique index',
  ],
])('%s', (_name, faults, expected) => {
  expect(faults().join('\n')).toContain(expected);
});

test('open needs the source among the entities', async () => {
  @Entity({ table: 'posts', families: { m: {} } })
  class Post {
    static readonly key = rowKey('tenant', 'id');
    static readonly indexes = byAuthor;
    static readonly copies = copies({ authorName: name });
    @Segment('string') tenant!: string;
    @Segment('string') id!: string;
    @Column('m', 'uint32') authorId?: number;
    @Column('m', 'string') authorName?: string;
  }
  await expect(open('memory:', { entities: [Post] })).rejects.toMatchObject({
    code: 'INVALID_ARGUMENT',
    details: { entity: 'Post', property: 'entities' },
  });
  const db = await open('memory:', { entities: [Post, Author] });
  await expect(db.derived.propagate(Post)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
  await expect(db.derived.verify(Author)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
  await db.close();
});

/** The faults of an entity that is found by its row key, and sets columns itself. */
function faultsOfDay(property: 'title' | 'revision', parts: Partial<DayParts> = {}): string[] {
  const { marker = false, rolls = false } = parts;
  const Day = defineEntity(
    class Day {
      tenant = '';
      authorId = 0;
      at = new Date(0);
      title?: string;
      revision?: string;
    },
    {
      table: 'days',
      families: { m: {} },
      marker,
      key: rowKey('tenant', 'authorId', 'at'),
      segments: { tenant: 'string', authorId: 'uint', at: 'timestamp' },
      columns: { title: column('m', 'string'), revision: revision('m') },
      indexes: indexes({ byAuthor: indexOn('tenant', 'authorId') }),
      copies: copies({ [property]: name } as never),
    },
  );
  const daily = { by: ['tenant', { time: 'at', every: '1d' }], values: { n: { count: 'title' } } };
  if (rolls) Object.assign(Day, { rollups: rollups({ daily } as never) });
  try {
    buildModels([Day, Author]);
  } catch (error) {
    if (!(error instanceof RowsmithError)) throw error;
    return (error.details.faults ?? []).map((fault) => `${fault.property} ${fault.problem}`);
  }
  return [];
}

interface DayParts {
  readonly marker: boolean;
  readonly rolls: boolean;
}

test('a row that could have nothing but the copy needs a marker', () => {
  expect(faultsOfDay('title')).toEqual([expect.stringContaining('found by the row key')]);
  expect(faultsOfDay('title', { marker: true })).toEqual([]);
});

test('columns that are set or counted otherwise are no copies', () => {
  const marker = true;
  expect(faultsOfDay('revision', { marker })).toEqual([
    'revision is a copy, and is set with each write',
  ]);
  expect(faultsOfDay('title', { marker, rolls: true })).toEqual([
    expect.stringContaining("rollup 'daily' counts it"),
  ]);
});

test('the table of marks needs a name that Bigtable accepts', () => {
  const table = 't'.repeat(45);
  const Long = defineEntity(
    class Long {
      id = '';
      name?: string;
    },
    {
      table,
      families: { m: {} },
      key: rowKey('id'),
      segments: { id: 'string' },
      columns: { name: column('m', 'string') },
    },
  );
  @Entity({ table: 'notes', families: { m: {} } })
  class Note {
    static readonly key = rowKey('id');
    static readonly indexes = indexes({ byLong: indexOn('longId') });
    static readonly copies = copies({ name: copyOf(() => Long, 'name', { id: 'longId' }) });
    @Segment('string') id!: string;
    @Column('m', 'string') longId?: string;
    @Column('m', 'string') name?: string;
  }
  const thrown = (() => {
    try {
      return buildModels([Long, Note]);
    } catch (error) {
      return error as RowsmithError;
    }
  })();
  expect(thrown).toMatchObject({
    code: 'INVALID_DECLARATION',
    details: {
      faults: [
        { problem: expect.stringContaining(`'${table}_copies', has 52 characters`) as string },
      ],
    },
  });
});
