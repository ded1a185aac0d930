/** The rows that only TypeScript may write, and the reason that the writers of each language give. */
import { z } from 'zod';
import {
  Column,
  copies,
  copyOf,
  Entity,
  Field,
  indexes,
  indexOn,
  Message,
  Packed,
  Revision,
  rollups,
  rowKey,
  Segment,
} from '../../../../src/index.js';
import { buildModels, type EntityModel } from '../../../../src/entities/model/index.js';
import { generators } from '../../../../src/tools/codegen/index.js';

@Entity({ table: 'authors', families: { m: {} } })
class Author {
  static readonly key = rowKey('id');
  @Segment('string', { maxLength: 40 }) id!: string;
  @Column('m', 'string') name?: string;
}

@Entity({ table: 'posts', families: { m: {} } })
class Post {
  static readonly key = rowKey('id');
  static readonly indexes = indexes({ byAuthor: indexOn('author') });
  static readonly copies = copies({ authorName: copyOf(() => Author, 'name', { id: 'author' }) });
  @Segment('string', { maxLength: 40 }) id!: string;
  @Column('m', 'string') author?: string;
  @Column('m', 'string') authorName?: string;
}

@Entity({ table: 'readings', families: { m: {} } })
class Reading {
  static readonly key = rowKey('device', 'at');
  static readonly rollups = rollups({
    hourly: { by: ['device', { time: 'at', every: '1h' }], values: { count: 'count' } },
  });
  @Segment('string', { maxLength: 40 }) device!: string;
  @Segment('timestamp') at!: Date;
  @Column('m', 'double') temperature?: number;
}

@Message('unwritable.Numbered')
class Numbered {
  @Field(1, 'uint32') version?: number;
}

@Entity({ table: 'accounts', families: { m: {} } })
class Account {
  static readonly key = rowKey('id');
  @Segment('string', { maxLength: 40 }) id!: string;
  @Column('m', 'string') owner?: string;
  @Revision('m') revision?: string;
}

@Entity({ table: 'hooked', families: { m: {} } })
class Hooked {
  static readonly key = rowKey('id');
  static beforeWrite(): void {
    // Nothing is changed.
  }
  @Segment('string', { maxLength: 40 }) id!: string;
  @Column('m', 'string', { schema: z.string().min(2) }) name?: string;
}

@Message('unwritable.Plain')
class Plain {
  @Field(1, 'string') name?: string;
}

/** Every language writes the version of today. */
@Entity({ table: 'versioned', families: { m: {} } })
class Versioned {
  static readonly key = rowKey('id');
  @Segment('string', { maxLength: 40 }) id!: string;
  @Packed('m', () => Numbered, { version: 'version', upgrades: { 1: (stored) => stored } })
  message?: Numbered;
}

@Entity({ table: 'plain', families: { m: {} } })
class Simple {
  static readonly key = rowKey('id');
  @Segment('string', { maxLength: 40 }) id!: string;
  @Packed('m', () => Plain) message?: Plain;
}

const models = buildModels([Author, Post, Reading, Account, Hooked, Versioned, Simple]);

const reasons: Readonly<Record<string, readonly string[]>> = {
  Author: ['Post copies its values'],
  Post: ["a write must change the entries of the index 'byAuthor'", 'it copies values of Author'],
  Reading: ["a write must change the rows of the rollup 'hourly'"],
  Account: ["Rowsmith sets 'revision' with each write"],
  Hooked: [
    'beforeWrite is a function of TypeScript',
    "the schema of zod checks the values of 'name'",
  ],
  Versioned: [],
  Simple: [],
};

async function sourceOf(language: string, model: EntityModel, unsafe: boolean): Promise<string> {
  const generator = generators.find(({ name }) => name === language)!;
  const files = await generator.generate({ models, unsafeWriters: unsafe });
  const file = new RegExp(`/${model.name}\\.(py|go|java)$`, 'i');
  // Text is broken over lines.
  return String(files.find(({ path }) => file.test(path))!.content).replace(/"\s*\+?\s*"/g, '');
}

describe.each(['python', 'go', 'java'])('%s', (language) => {
  test.each(models.map((model) => [model.name, model] as const))('%s', async (name, model) => {
    const source = await sourceOf(language, model, false);
    for (const reason of reasons[name]) expect(source).toContain(reason);
    const refuses = /NoReturn:|refuseWriter\(|Rows\.unwritable\(/;
    if (reasons[name].length === 0) expect(source).not.toMatch(refuses);
    else expect(source).toMatch(refuses);
    expect(await sourceOf(language, model, true)).not.toMatch(refuses);
  });
});
