/**
 * Both verdicts of the rules, beyond the examples of their pages: the designs and antipatterns of
 * Google's documentation, and each condition of a rule.
 */
import {
  IsDateString,
  IsEmail,
  IsFQDN,
  IsIP,
  IsNumberString,
  IsPhoneNumber,
  IsUUID,
  MaxLength,
} from 'class-validator';
import { Column, Entity, Segment } from '../../../decorators/index.js';
import { lint } from '../../../src/tools/lint/index.js';
import { entity, expecting, found, key, list, type Loose, one, text } from './support/findings.js';
import {
  accessPatterns,
  column,
  delimited,
  indexOn,
  indexes,
  literal,
  rollups,
  rowKey,
  uniqueIndexOn,
} from '../../../src/index.js';

test('the base of these tests has no finding', () => {
  expect(found({})).toEqual([]);
});

describe('designs that the documentation recommends have no finding', () => {
  test.each<[string, Loose]>([
    ['a fleet of vehicles', { vehicle: text, at: { kind: 'timestamp' } }],
    ['reversed domains', { domain: { kind: 'domain' }, crawl: { kind: 'timestamp' } }],
    ['tenants first', { tenant: text, device: text, at: { kind: 'timestamp' } }],
    ['reversed times after an id', { device: text, at: { kind: 'timestamp', order: 'desc' } }],
    ['several values in order', { country: text, city: text, shop: text }],
    ['time buckets after an id', { device: text, hour: { kind: 'timestamp', floor: 'hour' } }],
    ['a random id', { id: { kind: 'uuid' } }],
    ['a reversed id', { user: { kind: 'reversedId' } }],
  ])('%s', (_name, segments) => {
    expect(key(segments)).toEqual([]);
  });

  test('a salted time', () => {
    const shards = { count: 16, by: ['device'] };
    expect(key({ at: { kind: 'timestamp' }, device: text }, { shards })).toEqual([]);
  });
});

describe('K01: time first in any form', () => {
  test.each<[string, Loose]>([
    ['a timestamp', { at: { kind: 'timestamp' } }],
    ['microseconds', { t: { kind: 'micros' } }],
    ['a reversed time', { at: { kind: 'timestamp', order: 'desc' } }],
    ['ISO 8601 text', { on: { kind: 'isoDate' } }],
    ['a bucket of an hour', { slot: { kind: 'timestamp', floor: 'hour' } }],
    ['a ULID', { event: { kind: 'ulid' } }],
  ])('%s', (_name, first) => {
    const [name] = Object.keys(first);
    expect(key({ ...first, device: text })).toEqual([`K01 error ${name}`]);
    expect(key({ device: text, ...first })).toEqual([]);
  });

  test.each<[string, Loose]>([
    ['a UUID of version 7, to judge by its name', { uuidV7: { kind: 'uuid' } }],
    ['a time UUID', { timeUuid: { kind: 'uuid' } }],
    ['text named after a time', { createdAt: text }],
    ['text named after a ULID', { ulid: text }],
    ['an integer named after a time', { timestamp: { kind: 'uint' } }],
  ])('%s is a warning', (_name, first) => {
    const [name] = Object.keys(first);
    const alsoText = name === 'createdAt' ? ['K13 warning createdAt'] : [];
    expect(key(first)).toEqual([`K01 warning ${name}`, ...alsoText]);
    expect(key(first, expecting({ [name]: { sequential: false } }))).toEqual([]);
  });

  test('a literal before the time does not spread it', () => {
    expect(
      found({
        key: rowKey(literal('log'), 'at'),
        segments: { at: { kind: 'timestamp' } },
      }),
    ).toEqual(['K01 error at']);
  });

  test('shards that hash only a time bucket put an hour into one shard', () => {
    const segments = { hour: { kind: 'timestamp', floor: 'hour' }, device: text };
    expect(key(segments, { shards: { count: 16, by: ['hour'] } })).toEqual(['K01 error hour']);
    expect(key(segments, { shards: { count: 16, by: ['device'] } })).toEqual([]);
  });

  test('the finding names the segment that should be first', () => {
    const [{ fix }] = lint([
      entity({
        key: rowKey(literal('x'), 'at', 'device'),
        segments: { at: { kind: 'timestamp' }, device: text },
      }),
    ]).findings;
    expect(fix).toContain("rowKey(literal('x'), 'device', 'at')");
  });
});

