/** Entities that share a table and the first segments of their keys, in several layouts. */
import {
  Column,
  Counter,
  Entity,
  literal,
  rowKey,
  Segment,
  table,
  type Version,
  Versions,
} from '../../../../src/index.js';

const inbox = table('inbox', { families: { m: {}, c: {}, h: {} } });

@Entity({ table: inbox })
export class Profile {
  static readonly key = rowKey('user');
  @Segment('string') user!: string;
  @Column('m', 'string') name?: string;
}

@Entity({ table: inbox })
export class Unread {
  static readonly key = rowKey('user', literal('count'), 'folder');
  @Segment('string') user!: string;
  @Segment('string') folder!: string;
  @Counter('c') count?: bigint;
}

@Entity({ table: inbox })
export class Message {
  static readonly key = rowKey('user', literal('message'), 'at');
  @Segment('string') user!: string;
  @Segment('timestamp', { order: 'desc' }) at!: Date;
  @Column('m', 'string') subject?: string;
  @Versions('h', 'string') edits?: Version<string>[];
}

const fleet = table('fleet', { families: { m: {}, r: {} } });

@Entity({ table: fleet })
export class Device {
  static readonly key = rowKey('tenant', 'device');
  @Segment('string') tenant!: string;
  @Segment('string') device!: string;
  @Column('m', 'string') label?: string;
}

@Entity({ table: fleet })
export class Reading {
  static readonly key = rowKey('tenant', 'device', 'n');
  @Segment('string') tenant!: string;
  @Segment('string') device!: string;
  @Segment('uint', { max: 99_999, order: 'desc' }) n!: number;
  @Column('r', 'double') value?: number;
}

@Entity({ table: fleet })
export class Alarm {
  static readonly key = rowKey('tenant', 'device', literal('alarm'), 'n');
  @Segment('string') tenant!: string;
  @Segment('string') device!: string;
  @Segment('uint', { max: 99_999 }) n!: number;
  @Column('m', 'string') text?: string;
}

const spread = table('spread_fleet', { families: { m: {} } });
const shards = { count: 2, by: ['device'] } as const;

@Entity({ table: spread, shards })
export class SpreadDevice {
  static readonly key = rowKey('tenant', 'device');
  @Segment('string') tenant!: string;
  @Segment('string') device!: string;
  @Column('m', 'string') label?: string;
}

@Entity({ table: spread, shards })
export class SpreadReading {
  static readonly key = rowKey('tenant', 'device', 'n');
  @Segment('string') tenant!: string;
  @Segment('string') device!: string;
  @Segment('uint', { max: 99_999, order: 'desc' }) n!: number;
  @Column('m', 'double') value?: number;
}

@Entity({ table: spread, shards })
export class SpreadAlarm {
  static readonly key = rowKey('tenant', 'device', literal('alarm'), 'n');
  @Segment('string') tenant!: string;
  @Segment('string') device!: string;
  @Segment('uint', { max: 99_999 }) n!: number;
  @Column('m', 'string') text?: string;
}

const ordered = table('ordered_fleet', { families: { m: {}, r: {} } });
const keyFormat = 'ordered' as const;

@Entity({ table: ordered, keyFormat })
export class OrderedDevice {
  static readonly key = rowKey(literal('d'), 'tenant', 'device', literal('a'));
  @Segment('string') tenant!: string;
  @Segment('string') device!: string;
  @Column('m', 'string') label?: string;
}

@Entity({ table: ordered, keyFormat })
export class OrderedReading {
  static readonly key = rowKey(literal('d'), 'tenant', 'device', literal('b'), 'n');
  @Segment('string') tenant!: string;
  @Segment('string') device!: string;
  @Segment('uint', { max: 99_999, order: 'desc' }) n!: number;
  @Column('r', 'double') value?: number;
}

@Entity({ table: ordered, keyFormat })
export class OrderedAlarm {
  static readonly key = rowKey(literal('d'), 'tenant', 'device', literal('0'), 'n');
  @Segment('string') tenant!: string;
  @Segment('string') device!: string;
  @Segment('uint', { max: 99_999 }) n!: number;
  @Column('m', 'string') text?: string;
}

export const layouts = [
  { layout: 'text', device: Device, readings: Reading, alarms: Alarm },
  { layout: 'sharded', device: SpreadDevice, readings: SpreadReading, alarms: SpreadAlarm },
  { layout: 'ordered', device: OrderedDevice, readings: OrderedReading, alarms: OrderedAlarm },
];
export const entities = [
  Profile,
  Unread,
  Message,
  ...layouts.flatMap(({ device, readings, alarms }) => [device, readings, alarms]),
];

/** Entities that cannot be read together. */
@Entity({ table: 'elsewhere', families: { m: {} } })
export class Elsewhere {
  static readonly key = rowKey('tenant', 'device');
  @Segment('string') tenant!: string;
  @Segment('string') device!: string;
  @Column('m', 'string') label?: string;
}

const numbers = table('numbers', { families: { m: {} } });

@Entity({ table: numbers })
export class Numbered {
  static readonly key = rowKey('tenant', 'device', literal('x'));
  @Segment('string') tenant!: string;
  @Segment('uint') device!: number;
  @Column('m', 'string') label?: string;
}

@Entity({ table: numbers })
export class Lettered {
  static readonly key = rowKey('tenant', 'device', literal('y'));
  @Segment('string', { lower: true }) tenant!: string;
  @Segment('string') device!: string;
  @Column('m', 'string') label?: string;
}

@Entity({ table: numbers })
export class Started {
  static readonly key = rowKey(literal('s'), 'tenant', 'device', 'n');
  @Segment('string') tenant!: string;
  @Segment('string') device!: string;
  @Segment('uint') n!: number;
  @Column('m', 'string') label?: string;
}

export const strangers = [Elsewhere, Numbered, Lettered, Started];
