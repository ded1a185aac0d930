/** What names suggest, and what they must not suggest; the fixes that findings propose. */
import { column, columnMap, indexOn, indexes } from '../../../src/index.js';
import { lint } from '../../../src/tools/lint/index.js';
import { entity, expecting, found, key, list, type Loose, text } from './support/findings.js';

const at = { kind: 'timestamp' };
const uint = { kind: 'uint' };
const flag = { kind: 'bool' };

/** The problem and the fix of the only finding. */
function only(change: Loose): { readonly problem: string; readonly fix: string } {
  const { findings } = lint([entity(change)]);
  expect(findings).toHaveLength(1);
  return findings[0];
}

describe('K02: numbers that are issued in order, and other numbers', () => {
  test.each([
    'orderNumber',
    'invoiceNo',
    'transactionId',
    'message_id',
    'seqNo',
    'rowId',
    'orderid',
    'revisionId',
  ])('%s leads a key', (name) => {
    const expected = [`K02 warning ${name}`];
    expect(key({ [name]: uint })).toEqual(expected);
    expect(key({ [name]: { kind: 'bigint', width: 19 }, line: text })).toEqual(expected);
  });

  test('an id that is the whole key, or has no noun', () => {
    expect(key({ userId: uint })).toEqual(['K02 warning userId']);
    expect(key({ userId: uint, topic: text })).toEqual([]);
    expect(key({ id: uint, customer: text })).toEqual(['K02 warning id']);
    expect(key({ id: uint, at })).toEqual([]);
    expect(key({ id: uint, createdAt: at })).toEqual(['K02 warning id']);
    expect(key({ machineId: uint, createdAt: at })).toEqual([]);
  });

  test.each(['machineId', 'deviceId', 'sensorId', 'customerNumber', 'storeId', 'channelId'])(
    '%s before a time',
    (name) => {
      expect(key({ [name]: uint, at })).toEqual([]);
    },
  );

  test.each(['machineId', 'zip', 'isbn', 'accountNumber', 'flightNumber', 'randomId', 'hashId'])(
    '%s alone',
    (name) => {
      expect(key({ [name]: uint }).filter((line) => line.startsWith('K02'))).toEqual([]);
    },
  );

  test('a number of a few values is no sequence', () => {
    expect(key({ orderNumber: { kind: 'uint', max: 500 }, user: text })).toEqual([]);
  });
});

test('K04 accepts what K06 recommends: a keyed hash of a value that identifies a person', () => {
  for (const name of ['emailHash', 'hashedPhone', 'macHash', 'userNameHmac'])
    expect([name, key({ [name]: text, at })]).toEqual([name, []]);
  expect(key({ urlHash: text, at })).toEqual(['K04 warning urlHash']);
});

test.each(['plateNumber', 'callerNumber', 'calledNumber'])('K06: %s', (name) => {
  expect(key({ [name]: text, at })).toEqual([`K06 warning ${name}`]);
});

test('K17 proposes no index that starts with the last segment, which differs in each row', () => {
  const columns = { placedAt: column('m', 'timestamp') };
  const change = { columns, indexes: indexes({ byTime: indexOn('placedAt') }) };
  const id = { kind: 'uuid' };
  expect(only({ ...change, segments: { id } }).fix).toMatch(/a property of many values/);
  expect(only({ ...change, segments: { tenant: text, id } }).fix).toContain("indexOn('tenant', ");
});

