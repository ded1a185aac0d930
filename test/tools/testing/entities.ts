/** Entities for the tests of rowsmith/testing. */
import {
  Column,
  ColumnMap,
  Counter,
  Entity,
  Field,
  maxAge,
  maxVersions,
  Message,
  Packed,
  rowKey,
  Segment,
  aggregate,
  type Version,
  Versions,
} from '../../../src/index.js';

@Message('kit.Status')
export class Status {
  @Field(1, 'string') firmware?: string;
  @Field(2, 'int64') uptime?: bigint;
}

@Entity({
  table: 'kit',
  families: {
    m: { gc: maxVersions(3) },
    old: { gc: maxAge('1h') },
    t: {},
    h: {},
    c: {},
    a: aggregate('sum'),
  },
})
export class Reading {
  static readonly key = rowKey('tenant', 'device', 'at');
  @Segment('string') tenant!: string;
  @Segment('string') device!: string;
  @Segment('timestamp') at!: Date;
  @Column('m', 'double') value?: number;
  @Column('m', 'float') rough?: number;
  @Column('m', 'bytes') raw?: Uint8Array;
  @Column('m', 'int64') big?: bigint;
  @Column('m', 'timestamp') seen?: Date;
  @Column('old', 'string') note?: string;
  @Packed('m', () => Status) status?: Status;
  @ColumnMap('t', 'string') tags?: Map<string, string>;
  @Versions('h', 'string') history?: Version<string>[];
  @Counter('c') hits?: bigint;
  @Counter('a') total?: bigint;

  /** Not mapped. */
  scratch?: string;
}

@Entity({ table: 'visits', families: { c: {} } })
export class Visits {
  static readonly key = rowKey('page');
  @Segment('string') page!: string;
  @Counter('c') count?: bigint;
}

/** The row of a device at a minute of 2026-01-01. */
export const at = (minute: number): Date => new Date(Date.UTC(2026, 0, 1, 0, minute));
export const keyOf = (
  minute: number,
  device = 'd1',
): { tenant: string; device: string; at: Date } => ({ tenant: 'acme', device, at: at(minute) });
export const readingsOf = (
  count: number,
  device = 'd1',
): { tenant: string; device: string; at: Date; value: number }[] =>
  Array.from({ length: count }, (_, minute) => ({ ...keyOf(minute, device), value: minute }));