describe('K02: sequential ids', () => {
  test('an id declared to be sequential is an error, of any kind', () => {
    expect(key({ order: { kind: 'uint' } }, expecting({ order: { sequential: true } }))).toEqual([
      'K02 error order',
    ]);
    expect(key({ order: text }, expecting({ order: { sequential: true } }))).toEqual([
      'K02 error order',
    ]);
  });

  test('an integer named like an id is a warning, and another one none', () => {
    expect(key({ userId: { kind: 'uint' } })).toEqual(['K02 warning userId']);
    expect(key({ sequence: { kind: 'bigint', width: 20 } })).toEqual(['K02 warning sequence']);
    expect(key({ zip: { kind: 'uint' } })).toEqual([]);
    expect(key({ userId: text })).toEqual([]);
    expect(key({ userId: { kind: 'uint' } }, expecting({ userId: { sequential: false } }))).toEqual(
      [],
    );
  });
});

describe('K03: few leading values before a time', () => {
  const at = { kind: 'timestamp' };

  test('the number of places is the product of the values', () => {
    const status = { kind: 'enum', values: ['A', 'B', 'C'] };
    expect(key({ status, at })).toEqual(['K03 warning status']);
    expect(key({ status, urgent: { kind: 'bool' }, at })).toEqual(['K03 warning status']);
    const segments = { status, urgent: { kind: 'bool' }, open: { kind: 'bool' }, at };
    expect(key(segments)).toEqual([]);
    expect(found({ segments }, { nodes: 20 })).toEqual(['K03 warning status']);
  });

  test('five devices', () => {
    expect(key({ device: text, at }, expecting({ device: { values: 5 } }))).toEqual([
      'K03 warning device',
    ]);
    expect(key({ device: text, at }, expecting({ device: { values: 1_000 } }))).toEqual([]);
  });

  test('few values before a spreading segment are no hotspot', () => {
    expect(key({ status: { kind: 'bool' }, user: text, at })).toEqual([]);
  });

  test('a small integer has few values', () => {
    expect(key({ priority: { kind: 'uint', max: 3 }, at })).toEqual(['K03 warning priority']);
  });
});

test('K04: hashes first', () => {
  expect(key({ md5: text, user: text })).toEqual(['K04 warning md5']);
  expect(key({ user: text, md5: text })).toEqual([]);
});

describe('K05: readability', () => {
  test('bytes in the text format; the ordered format without need', () => {
    expect(key({ id: { kind: 'bytes', maxLength: 16 } })).toEqual(['K05 info id']);
    expect(found({ keyFormat: 'ordered' })).toEqual(['K05 info -']);
    const descending = { device: text, name: { ...text, order: 'desc' } };
    expect(key(descending, { keyFormat: 'ordered' })).toEqual([]);
    const bytes = { id: { kind: 'bytes', maxLength: 16 } };
    expect(key(bytes, { keyFormat: 'ordered' })).toEqual([]);
  });
});

describe('K06: personal data', () => {
  test.each(['email', 'userName', 'phone_number', 'ipAddress', 'ssn', 'lastName'])('%s', (name) => {
    expect(key({ [name]: text })).toEqual([`K06 warning ${name}`]);
    expect(key({ [name]: text }, expecting({ [name]: { personal: false } }))).toEqual([]);
  });

  test.each(['emailHash', 'ship', 'description', 'zip', 'tip'])('%s is not personal', (name) => {
    expect(key({ tenant: text, [name]: text })).toEqual([]);
  });

  test('an expectation, a family and the keys of an index', () => {
    expect(key({ nick: text }, expecting({ nick: { personal: true } }))).toEqual([
      'K06 warning nick',
    ]);
    expect(found({ families: { email: one }, columns: { v: column('email', 'string') } })).toEqual([
      'K06 info email',
    ]);
    const columns = { email: column('m', 'string') };
    expect(found({ columns, indexes: indexes({ byEmail: uniqueIndexOn('email') }) })).toEqual([
      'K06 warning email',
    ]);
    expect(found({ columns })).toEqual([]);
  });

  test('rules of class-validator', () => {
    @Entity({ table: 'people', families: { m: one } })
    class Person {
      static readonly key = rowKey('contact', 'line', 'from');
      @IsEmail() @Segment('string', { maxLength: 50 }) contact!: string;
      @IsPhoneNumber() @Segment('string', { maxLength: 20 }) line!: string;
      @IsIP() @Segment('string', { maxLength: 40 }) from!: string;
      @IsEmail() @Column('m', 'string') other?: string;
    }
    expect(list([Person])).toEqual(['K06 warning contact', 'K06 warning line', 'K06 warning from']);
  });
});

