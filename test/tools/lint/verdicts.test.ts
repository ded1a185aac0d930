/** Verdicts of rules on declarations that the documentation does not show: misses and false alarms. */
import { IsEnum, IsHash, IsIn } from 'class-validator';
import { Column, Entity, Segment } from '../../../decorators/index.js';
import { entity, expecting, found, key, list, type Loose, one, text } from './support/findings.js';
import {
  accessPatterns,
  column,
  columnMap,
  copies,
  copyOf,
  indexOn,
  indexes,
  intersection,
  literal,
  maxAge,
  maxVersions,
  rollups,
  rowKey,
  versions,
} from '../../../src/index.js';

const time = { kind: 'timestamp' };

describe('K01: names of times', () => {
  test.each([
    'created',
    'createdOn',
    'createdMs',
    'epochSeconds',
    'unixMillis',
    'timestampMs',
    'hourBucket',
    'timeBucket',
    'updatedAtUtc',
    'yyyymmdd',
    'snowflakeId',
  ])('%s', (name) => {
    expect(key({ [name]: { kind: 'bigint', width: 18 }, device: text })).toEqual([
      `K01 warning ${name}`,
    ]);
  });

  test.each(['format', 'seconds', 'birthDate', 'bucket', 'status', 'utc', 'weekday', 'location'])(
    '%s is none',
    (name) => {
      const personal = expecting({ [name]: { personal: false } });
      expect(key({ [name]: text, device: text }, personal)).toEqual([]);
    },
  );

  test('times that differ from the times of the writes', () => {
    const due = { due: { kind: 'isoDate', precision: 'day' }, task: text };
    expect(key(due)).toEqual(['K01 error due']);
    expect(key(due, expecting({ due: { sequential: false } }))).toEqual([]);
  });
});

describe('K03: few values', () => {
  test('of short integers', () => {
    expect(key({ zone: { kind: 'uint', width: 1 }, at: time })).toEqual([]);
    expect(
      found({ segments: { zone: { kind: 'uint', width: 1 }, at: time } }, { nodes: 11 }),
    ).toEqual(['K03 warning zone']);
    expect(key({ side: { kind: 'int', max: 1 }, at: time })).toEqual(['K03 warning side']);
    expect(key({ site: { kind: 'uint' }, at: time })).toEqual([]);
  });

  test('that class-validator lists', () => {
    enum Level {
      Low = 'low',
      High = 'high',
    }
    @Entity({ table: 'levels', families: { m: one } })
    class Levels {
      static readonly key = rowKey('level', 'at');
      @IsEnum(Level) @Segment('string', { maxLength: 9 }) level!: Level;
      @Segment('timestamp') at!: Date;
      @Column('m', 'string') v?: string;
    }
    @Entity({ table: 'sides', families: { m: one } })
    class Sides {
      static readonly key = rowKey('side', 'at');
      @IsIn(['left', 'right', 'both']) @Segment('string', { maxLength: 9 }) side!: string;
      @Segment('timestamp') at!: Date;
      @Column('m', 'string') v?: string;
    }
    expect(list([Levels, Sides])).toEqual(['K03 warning level', 'K03 warning side']);
  });
});

test.each(['geohash', 'geoHash', 'hashtag'])('K04: %s is not the hash of a key', (name) => {
  expect(key({ [name]: text, at: time })).toEqual([]);
});

test('K04: a hash that class-validator shows', () => {
  @Entity({ table: 'objects', families: { m: one } })
  class Objects {
    static readonly key = rowKey('content');
    @IsHash('sha256') @Segment('string', { maxLength: 64 }) content!: string;
    @Column('m', 'string') v?: string;
  }
  expect(list([Objects])).toEqual(['K04 warning content']);
});

describe('K06: personal data', () => {
  test.each([
    'eMail',
    'e_mail',
    'mail',
    'mailAddress',
    'telephone',
    'msisdn',
    'nickname',
    'customerName',
    'patient_name',
    'licensePlate',
    'taxNumber',
  ])('%s', (name) => {
    expect(key({ device: text, [name]: text })).toEqual([`K06 warning ${name}`]);
  });

  test.each([
    'emailCampaign',
    'phoneModel',
    'ipRange',
    'ipPool',
    'emailDomainType',
    'emailSha256',
    'encryptedEmail',
    'deviceName',
    'mailbox',
    'name',
  ])('%s is not personal', (name) => {
    expect(key({ device: text, [name]: text })).toEqual([]);
  });

  test('a name is personal if the entity is a person', () => {
    const named = (entityName: string) => list([entity({ segments: { name: text } }, entityName)]);
    expect(named('Customer')).toEqual(['K06 warning name']);
    expect(named('PatientRecord')).toEqual(['K06 warning name']);
    expect(named('Product')).toEqual([]);
    expect(named('UserAgent')).toEqual([]);
  });
});

describe('K12: tenants', () => {
  test('more names of tenants', () => {
    expect(key({ device: text, tenantKey: text })).toEqual(['K12 warning tenantKey']);
    expect(key({ device: text, orgSlug: text })).toEqual(['K12 warning orgSlug']);
    expect(key({ device: text, organizationType: text })).toEqual([]);
  });

  test('shards precede the tenant', () => {
    const segments = { tenant: text, at: time, device: text };
    const shards = (...by: string[]): Loose => ({ shards: { count: 16, by } });
    expect(key(segments, shards('device'))).toEqual(['K12 info tenant']);
    expect(key(segments, shards('tenant'))).toEqual([]);
  });
});

