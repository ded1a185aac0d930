/**
 * Wrong uses, each of which must fail twice: the compiler refuses the line (its words are
 * test/golden/compile-errors.txt), and the same call made from JavaScript throws a RowsmithError. This
 * file therefore does not compile, and is left out of every tsconfig.
 */
import {
  accessPatterns,
  Column,
  ColumnMap,
  Counter,
  Entity,
  Field,
  Message,
  Packed,
  Segment,
  Versions,
  defineEntity,
  column,
  describe as describeEntity,
  literal,
  maxVersions,
  rowKey,
} from '../../src/index.js';
import type { Database, Repository, Version } from '../../src/index.js';

@Message('mistakes.Position')
export class Position {
  @Field(1, 'double') lat?: number;
  @Field(2, 'double') lon?: number;
}

@Entity({ table: 'mistakes', families: { m: { gc: maxVersions(1) }, s: {}, h: {}, c: {} } })
export class Reading {
  static readonly key = rowKey(literal('reading'), 'tenant', 'device', 'at');
  static readonly patterns = accessPatterns({
    latestOfDevice: { prefix: ['tenant', 'device'], limit: 1 },
    ofDay: { prefix: ['tenant', 'device'], between: 'at' },
  });
  @Segment('string') tenant!: string;
  @Segment('string') device!: string;
  @Segment('timestamp', { order: 'desc' }) at!: Date;
  @Column('m', 'double') temperature?: number;
  @Column('m', 'string') note?: string;
  @Packed('s', () => Position) position?: Position;
  @Versions('h', 'double') history?: Version<number>[];
  @Counter('c') hits?: bigint;
}

export interface World {
  readonly db: Database;
  readonly readings: Repository<Reading, typeof Reading.key, typeof Reading.patterns>;
}

/** A wrong use. `run` may throw or reject. */
export interface Mistake {
  readonly name: string;
  readonly run: (world: World) => unknown;
}

const at = new Date(Date.UTC(2026, 10, 20));
const key = { tenant: 'acme', device: 'd1', at };
const mistake = (name: string, run: (world: World) => unknown): Mistake => ({ name, run });

export const queryMistakes: readonly Mistake[] = [
  mistake('a prefix with a gap', ({ readings }) => readings.prefix({ device: 'd1' })),
  mistake('a prefix with the last segment', ({ readings }) =>
    readings.prefix({ tenant: 'acme', device: 'd1', at }),
  ),
  mistake('a prefix with a value of the wrong type', ({ readings }) =>
    readings.prefix({ tenant: 5 }),
  ),
  mistake('a prefix with a misspelt segment', ({ readings }) =>
    readings.prefix({ tenent: 'acme' }),
  ),
  mistake('a prefix with a column', ({ readings }) =>
    readings.prefix({ tenant: 'acme', temperature: 20 }),
  ),
  mistake('an empty prefix', ({ readings }) => readings.prefix({})),
  mistake('a prefix widened by undefined', ({ readings }) =>
    readings.prefix({ tenant: undefined }),
  ),
  mistake('a range on a segment after a gap', ({ readings }) =>
    readings.prefix({ tenant: 'acme' }).between('at', at, at),
  ),
  mistake('a range with values of the wrong type', ({ readings }) =>
    readings.prefix({ tenant: 'acme', device: 'd1' }).between('at', '2026', '2027'),
  ),
  mistake('a range on a segment that is already fixed', ({ readings }) =>
    readings.prefix({ tenant: 'acme' }).since('tenant', 'b'),
  ),
  mistake('a range on a column', ({ readings }) =>
    readings.prefix({ tenant: 'acme', device: 'd1' }).since('temperature', 20),
  ),
  mistake('startsWith on a timestamp', ({ readings }) =>
    readings.prefix({ tenant: 'acme', device: 'd1' }).startsWith('at', '2026'),
  ),
  mistake('startsWith with a number', ({ readings }) =>
    readings.prefix({ tenant: 'acme' }).startsWith('device', 5),
  ),
  mistake('a root range that is not on the first segment', ({ readings }) =>
    readings.between('device', 'a', 'b'),
  ),
  mistake('a second bound', ({ readings }) =>
    readings.prefix({ tenant: 'acme' }).since('device', 'a').until('device', 'b'),
  ),
  mistake('get with an incomplete key', ({ readings }) => readings.get({ tenant: 'acme' })),
  mistake('get with a wrong value', ({ readings }) =>
    readings.get({ tenant: 'acme', device: 'd1', at: '2026-11-20' }),
  ),
  mistake('get with text for a key', ({ readings }) => readings.get('acme#d1')),
  mistake('a limit that is text', ({ readings }) => readings.scanAll().limit('10')),
  mistake('select of an unknown property', ({ readings }) =>
    readings.scanAll().select('temperatur'),
  ),
  mistake('asOf with a number', ({ readings }) => readings.scanAll().asOf(5)),
  mistake('a page without a size', ({ readings }) => readings.scanAll().page({})),
  mistake('a number for a cursor', ({ readings }) =>
    readings.scanAll().page({ size: 10, after: 5 }),
  ),
  mistake('create without a segment', ({ readings }) =>
    readings.create({ tenant: 'acme', device: 'd1' }),
  ),
  mistake('create with a misspelt property', ({ readings }) =>
    readings.create({ ...key, temprature: 20 }),
  ),
  mistake('saving something else', ({ readings }) => readings.save({ tenant: 'acme' })),
  mistake('patch of a column with a wrong type', ({ readings }) =>
    readings.patch(key, { temperature: 'warm' }),
  ),
  mistake('patch of a segment', ({ readings }) => readings.patch(key, { tenant: 'b' })),
  mistake('increment of a column that is no counter', ({ readings }) =>
    readings.increment(key, 'temperature', 1n),
  ),
  mistake('increment by a number', ({ readings }) => readings.increment(key, 'hits', 1)),
  mistake('append to a number', ({ readings }) => readings.append(key, 'temperature', 1)),
  mistake('history of a segment', ({ readings }) => readings.history(key, 'tenant')),
  mistake('deletePrefix with a gap', ({ readings }) => readings.deletePrefix({ device: 'd1' })),
  mistake('a condition on a misspelt column', ({ readings }) =>
    readings.delete(key, { if: { equals: { temprature: 20 } } }),
  ),
  mistake('an access pattern without a value of its prefix', ({ readings }) =>
    readings.patterns.latestOfDevice({ tenant: 'acme' }),
  ),
  mistake('an access pattern with a value too many', ({ readings }) =>
    readings.patterns.latestOfDevice({ tenant: 'acme', device: 'd1', at }),
  ),
  mistake('an access pattern with one end of its range', ({ readings }) =>
    readings.patterns.ofDay({ tenant: 'acme', device: 'd1', at }),
  ),
  mistake('a repository of a class that is no entity', ({ db }) => db.repository(Position)),
];

