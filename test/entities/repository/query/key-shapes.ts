/** Entities with different layouts of keys, rows of them, and their order. */
import { Column, Entity, literal, rowKey, Segment, table } from '../../../../src/index.js';
import fc from '../../../support/fast-check.js';

/**
 * Entities, two of them in one table with interleaved keys: literals of one sort between segments
 * of the other.
 */
const shared = table('shared', { families: { m: {}, n: {} } });

export class Item {
  area!: string;
  name!: string;
  n!: number;
  value?: number;
  note?: string;
}

@Entity({ table: shared })
export class Rising extends Item {
  static readonly key = rowKey(literal('r'), 'area', 'name', 'n');
  @Segment('string', { minLength: 0 }) declare area: string;
  @Segment('string', { minLength: 0 }) declare name: string;
  @Segment('int', { width: 3 }) declare n: number;
  @Column('m', 'double') declare value?: number;
  @Column('n', 'string') declare note?: string;
}

@Entity({ table: shared })
export class Falling extends Item {
  static readonly key = rowKey(literal('r'), 'area', literal('fall'), 'name', 'n', literal('end'));
  @Segment('string', { minLength: 0 }) declare area: string;
  @Segment('string', { minLength: 0 }) declare name: string;
  @Segment('int', { width: 3, order: 'desc' }) declare n: number;
  @Column('m', 'double') declare value?: number;
  @Column('n', 'string') declare note?: string;
}

@Entity({
  table: 'sharded',
  families: { m: {}, n: {} },
  shards: { count: 5, by: ['area', 'name'] },
})
export class Sharded extends Item {
  static readonly key = rowKey('area', 'name', 'n');
  @Segment('string', { minLength: 0 }) declare area: string;
  @Segment('string', { minLength: 0 }) declare name: string;
  @Segment('int', { width: 3 }) declare n: number;
  @Column('m', 'double') declare value?: number;
  @Column('n', 'string') declare note?: string;
}

@Entity({
  table: 'ordered',
  families: { m: {}, n: {} },
  keyFormat: 'ordered',
  shards: { count: 3, by: ['name'] },
})
export class Ordered extends Item {
  static readonly key = rowKey('area', 'name', 'n');
  @Segment('string', { minLength: 0 }) declare area: string;
  @Segment('string', { minLength: 0 }) declare name: string;
  @Segment('int', { width: 3, order: 'desc' }) declare n: number;
  @Column('m', 'double') declare value?: number;
  @Column('n', 'string') declare note?: string;
}

export const entities = [Rising, Falling, Sharded, Ordered];
export const descending = new Set<unknown>([Falling, Ordered]);
const texts = ['', 'a', 'a#', 'a$', 'aa', 'b', '\u00e9', '\u{1F600}', 'fall'];
export const area = fc.constantFrom(...texts.slice(1, 4));
export const name = fc.constantFrom(...texts);
export const n = fc.integer({ min: -4, max: 4 });
export const row = fc
  .record({
    area,
    name,
    n,
    value: fc.option(fc.double({ noNaN: true }), { nil: undefined }),
    note: fc.option(
      fc.string({ maxLength: 3 }).filter((text) => text.isWellFormed()),
      { nil: undefined },
    ),
  })
  .filter(({ value, note }) => value !== undefined || note !== undefined);

/** Orders values of segments as keys do. */
export const order = (a: unknown, b: unknown): number =>
  typeof a === 'string'
    ? Buffer.compare(Buffer.from(a), Buffer.from(b as string))
    : (a as number) - (b as number);

/** The row as a plain object without absent properties. */
export const plain = (row: unknown): object =>
  Object.fromEntries(Object.entries(row as object).filter(([, value]) => value !== undefined));