describe('K16: from common to granular', () => {
  test('segments that are not neighbours, and states of other things', () => {
    expect(key({ city: text, shop: text, country: text })).toEqual(['K16 info country']);
    const orderState = { kind: 'enum', values: ['open', 'closed'] };
    expect(key({ city: text, orderState })).toEqual([]);
  });

  test('a pattern that reads by the granular one alone', () => {
    const segments = { device: text, metric: text, at: time };
    const values = expecting({ device: { values: 10_000 }, metric: { values: 20 } });
    expect(key(segments, values)).toEqual(['K16 info metric']);
    const patterns = (prefix: readonly string[]): Loose => ({
      patterns: accessPatterns({ some: { prefix } } as never),
    });
    expect(key(segments, { ...values, ...patterns(['device']) })).toEqual([]);
    expect(key(segments, { ...values, ...patterns(['device', 'metric']) })).toEqual([
      'K16 info metric',
    ]);
  });
});

test('K17: a column that is named after a time is a note', () => {
  const columns = { createdAt: column('m', 'int64'), rank: column('m', 'int64') };
  const withIndex = (name: string): string[] =>
    found({ columns, indexes: indexes({ by: indexOn(name as never) }) });
  expect(withIndex('createdAt')).toEqual(['K17 info indexes']);
  expect(withIndex('rank')).toEqual([]);
});

test('F08: rollups and the sources of copies are kept by conditional writes, too', () => {
  const counted = {
    segments: { device: text, at: time },
    rollups: rollups({
      hourly: { by: ['device', { time: 'at', every: '1h' }], values: { n: 'count' } },
    } as never),
  };
  expect(found(counted)).toEqual([]);
  expect(found(counted, { multiCluster: true })).toEqual(['F08 error rollups']);
  const source = entity({ table: 'sources' }, 'Source');
  const copying = entity(
    {
      table: 'copying',
      segments: { id: { kind: 'uuid' } },
      columns: { device: column('m', 'string'), copied: column('m', 'string') },
      indexes: indexes({ byDevice: indexOn('device') }),
      copies: copies({
        copied: copyOf(() => source as never, 'v' as never, { device: 'device' } as never),
      }),
    },
    'Copying',
  );
  expect(list([source, copying])).toEqual([]);
  expect(list([source, copying], { multiCluster: true })).toEqual([
    'F08 error -',
    'F08 error indexes',
  ]);
});

describe('F07 and F14: versions count, too', () => {
  const bytes = (versionsKept: number, maxBytes: number, more: Loose = {}): string[] =>
    found({
      families: { m: { gc: maxVersions(versionsKept) } },
      columns: { v: column('m', 'bytes') },
      ...expecting({ v: { maxBytes } }),
      ...more,
    });

  test('of a column, as many as the rule keeps', () => {
    expect(bytes(50, 5_000_000)).toEqual(['F14 warning v']);
    expect(bytes(100, 5_000_000)).toEqual(['F14 error v']);
    expect(bytes(10, 5_000_000)).toEqual([]);
    expect(bytes(1, 5_000_000)).toEqual([]);
  });

  test('of a column with its history, as many as expected, or as the rule keeps', () => {
    const columns = { v: versions('m', 'bytes') };
    expect(bytes(100, 5_000_000, { columns })).toEqual(['F14 error v']);
    const expected = expecting({ v: { maxBytes: 5_000_000, maxEntries: 5 } });
    expect(bytes(100, 5_000_000, { columns, ...expected })).toEqual([]);
  });

  test('of the entries of a map', () => {
    const columns = { v: columnMap('m', 'double') };
    const entries = expecting({ v: { maxEntries: 10_000 } });
    const map = (gc: unknown): string[] => found({ families: { m: { gc } }, columns, ...entries });
    expect(map(maxVersions(1))).toEqual([]);
    expect(map(maxVersions(1_000))).toEqual(['F07 warning v']);
    expect(map(intersection(maxVersions(1_000), maxAge('1d')))).toEqual([]);
  });

  test('an age does not make a map small that is declared to be large', () => {
    const columns = { v: columnMap('m', 'bytes') };
    const families = { m: { gc: maxAge('30d') } };
    const sized = (maxEntries: number): Loose =>
      expecting({ v: { maxBytes: 1_000_000, maxEntries } });
    expect(found({ families, columns, ...sized(1_000) })).toEqual(['F07 warning v']);
    expect(found({ families, columns, ...sized(10) })).toEqual([]);
    expect(found({ families, columns })).toEqual([]);
  });
});

describe('names in suppressions and levels', () => {
  test('findings of no property are ignored by the name that they have', () => {
    const scan = accessPatterns({ all: { scanAll: true } });
    const ignore = (property: string): Loose => ({
      patterns: scan,
      lint: { ignore: [{ rule: 'K11', property, reason: 'a daily job' }] },
    });
    expect(found(ignore('patterns'))).toEqual([]);
    expect(found(ignore('indexes'))).toEqual(['K11 warning patterns', 'L01 warning indexes']);
    expect(() => found(ignore('pattern'))).toThrow('invalid');
    const literals = { key: rowKey(literal('measurements-of-device'), 'device') };
    const k15 = { ignore: [{ rule: 'K15', property: 'key', reason: 'stored already' }] };
    expect(found({ ...literals, lint: k15 })).toEqual([]);
  });

  test('a rule that the declaration enforces', () => {
    const details = { property: 'rules', problem: expect.stringContaining('K10') as string };
    expect(() => found({}, { rules: { K10: 'off' } })).toThrow(
      expect.objectContaining({
        details: { ...details, fix: expect.stringContaining('--explain K10') as string },
      }) as Error,
    );
    expect(() => found({}, { rules: { f12: 'off' } })).toThrow(
      expect.objectContaining({
        details: expect.objectContaining({ fix: "did you mean 'F12'?" }) as object,
      }) as Error,
    );
  });
});
