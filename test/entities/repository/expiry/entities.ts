/** Entities with rows that name the time of their end. */
import {
  Column,
  ColumnMap,
  CreatedAt,
  Entity,
  indexes,
  indexOn,
  literal,
  maxAge,
  maxVersions,
  Revision,
  rowKey,
  Segment,
  union,
  uniqueIndexOn,
} from '../../../../src/index.js';

export const hour = 3_600_000;
export const start = Date.UTC(2026, 10, 27);

export const at = (hours: number): Date => new Date(start + hours * hour);

const families = {
  s: { gc: maxAge('1d') },
  m: { gc: union(maxAge('1d'), maxVersions(1)) },
  n: {},
};

/** Names it in a column. */
@Entity({ table: 'sessions', families, expiresAt: 'until' })
export class Session {
  static readonly key = rowKey(literal('session'), 'id');
  static readonly indexes = indexes({
    byUser: indexOn('user').including('note'),
    byToken: uniqueIndexOn('token'),
    byNote: indexOn('user', { segment: 'note', kind: 'string', nullable: true }),
  });
  @Segment('string', { maxLength: 20 }) id!: string;
  @Column('s', 'timestamp') until!: Date;
  @Column('s', 'string') user?: string;
  @Column('s', 'string') token?: string;
  @Column('s', 'string') note?: string;
  @ColumnMap('m', 'string') marks?: Map<string, string>;
}

/** Shares its table, and does not end. */
@Entity({ table: 'sessions', families })
export class Kept {
  static readonly key = rowKey(literal('kept'), 'id');
  @Segment('string', { maxLength: 20 }) id!: string;
  @Column('n', 'string') text?: string;
}

/** Names it in its key. */
@Entity({ table: 'slots', families: { s: { gc: maxAge('1h') } }, expiresAt: 'end', marker: true })
export class Slot {
  static readonly key = rowKey('room', 'end');
  static readonly indexes = indexes({ byGuest: indexOn('guest') });
  @Segment('string', { maxLength: 20 }) room!: string;
  @Segment('timestamp') end!: Date;
  @Column('s', 'string') guest?: string;
  @Column('s', 'string') note?: string;
}

/** Is changed on a condition. */
@Entity({ table: 'drafts', families: { s: { gc: maxAge('2h') } }, expiresAt: 'until' })
export class Draft {
  static readonly key = rowKey('id');
  @Segment('string', { maxLength: 20 }) id!: string;
  @Column('s', 'timestamp') until!: Date;
  @Column('s', 'string') text?: string;
  @CreatedAt('s') created?: Date;
  @Revision('s') revision?: string;
}

const people = { s: { gc: maxAge('6h') }, n: {} };

@Entity({ table: 'people', families: people })
export class Profile {
  static readonly key = rowKey('user');
  @Segment('string', { maxLength: 20 }) user!: string;
  @Column('n', 'string') name?: string;
}

/** Can be read together with its profile. */
@Entity({ table: 'people', families: people, expiresAt: 'until' })
export class Visit {
  static readonly key = rowKey('user', literal('visit'), 'id');
  @Segment('string', { maxLength: 20 }) user!: string;
  @Segment('string', { maxLength: 20 }) id!: string;
  @Column('s', 'timestamp') until!: Date;
  @Column('s', 'int32') pages?: number;
}