describe('K03: places that can occur', () => {
  const problemOf = (change: Loose): string => only(change).problem;

  test('a shard follows from what it hashes', () => {
    const segments = { active: flag, at };
    expect(problemOf({ segments, shards: { count: 8, by: ['active'] } })).toContain('in 2 places');
    expect(problemOf({ segments })).toContain('in 2 places');
  });

  test('hashed segments behind the front add places', () => {
    const segments = { active: flag, at, paid: flag };
    expect(problemOf({ segments, shards: { count: 8, by: ['paid'] } })).toContain('in 4 places');
  });

  test('integers from a minimum, and members of a list', () => {
    expect(problemOf({ segments: { zone: { ...uint, min: 2, max: 3 }, at } })).toContain(
      "'zone' has 2 values",
    );
    const status = column('m', 'string', { oneOf: ['open', 'closed'] });
    const columns = { status, placedAt: column('m', 'timestamp') };
    const { problem } = only({ columns, indexes: indexes({ s: indexOn('status', 'placedAt') }) });
    expect(problem).toContain("in 2 places: 'placedAt' is a time, and only 2 values of 'status'");
  });

  test.each(['region', 'status', 'country', 'eventType', 'level', 'statusCode', 'isOpen'])(
    '%s has few values, to judge by its name',
    (name) => {
      expect(key({ [name]: text, at })).toEqual([`K03 warning ${name}`]);
      expect(key({ [name]: text, user: text, at })).toEqual([]);
      expect(key({ [name]: text, at }, expecting({ [name]: { values: 1_000 } }))).toEqual([]);
      expect(found({ segments: { [name]: text, at } }, { nodes: 5 })).toEqual([]);
    },
  );

  test('no number is invented, and the way out is named', () => {
    const { problem, fix } = only({ segments: { region: text, at } });
    expect(problem).not.toMatch(/\b5\b/);
    expect(fix).toContain('expect: { region: { values: 1_000 } }');
  });

  test('two guesses are a note', () => {
    expect(key({ kind: text, orderNumber: uint })).toEqual(['K03 info kind']);
  });

  test('what is declared is not proposed again', () => {
    const hour = { kind: 'timestamp', floor: 'hour' };
    const shards = { count: 16, by: ['hour'] };
    expect(only({ segments: { hour }, shards }).fix).toContain('add a segment of many values');
    expect(only({ segments: { status: text, day: hour } }).fix).toContain('add a segment of many');
    const few = { segments: { active: flag, at }, shards: { count: 16, by: ['active'] } };
    expect(only(few).fix).toContain("by: ['at']");
    expect(only({ segments: { active: flag, orderNumber: uint } }).fix).toContain("'reversedId'");
  });
});

describe('K07 and K13: text that should sort as a number or a time', () => {
  test.each([
    'timestamp',
    'time',
    'date',
    'datetime',
    'day',
    'month',
    'createdAt',
    'updated_at',
    'eventTime',
    'ts',
    'publishedOn',
    'createdat',
  ])('%s in the second place and in the third', (name) => {
    expect(key({ device: text, [name]: text })).toEqual([`K13 warning ${name}`]);
    expect(key({ device: text, user: text, [name]: text })).toEqual([`K13 warning ${name}`]);
    expect(key({ device: text, [name]: at })).toEqual([]);
  });

  test.each(['format', 'basedOn', 'weekday', 'ulid', 'status'])('%s is no time', (name) => {
    expect(key({ device: text, [name]: text })).toEqual([]);
  });

  test('the fix names a kind, and a pattern that is enough', () => {
    for (const name of ['createdAt', 'day', 'hour', 'month', 'week', 'year']) {
      const { fix } = only({ segments: { device: text, [name]: text } });
      expect(fix.includes('@Segment(')).toBe(!/month|week|year/.test(name));
      const pattern = new RegExp(/pattern: \/(.*)\/$/.exec(fix)![1]);
      expect(key({ device: text, [name]: { ...text, pattern } })).toEqual([]);
    }
    const { fix } = only({ segments: { device: text, createdAt: text } });
    const pattern = new RegExp(/pattern: \/(.*)\/$/.exec(fix)![1]);
    expect(new Date(0).toISOString()).toMatch(pattern);
  });

  test('a pattern that allows one format is enough', () => {
    const day = (pattern: RegExp): string[] => key({ device: text, day: { ...text, pattern } });
    expect(day(/^\d{4}-\d{2}-\d{2}$/)).toEqual([]);
    expect(day(/^\d+/)).toEqual(['K13 warning day']);
    const number = (pattern: RegExp): string[] =>
      key({ user: text, orderNumber: { ...text, pattern } });
    expect(number(/^\d{8}$/)).toEqual([]);
    expect(number(/^ORD-/)).toEqual([]);
    expect(number(/^\d+$/)).toEqual(['K07 warning orderNumber']);
  });

  test.each(['orderNumber', 'invoiceNo', 'price', 'score', 'sequence', 'pageNumber'])(
    'K07: %s',
    (name) => {
      expect(key({ user: text, [name]: text })).toEqual([`K07 warning ${name}`]);
    },
  );

  test.each(['serialNumber', 'trackingNumber', 'flightNumber', 'houseNumber', 'version'])(
    'K07: %s need not be a number',
    (name) => {
      expect(key({ user: text, [name]: text })).toEqual([]);
    },
  );

  test('an order number that leads the key is best reversed', () => {
    expect(only({ segments: { orderNumber: text } }).fix).toContain("@Segment('reversedId')");
    expect(only({ segments: { user: text, orderNumber: text } }).fix).toContain("@Segment('uint'");
  });
});