test('K07, K13, K19 and K08 read the rules of class-validator', () => {
  @Entity({ table: 'mixed', families: { m: one } })
  class Mixed {
    static readonly key = rowKey('site', 'amount', 'seen', 'note');
    @IsFQDN() @Segment('string', { maxLength: 250 }) site!: string;
    @IsNumberString() @Segment('string', { maxLength: 20 }) amount!: string;
    @IsDateString() @Segment('string', { maxLength: 30 }) seen!: string;
    @MaxLength(100) @Segment('string') note!: string;
    @Column('m', 'string') v?: string;
  }
  expect(list([Mixed])).toEqual(['K07 warning amount', 'K13 warning seen', 'K19 warning site']);

  @Entity({ table: 'uuids', families: { m: one } })
  class Uuids {
    static readonly key = rowKey('event');
    @IsUUID('7') @Segment('uuid') event!: string;
    @Column('m', 'string') v?: string;
  }
  expect(list([Uuids])).toEqual(['K01 error event']);
});

test('K08: only segments without a limit', () => {
  const segments = { path: { kind: 'string' }, name: text, raw: { kind: 'bytes' } };
  expect(key(segments)).toEqual(['K05 info raw', 'K08 warning path', 'K08 warning raw']);
});

test('K09: a delimiter below all characters is no finding', () => {
  const numbers = { zone: { kind: 'uint', max: 99 }, device: text };
  expect(key(numbers, { keyFormat: delimited('|') })).toEqual([]);
  expect(key({ zone: text, device: text }, { keyFormat: delimited('|') })).toEqual([
    'K09 info zone',
  ]);
});

test('K11: a limit makes a scan of all rows harmless', () => {
  expect(found({ patterns: accessPatterns({ all: { scanAll: true } }) })).toEqual([
    'K11 warning patterns',
  ]);
  expect(found({ patterns: accessPatterns({ some: { scanAll: true, limit: 10 } }) })).toEqual([]);
});

test('K12: tenants', () => {
  const org = { kind: 'string', maxLength: 20 };
  expect(key({ device: text, orgId: org })).toEqual(['K12 warning orgId']);
  expect(key({ orgId: org, device: text })).toEqual([]);
  const segments = { tenant: text, device: text };
  expect(found({ key: rowKey(literal('x'), 'tenant', 'device'), segments })).toEqual([]);
});

describe('K14: shards', () => {
  const segments = { at: { kind: 'timestamp' }, device: text };

  test('the number of shards against the nodes', () => {
    const shards = (count: number): Loose => ({ segments, shards: { count, by: ['device'] } });
    expect(found(shards(8))).toEqual([]);
    expect(found(shards(8), { nodes: 30 })).toEqual(['K14 warning -']);
    expect(found(shards(30), { nodes: 30 })).toEqual([]);
    expect(found(shards(256))).toEqual([]);
    expect(found(shards(257))).toEqual(['K14 warning -']);
  });

  test('a pattern that does not give what is hashed reads every shard', () => {
    const patterns = accessPatterns({ since: { since: 'at' }, all: { scanAll: true, limit: 1 } });
    const sharded = { segments, patterns, shards: { count: 16, by: ['device'] } };
    expect(found(sharded)).toEqual(['K14 warning device']);
    const [{ problem }] = lint([entity(sharded)]).findings;
    expect(problem).toContain('each call reads 16 ranges');
    const known = {
      segments: { device: text, at: { kind: 'timestamp' } },
      patterns: accessPatterns({ latest: { prefix: ['device'], limit: 1 } }),
      shards: { count: 16, by: ['device'] },
    };
    expect(found(known)).toEqual([]);
  });
});