export const declarationMistakes: readonly Mistake[] = [
  mistake('a key that names no property', () => {
    @Entity({ table: 'd1', families: { m: {} } })
    class D1 {
      static readonly key = rowKey('tenant', 'devise');
      @Segment('string') tenant!: string;
      @Segment('string') device!: string;
      @Column('m', 'double') t?: number;
    }
    describeEntity(D1);
  }),
  mistake('no key', () => {
    @Entity({ table: 'd2', families: { m: {} } })
    class D2 {
      @Segment('string') tenant!: string;
      @Column('m', 'double') t?: number;
    }
    describeEntity(D2);
  }),
  mistake('a key that is not from rowKey', () => {
    @Entity({ table: 'd3', families: { m: {} } })
    class D3 {
      static readonly key = ['tenant'];
      @Segment('string') tenant!: string;
      @Column('m', 'double') t?: number;
    }
    describeEntity(D3);
  }),
  mistake('a misspelt segment kind', () => {
    @Entity({ table: 'd4', families: { m: {} } })
    class D4 {
      static readonly key = rowKey('at');
      @Segment('time') at!: Date;
      @Column('m', 'double') t?: number;
    }
    describeEntity(D4);
  }),
  mistake('a misspelt column kind', () => {
    @Entity({ table: 'd5', families: { m: {} } })
    class D5 {
      static readonly key = rowKey('id');
      @Segment('string') id!: string;
      @Column('m', 'number') t?: number;
    }
    describeEntity(D5);
  }),
  mistake('a segment option of the wrong type', () => {
    @Entity({ table: 'd6', families: { m: {} } })
    class D6 {
      static readonly key = rowKey('n');
      @Segment('uint', { width: 'ten' }) n!: number;
      @Column('m', 'double') t?: number;
    }
    describeEntity(D6);
  }),
  mistake('a table without a name', () => {
    @Entity({ families: { m: {} } })
    class D7 {
      static readonly key = rowKey('id');
      @Segment('string') id!: string;
      @Column('m', 'double') t?: number;
    }
    describeEntity(D7);
  }),
  mistake('a field number that is text', () => {
    @Message('D8')
    class Bad {
      @Field('1', 'double') t?: number;
    }
    @Entity({ table: 'd8', families: { m: {} } })
    class D8 {
      static readonly key = rowKey('id');
      @Segment('string') id!: string;
      @Packed('m', () => Bad) bad?: Bad;
    }
    describeEntity(D8);
  }),
  mistake('defineEntity with a key that names no property', () => {
    class D9 {
      id!: string;
      t?: number;
    }
    describeEntity(
      defineEntity(D9, {
        table: 'd9',
        families: { m: {} },
        key: rowKey('ident'),
        segments: { id: 'string' },
        columns: { t: column('m', 'double') },
      }),
    );
  }),
  mistake('a column map with a misspelt value kind', () => {
    @Entity({ table: 'd10', families: { m: {} } })
    class D10 {
      static readonly key = rowKey('id');
      @Segment('string') id!: string;
      @ColumnMap('m', 'dobule') t?: Map<string, number>;
    }
    describeEntity(D10);
  }),
  mistake('an access pattern with a gap', () => {
    @Entity({ table: 'd11', families: { m: {} } })
    class D11 {
      static readonly key = rowKey('tenant', 'device', 'at');
      static readonly patterns = accessPatterns({ latest: { prefix: ['device'], limit: 1 } });
      @Segment('string') tenant!: string;
      @Segment('string') device!: string;
      @Segment('timestamp') at!: Date;
      @Column('m', 'double') t?: number;
    }
    describeEntity(D11);
  }),
  mistake('an access pattern with a misspelt segment', () => {
    @Entity({ table: 'd12', families: { m: {} } })
    class D12 {
      static readonly key = rowKey('id', 'at');
      static readonly patterns = accessPatterns({ latest: { prefix: ['ident'] } });
      @Segment('string') id!: string;
      @Segment('timestamp') at!: Date;
      @Column('m', 'double') t?: number;
    }
    describeEntity(D12);
  }),
  mistake('an access pattern that is a full scan without its name', () => {
    class D13 {
      id!: string;
      t?: number;
    }
    describeEntity(
      defineEntity(D13, {
        table: 'd13',
        families: { m: {} },
        key: rowKey('id'),
        segments: { id: 'string' },
        columns: { t: column('m', 'double') },
        patterns: accessPatterns({ some: { limit: 10 } }),
      }),
    );
  }),
];
