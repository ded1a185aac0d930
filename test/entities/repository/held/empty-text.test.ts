/** Text in a key has at least one character when it is written, and may be empty anywhere else. */
import { Readable } from 'node:stream';
import {
  bufferedCounters,
  Column,
  Counter,
  Entity,
  open,
  rowKey,
  type RowsmithError,
  Segment,
  table,
} from '../../../../src/index.js';
import { importRows } from '../../../../src/tools/index.js';

const words = table('words', { families: { m: {}, c: {}, a: { aggregate: 'sum' } } });

@Entity({ table: words })
class Word {
  static readonly key = rowKey('lang', 'word');
  @Segment('string') lang!: string;
  @Segment('string') word!: string;
  @Column('m', 'string') text?: string;
  @Counter('c') uses?: bigint;
  @Counter('a') added?: bigint;
}

/** The same table, declared by a program that has rows with empty text. */
@Entity({ name: 'AnyWord', table: words })
class AnyWord {
  static readonly key = rowKey('lang', 'word');
  @Segment('string', { minLength: 0 }) lang!: string;
  @Segment('string', { minLength: 0 }) word!: string;
  @Column('m', 'string') text?: string;
  @Counter('c') uses?: bigint;
  @Counter('a') added?: bigint;
}

const opened = async (Class: typeof Word) => {
  const db = await open('memory:', { entities: [Class] });
  return { db, repository: db.repository(Class) };
};
type Opened = Awaited<ReturnType<typeof opened>>;

const entity = (Class: typeof Word, key: object) => Object.assign(new Class(), { text: 'x' }, key);
const jsonLines = (key: object) =>
  Readable.from([Buffer.from(`${JSON.stringify({ ...key, text: 'x' })}\n`)]);

/** Everything that can make a row, with the key of one. */
const writes: Record<string, (db: Opened, Class: typeof Word, key: Key) => unknown> = {
  create: ({ repository }, _, key) => repository.create({ ...key, text: 'x' }),
  fromJSON: ({ repository }, _, key) => repository.fromJSON({ ...key, text: 'x' }),
  save: ({ repository }, Class, key) => repository.save(entity(Class, key)),
  insert: ({ repository }, Class, key) => repository.insert(entity(Class, key)),
  patch: ({ repository }, _, key) => repository.patch(key, { text: 'x' }),
  'patch that adds': ({ repository }, _, key) => repository.patch(key, {}, { add: { added: 1n } }),
  increment: ({ repository }, _, key) => repository.increment(key, 'uses'),
  'increment of an aggregate': ({ repository }, _, key) => repository.increment(key, 'added'),
  append: ({ repository }, _, key) => repository.append(key, { text: 'x' }),
  saveMany: ({ repository }, Class, key) => first(repository.saveMany([entity(Class, key)])),
  insertMany: ({ repository }, Class, key) => first(repository.insertMany([entity(Class, key)])),
  patchMany: ({ repository }, _, key) =>
    first(repository.patchMany([{ key, changes: { text: 'x' } }])),
  incrementMany: ({ repository }, _, key) =>
    first(repository.incrementMany([{ key, changes: { uses: 1n } }])),
  bufferedCounters: async ({ repository }, _, key) => {
    await using counters = bufferedCounters(repository);
    void counters.add(key, 'uses', 1n);
  },
  importRows: async ({ db, repository }, _, key) => {
    const result = await importRows(db.engine, repository.model, jsonLines(key), {
      format: 'jsonl',
    });
    if (result.rejected > 0) throw Object.assign(new Error(result.reasons[0].reason), rejected);
  },
  'a scope': ({ db }, Class, { lang, word }) =>
    db
      .scope({ lang: lang === '' ? 'en' : lang })
      .repository(Class)
      .patch({ word }, { text: 'x' }),
};
type Key = { lang: string; word: string };
const rejected = { code: 'VALIDATION_FAILED' };

async function first(result: Promise<{ failures: readonly { error: RowsmithError }[] }>) {
  const { failures } = await result;
  if (failures.length > 0) throw failures[0].error;
}

async function codeOf(call: () => unknown): Promise<string> {
  try {
    await call();
    return 'none';
  } catch (error) {
    return (error as RowsmithError).code;
  }
}

const empty = { lang: 'en', word: '' };

test.each(Object.keys(writes))(
  '%s refuses empty text, and minLength: 0 allows it',
  async (name) => {
    const refusing = await opened(Word);
    expect(await codeOf(() => writes[name](refusing, Word, empty))).toBe('VALIDATION_FAILED');
    expect(await refusing.repository.scanAll().count()).toBe(0);
    await refusing.db.close();
    const allowing = await opened(AnyWord);
    expect(await codeOf(() => writes[name](allowing, AnyWord, empty))).toBe('none');
    await allowing.db.close();
  },
);

test('bounds, prefixes, deletions and rows that are read may have it', async () => {
  const { db, repository } = await opened(Word);
  for (const key of [empty, { lang: '', word: 'a' }, { lang: 'en', word: 'a' }])
    await db.engine.mutateRow('words', {
      key: db.repository(Word).model.key.encode(key),
      mutations: [
        {
          kind: 'setCell',
          family: 'm',
          qualifier: Buffer.from('text'),
          timestamp: 1000,
          value: Buffer.from('x'),
        },
      ],
    });
  expect((await repository.scanAll().all()).map(({ lang, word }) => [lang, word])).toEqual([
    ['', 'a'],
    ['en', ''],
    ['en', 'a'],
  ]);
  expect(await repository.prefix({ lang: '' }).count()).toBe(1);
  expect(await repository.prefixes([{ lang: '' }]).count()).toBe(1);
  expect(await repository.between('lang', '', 'en').count()).toBe(1);
  expect(await repository.prefix({ lang: 'en' }).between('word', '', 'a').count()).toBe(1);
  expect(await repository.prefix({ lang: 'en' }).since('word', '').count()).toBe(2);
  expect(await repository.prefix({ lang: 'en' }).until('word', '').count()).toBe(0);
  expect(await repository.prefix({ lang: 'en' }).startsWith('word', '').count()).toBe(2);
  expect(await repository.prefix({ lang: 'en' }).oneOf('word', ['', 'b']).count()).toBe(1);
  expect(await repository.scanAll().where({ word: '' }).count()).toBe(1);
  expect(await repository.get(empty)).toMatchObject(empty);
  expect(await repository.getMany([empty])).toHaveLength(1);
  expect(await repository.exists(empty)).toBe(true);
  expect(await repository.history(empty, 'text')).toHaveLength(1);
  await repository.delete(empty);
  await repository.deleteMany([{ lang: '', word: 'a' }]);
  expect(await repository.scanAll().count()).toBe(1);
  await db.close();
});

test('a scope of empty text is refused, also where rows may have it', async () => {
  const { db } = await opened(AnyWord);
  expect(() => db.scope({ lang: '' })).toThrow(
    expect.objectContaining({
      code: 'INVALID_ARGUMENT',
      details: expect.objectContaining({ property: 'lang' }),
    }),
  );
  await db.close();
});