describe('K06: personal data, and what is about it', () => {
  test.each([
    'address',
    'walletAddress',
    'macAddress',
    'imei',
    'deviceImsi',
    'mobileNumber',
    'mac',
  ])('%s', (name) => {
    expect(key({ device: text, [name]: text })).toEqual([`K06 warning ${name}`]);
  });

  test.each(['emailCampaignId', 'memoryAddress', 'addressId', 'ipBlock', 'mobileApp', 'lastLogin'])(
    '%s is not personal',
    (name) => {
      expect(key({ device: text, [name]: text }).filter((line) => /K06/.test(line))).toEqual([]);
    },
  );
});

test('K19: a URL is divided, because kind domain accepts none', () => {
  const { fix } = only({ segments: { url: { kind: 'string', maxLength: 500 } } });
  expect(fix).toContain("@Segment('domain') site");
  expect(fix).toContain('path');
});

test('K08: more than half of the longest key is a note', () => {
  expect(key({ path: { kind: 'string', maxLength: 600 } })).toEqual([]);
  expect(key({ path: { kind: 'string', maxLength: 1_300 } })).toEqual(['K08 info path']);
});

describe('K18: names of values that are replaced', () => {
  const columns = (name: string): Loose => ({ columns: { [name]: column('m', 'double') } });

  test('a metric and a value are a warning, other names a note', () => {
    expect(key({ device: text, metric: text }, columns('value'))).toEqual(['K18 warning value']);
    expect(key({ device: text }, columns('memoryUsage'))).toEqual(['K18 info memoryUsage']);
    expect(key({ symbol: text }, columns('lastPrice'))).toEqual(['K18 info lastPrice']);
  });

  test.each(['value', 'price', 'currentPlan', 'lastOrder', 'lastLogin'])('%s is none', (name) => {
    expect(key({ user: text }, columns(name))).toEqual([]);
  });

  test('with a time, or an id for each reading, each is a row', () => {
    expect(key({ device: text, metric: text, at }, columns('value'))).toEqual([]);
    expect(key({ metric: text, readingId: text }, columns('value'))).toEqual([]);
  });
});

test('F07: the fix gives a bucket that is short enough', () => {
  const segments = { camera: text, day: { kind: 'timestamp', floor: 'day' } };
  const columns = { frames: columnMap('m', 'bytes', { qualifiers: 'timestamp' }) };
  const { problem, fix } = only({
    segments,
    columns,
    ...expecting({ frames: { maxBytes: 50_000 } }),
  });
  expect(problem).toContain('86,400 entries at one a second');
  expect(fix).toContain('floor: 600_000');
  // 600 entries of 50 KB are 29 MB, and the next longer bucket would be too long.
  const shorter = { ...segments, day: { kind: 'timestamp', floor: 600_000 } };
  expect(key(shorter, { columns, ...expecting({ frames: { maxBytes: 50_000 } }) })).toEqual([]);
});

describe('F09: tables for each part of the data', () => {
  const tables = (...names: string[]): string[] =>
    list(names.map((table, i) => entity({ table }, `E${i}`)));

  test.each([
    [['sales_2025']],
    [['events_2024_01']],
    [['log20240131']],
    [['orders_acme', 'orders_globex']],
    [['acme-orders', 'globex-orders']],
  ])('%j', (names) => {
    expect(tables(...names)).toEqual(['F09 warning -']);
  });

  test.each([
    [['orders', 'customers']],
    [['log_v1', 'log_v2']],
    [['readings_raw', 'readings_daily']],
    [['app_orders', 'app_users']],
    [['model1950a', 'port8080']],
  ])('%j have other reasons', (names) => {
    expect(tables(...names)).toEqual([]);
  });

  test('entities of two kinds may have one shape', () => {
    const kinds = ['User', 'Order'].map((name) =>
      entity({ table: `app_${name.toLowerCase()}` }, name),
    );
    expect(list(kinds)).toEqual([]);
  });

  test('the number of tables in an instance', () => {
    const entities = Array.from({ length: 1_001 }, (_, i) =>
      // No two of one shape.
      entity({ table: `t${i}x`, columns: { [`v${i}`]: column('m', 'string') } }, `E${i}`),
    );
    const count = (tables: number): string[] => list(entities.slice(0, tables));
    expect(count(500)).toEqual([]);
    expect(count(501)).toEqual(['F09 warning -']);
    expect(count(1_001)).toEqual(['F09 error -']);
  });
});
