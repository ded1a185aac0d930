/** Two entities interleaved in one table, once in plain keys and once in shards, and their rows. */
import {
  Column,
  ColumnMap,
  Counter,
  type Database,
  Entity,
  literal,
  maxAge,
  maxVersions,
  rowKey,
  Segment,
  aggregate,
  table,
  Versions,
  type Version,
} from '../../../../src/index.js';

const families = {
  m: { gc: maxVersions(1) },
  d: {},
  p: { gc: maxVersions(1) },
  q: {},
  c: aggregate('sum'),
  v: { gc: maxVersions(3) },
  e: { gc: maxAge('1h') },
};
const plain = table('plain', { families });
const spread = table('spread', { families });
const shards = { count: 3, by: ['tenant', 'device'] } as const;

/** The key and the columns of an event. */
export class EventBase {
  static readonly key = rowKey('tenant', 'device', literal('e'), 'at');
  @Segment('string') tenant!: string;
  @Segment('string') device!: string;
  @Segment('timestamp', { order: 'desc' }) at!: Date;
  @Column('m', 'double') value?: number;
  @Column('m', 'int64') big?: bigint;
  @Column('d', 'string', { default: 'open' }) status?: string;
  @Column('d', 'string', { alsoReads: ['old'] }) name?: string;
  @Column('d', 'bool') mark?: boolean;
  @Column('e', 'string') brief?: string;
  @ColumnMap('p', 'double', { qualifiers: 'uint', max: 99, order: 'desc' }) prices?: Map<
    number,
    number
  >;
  @ColumnMap('q', 'int64') tags?: Map<string, bigint>;
  @Counter('c') views?: bigint;
  @Versions('v', 'double') history?: Version<number>[];
}

/** A wide row of readings. */
export class HourBase {
  static readonly key = rowKey('tenant', 'device', literal('h'), 'hour');
  @Segment('string') tenant!: string;
  @Segment('string') device!: string;
  hour!: Date;
  @Column('m', 'string') unit?: string;
  readings?: Map<Date, number>;
}

@Entity({ table: plain })
export class PlainEvent extends EventBase {}

@Entity({ table: plain })
export class PlainHour extends HourBase {
  @Segment('timestamp', { floor: 'hour' }) declare hour: Date;
  @ColumnMap('p', 'double', { qualifiers: 'timestamp' }) declare readings?: Map<Date, number>;
}

@Entity({ table: spread, shards })
export class SpreadEvent extends EventBase {}

@Entity({ table: spread, shards })
export class SpreadHour extends HourBase {
  @Segment('timestamp', { floor: 'hour', order: 'desc' }) declare hour: Date;
  @ColumnMap('p', 'double', { qualifiers: 'timestamp', order: 'desc' }) declare readings?: Map<
    Date,
    number
  >;
}

export const entities = [PlainEvent, PlainHour, SpreadEvent, SpreadHour];

export const tenants = ['a', 'b', 'a#'];
export const devices = ['d1', 'd2', 'd', 'x'];
const start = Date.UTC(2026, 10, 20);
export const quarter = (n: number): Date => new Date(start + n * 900_000);

/** A number that depends on the arguments only. */
function hash(...parts: readonly number[]): number {
  return parts.reduce((sum, part) => Math.imul(sum ^ (part + 0x9e37), 0x85eb_ca6b) >>> 7, 17);
}

/**
 * Fills the tables; the rows are the same in every database. Some are written with a clock that
 * `setBack` has set back, and some again later. Returns a time between.
 */
export async function fillRows(db: Database, setBack: (hours: number) => void): Promise<Date> {
  const old = new TextEncoder();
  for (const old2 of [true, false]) {
    setBack(old2 ? 2 : 0);
    for (const [Event, Hour] of [
      [PlainEvent, PlainHour],
      [SpreadEvent, SpreadHour],
    ] as const) {
      const events = db.repository(Event);
      const hours = db.repository(Hour);
      for (const [t, tenant] of tenants.entries())
        for (const [d, device] of devices.entries())
          for (let n = 0; n < 6; n++) {
            const h = hash(t, d, n);
            if ((h % 3 === 0) !== old2 && h % 7 !== 0) continue;
            if (h % 5 === 0) continue;
            const key = { tenant, device, at: quarter(n * (1 + (h % 3))) };
            if (h % 11 !== 0)
              await events
                .save(
                  Object.assign(new Event(), key, {
                    value: h % 4 === 0 ? undefined : (h % 9) / 2,
                    big: h % 6 === 0 ? undefined : BigInt(h % 8) * 2n ** 60n,
                    status: [undefined, 'open', 'failed'][h % 3],
                    name: h % 5 === 1 ? undefined : `n${h % 4}`,
                    mark: h % 8 === 3 ? undefined : h % 2 === 0,
                    brief: h % 3 === 1 ? 'brief' : undefined,
                    prices: mapOf(h % 5, (i) => [(i * 7 + h) % 100, i / 2]),
                    tags: mapOf((h >> 3) % 4, (i) => [['a', 'ab', '__proto__', ''][i], BigInt(i)]),
                    history: [1, 2, 3].slice(h % 4).map((i) => ({ at: quarter(i), value: i })),
                  }),
                )
                .catch((error: { code?: string }) => {
                  if (error.code !== 'EMPTY_ROW') throw error;
                });
            if (h % 2 === 1) await events.increment(key, 'views', BigInt(h % 5));
            if (h % 9 === 2)
              await db.engine.mutateRow(events.model.table.name, {
                key: events.model.key.encode(key),
                mutations: [
                  {
                    kind: 'setCell',
                    family: 'd',
                    qualifier: old.encode('old'),
                    timestamp: -1,
                    value: old.encode('n9'),
                  },
                ],
              });
            const hour = quarter(n * 4);
            if (h % 4 !== 1)
              await hours.save(
                Object.assign(new Hour(), {
                  tenant,
                  device,
                  hour,
                  unit: h % 3 === 0 ? undefined : 'C',
                  readings: mapOf(1 + (h % 5), (i) => [new Date(+hour + i * 600_000), i + n]),
                }),
              );
          }
    }
    if (old2) await new Promise((resolve) => void setTimeout(resolve, 5));
  }
  return new Date(Date.now() - 3_600_000);
}

function mapOf<K, V>(count: number, entry: (i: number) => [K, V]): Map<K, V> | undefined {
  if (count === 0) return undefined;
  return new Map(Array.from({ length: count }, (_, i) => entry(i)));
}
