/** Readings with and without what follows from them, and the rows that are written by hand. */
import { Column, Entity, Segment } from '../../../decorators/index.js';
import {
  indexOn,
  indexes,
  literal,
  maxVersions,
  rollups,
  rowKey,
  uniqueIndexOn,
} from '../../../src/index.js';

const families = { m: { gc: maxVersions(1) } };
const hourly = {
  by: ['device', { time: 'at', every: '1h' }],
  values: { count: 'count', items: { sum: 'items' }, most: { max: 'items' } },
} as const;

@Entity({ table: 'plain', families })
export class Plain {
  static readonly key = rowKey('device', 'at');
  @Segment('string') device!: string;
  @Segment('timestamp') at!: Date;
  @Column('m', 'string') status?: string;
  @Column('m', 'string') email?: string;
  @Column('m', 'int32') items?: number;
}

@Entity({ table: 'rolled', families })
export class Rolled extends Plain {
  static readonly rollups = rollups({ hourly });
}

@Entity({ table: 'indexed', families })
export class Indexed extends Plain {
  static readonly indexes = indexes({ byStatus: indexOn('status', 'at') });
}

@Entity({ table: 'unique', families })
export class Unique extends Plain {
  static readonly indexes = indexes({ byEmail: uniqueIndexOn('email') });
}

/** Entries of `byStatus`, as they are written by hand. */
@Entity({ table: 'by_hand', families })
export class StatusEntry {
  static readonly key = rowKey(literal('status'), 'status', 'at', 'device');
  @Segment('string') status!: string;
  @Segment('timestamp') at!: Date;
  @Segment('string') device!: string;
  @Column('m', 'bool') exists?: boolean;
}

/** Entries of `byEmail`, as they are written by hand. */
@Entity({ table: 'by_hand', families })
export class EmailEntry {
  static readonly key = rowKey(literal('email'), 'email');
  @Segment('string') email!: string;
  @Column('m', 'string') device?: string;
  @Column('m', 'timestamp') at?: Date;
}

export const entities = [Plain, Rolled, Indexed, Unique, StatusEntry, EmailEntry];

const start = Date.UTC(2026, 0, 1);
const hourMillis = 3_600_000;

/** Reading `n` of a device, in an hour of its own for each `hour`. */
export function valuesOf(device: string, hour: number, n: number) {
  const at = new Date(start + hour * hourMillis + n);
  const status = ['open', 'paid', 'sent'][n % 3];
  return { device, at, status, email: `${device}-${hour}-${n}@example.org`, items: n % 100 };
}