test('cells of more than 10 MiB, and of more than storage takes', () => {
  const mebibyte = 2 ** 20;
  const levels = (maxBytes: number): string[] =>
    found({ columns: { v: column('m', 'bytes') }, ...expecting({ v: { maxBytes } }) }).map(
      (finding) => finding.split(' ')[1],
    );
  expect(levels(10 * mebibyte)).toEqual([]);
  expect(levels(10 * mebibyte + 1)).toEqual(['warning']);
  expect(levels(100 * mebibyte)).toEqual(['warning']);
  // The row is larger than recommended as well.
  expect(levels(100 * mebibyte + 1)).toEqual(['error', 'warning']);
});

test('K15 and K16', () => {
  expect(
    found({ key: rowKey(literal('measurements-of-device'), 'device'), segments: { device: text } }),
  ).toEqual(['K15 info key']);
  const shops = { shop: text, region: text };
  expect(key(shops)).toEqual([]);
  const values = expecting({ shop: { values: 5_000 }, region: { values: 20 } });
  expect(key(shops, values)).toEqual(['K16 info region']);
  const prefixed = (length: number): string[] =>
    found({ key: rowKey(literal('p'.repeat(length)), 'device'), segments: { device: text } });
  expect(prefixed(16)).toEqual([]);
  expect(prefixed(17)).toEqual(['K15 info key']);
  // Ten times as many are many more.
  const regions = (count: number): Loose =>
    expecting({ shop: { values: 5_000 }, region: { values: count } });
  expect(key(shops, regions(500))).toEqual(['K16 info region']);
  expect(key(shops, regions(501))).toEqual([]);
  expect(key({ region: text, shop: text }, values)).toEqual([]);
  const [month, year] = [12, 9_999].map((max) => ({ kind: 'uint', max }));
  expect(key({ site: text, month, year })).toEqual(['K16 info year']);
});

describe('K17: indexes and rollups', () => {
  const columns = {
    placedAt: column('m', 'timestamp'),
    open: column('m', 'bool'),
    total: column('m', 'double'),
  };
  const segments = { tenant: text, at: { kind: 'timestamp' } };

  test('an index that starts with a time, or with few values and a time', () => {
    const withIndex = (declared: Loose): string[] =>
      found({ segments, columns, indexes: indexes(declared as never) });
    expect(withIndex({ byTime: indexOn('placedAt') })).toEqual(['K17 warning indexes']);
    expect(withIndex({ byOpen: indexOn('open', 'placedAt') })).toEqual(['K17 warning indexes']);
    expect(withIndex({ byTenant: indexOn('tenant', 'placedAt') })).toEqual([]);
    expect(withIndex({ byOpen: indexOn('open', 'tenant', 'placedAt') })).toEqual([]);
  });

  test('a rollup without a segment of many values', () => {
    const withRollup = (by: readonly unknown[]): string[] =>
      found({
        segments,
        columns,
        rollups: rollups({ hourly: { by, values: { n: 'count' } } } as never),
      });
    expect(withRollup([{ time: 'at', every: '1h' }])).toEqual(['K17 warning rollups']);
    expect(withRollup(['tenant', { time: 'at', every: '1h' }])).toEqual([]);
  });
});

test('K18: frequent updates need a time in the key', () => {
  const frequent = expecting({ v: { updates: 'frequent' } });
  expect(found(frequent)).toEqual(['K18 warning v']);
  expect(key({ device: text, at: { kind: 'timestamp' } }, frequent)).toEqual([]);
});

test('K19: domain names', () => {
  expect(key({ hostname: { kind: 'string', maxLength: 64 } })).toEqual(['K19 warning hostname']);
  expect(key({ hostname: { kind: 'string', maxLength: 63 } })).toEqual(['K19 info hostname']);
  expect(key({ hostname: { kind: 'domain' } })).toEqual([]);
});
