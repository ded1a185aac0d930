/** The rules of families and sizes. */
import { MaxLength } from 'class-validator';
import { Column, Entity, Segment } from '../../../decorators/index.js';
import {
  type AnyClass,
  entity,
  expecting,
  found,
  key,
  list,
  type Loose,
  one,
  text,
} from './support/findings.js';
import {
  column,
  columnMap,
  counter,
  indexOn,
  indexes,
  literal,
  maxAge,
  maxVersions,
  packed,
  revision,
  rowKey,
  aggregate,
  union,
  versions,
} from '../../../src/index.js';

describe('F01: families', () => {
  test('over 100 families, reported once for the table', () => {
    const families = Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`f${i}`, one]));
    const columns = { v: column('f0', 'string') };
    const shape = (name: string, count: number): AnyClass =>
      entity(
        {
          families: Object.fromEntries(Object.entries(families).slice(0, count)),
          columns,
          key: rowKey(literal(name), 'device'),
        },
        name,
      );
    expect(list([shape('A', 101), shape('B', 101)])).toEqual(['F01 warning -']);
    expect(list([shape('A', 100)])).toEqual([]);
  });

  test.each([
    ['f', 8, 0],
    ['f', 9, 1],
  ])('a name of a family %s x %d', (letter, length, count) => {
    const family = letter.repeat(length);
    const findings = found({
      families: { [family]: one },
      columns: { v: column(family, 'string') },
    });
    expect(findings).toHaveLength(count);
  });

  test('a qualifier of more than 16 bytes', () => {
    const findings = (length: number): string[] =>
      found({ columns: { v: column('m', 'string', { qualifier: 'q'.repeat(length) }) } });
    expect(findings(16)).toEqual([]);
    expect(findings(17)).toHaveLength(1);
  });
});

describe('F02: retention', () => {
  test('a history in a family that keeps one version', () => {
    expect(found({ columns: { h: versions('m', 'string') } })).toEqual(['F02 error h']);
    const many = { m: { gc: maxVersions(5) } };
    expect(found({ families: many, columns: { h: versions('m', 'string') } })).toEqual([]);
  });

  test('columns that are needed for different times, or for longer than the family keeps', () => {
    const columns = { v: column('m', 'string'), w: column('m', 'string') };
    const keep = (v: string, w: string): Loose => expecting({ v: { keep: v }, w: { keep: w } });
    expect(found({ columns, ...keep('1d', '30d') })).toEqual(['F02 warning v']);
    expect(found({ columns, ...keep('24h', '1d') })).toEqual([]);
    const families = { m: { gc: maxAge('7d') } };
    expect(found({ families, columns, ...keep('7d', '30d') })).toEqual(['F02 error w']);
  });
});

describe('F03: versions without a limit', () => {
  test('a family without a rule is a note, and a warning if a column is written often', () => {
    const families = { m: {} };
    expect(found({ families })).toEqual(['F03 info m']);
    const columns = { v: column('m', 'string'), r: revision('m') };
    expect(found({ families, columns })).toEqual(['F03 warning r']);
  });

  test('many versions of a column that is updated frequently', () => {
    const frequent = {
      segments: { device: text, at: { kind: 'timestamp' } },
      ...expecting({ v: { updates: 'frequent' } }),
    };
    expect(found({ ...frequent, families: { m: { gc: maxVersions(1_000) } } })).toEqual([
      'F03 warning v',
    ]);
    const rule = union(maxVersions(1_000), maxAge('1h'));
    expect(found({ ...frequent, families: { m: { gc: rule } } })).toEqual([]);
  });

  test('families of indexes and aggregates are none of its business', () => {
    const columns = { v: column('m', 'string'), n: counter('c') };
    const families = { m: one, c: aggregate('sum') };
    expect(found({ families, columns, indexes: indexes({ byV: indexOn('v') }) })).toEqual([]);
  });
});

test('F05: only dates that are not the time of the write, and only with an age', () => {
  const columns = { validUntil: column('m', 'timestamp'), at: column('m', 'timestamp') };
  const families = { m: { gc: maxAge('1d') } };
  expect(found({ columns, families, cellTimestamp: 'validUntil' })).toEqual([
    'F05 error validUntil',
  ]);
  expect(found({ columns, families, cellTimestamp: 'at' })).toEqual([]);
  expect(found({ columns, cellTimestamp: 'validUntil' })).toEqual([]);
});

describe('F07: growth', () => {
  const map = (type: string, options: Loose = {}): Loose => ({
    columns: { v: columnMap('m', type as never, options) },
  });

  test('maps are bounded by kind, expectation, age or the time bucket of the key', () => {
    expect(found(map('double'))).toEqual(['F07 warning v']);
    expect(found({ ...map('double'), ...expecting({ v: { maxEntries: 500 } }) })).toEqual([]);
    expect(found({ ...map('double'), families: { m: { gc: maxAge('1d') } } })).toEqual([]);
    expect(found(map('double', { qualifiers: 'enum', values: ['a', 'b'] }))).toEqual([]);
    expect(found(map('double', { qualifiers: 'uint', max: 3_599 }))).toEqual([]);
  });

  test('entries of a bucket of time', () => {
    const daily = { device: text, day: { kind: 'timestamp', floor: 'day' } };
    const hourly = { device: text, hour: { kind: 'timestamp', floor: 'hour' } };
    const seconds = map('double', { qualifiers: 'timestamp', unit: 's' });
    const millis = map('double', { qualifiers: 'timestamp' });
    for (const bucket of [daily, hourly])
      for (const values of [seconds, millis]) expect(key(bucket, values)).toEqual([]);
    // Whatever the qualifiers are: a row does not grow after its time.
    expect(key(daily, map('double'))).toEqual([]);
    expect(key({ device: text, day: { kind: 'uint' } }, map('double'))).toEqual([]);
    const frames = { ...map('bytes'), ...expecting({ v: { maxBytes: 50_000 } }) };
    expect(key(daily, frames)).toEqual(['F07 warning v']);
    const few = expecting({ v: { maxBytes: 50_000, maxEntries: 2_000 } });
    expect(key(daily, { ...map('bytes'), ...few })).toEqual([]);
    const monthly = { device: text, month: { kind: 'uint', max: 999_912 } };
    expect(key(monthly, map('string'))).toEqual(['F07 info v']);
  });

  test('versions without a rule, and appended values without a size', () => {
    const columns = { v: versions('m', 'double') };
    expect(found({ families: { m: {} }, columns })).toEqual(['F03 info m', 'F07 warning v']);
    const append = (more: Loose): Loose => expecting({ v: { updates: 'append', ...more } });
    expect(found(append({}))).toEqual(['F07 warning v']);
    expect(found(append({ maxBytes: 1_000_000 }))).toEqual([]);
  });
});

test('F08: multi-cluster routing makes conditional writes errors', () => {
  const columns = { v: column('m', 'string'), n: counter('m'), r: revision('m') };
  const change = { columns, indexes: indexes({ byV: indexOn('v') }) };
  expect(found(change)).toEqual(['F08 warning n']);
  expect(found(change, { multiCluster: true })).toEqual([
    'F08 error n',
    'F08 error r',
    'F08 error indexes',
  ]);
  const counts = { families: { c: aggregate('sum') }, columns: { n: counter('c') } };
  expect(found(counts, { multiCluster: true })).toEqual([]);
});

describe('F09: tables of one shape', () => {
  const tables = (...names: string[]): string[] =>
    list(names.map((table, i) => entity({ table }, `E${i}`)));

  test('years, numbered tenants, and thirty of any names', () => {
    expect(tables('log_2025', 'log_2026')).toEqual(['F09 warning -']);
    expect(tables('log_v1', 'log_v2')).toEqual([]);
    expect(tables('tenant1', 'tenant2', 'tenant3')).toEqual(['F09 warning -']);
    const names = Array.from({ length: 30 }, (_, i) => `${'abcdefghij'[i % 10]}${'xyz'[i % 3]}`);
    expect(tables(...names)).toEqual(['F09 warning -']);
    expect(tables(...names.slice(0, 29))).toEqual([]);
  });
});

test('F10: over 30 single columns in a family', () => {
  const columns = (count: number): Loose =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`c${i}`, column('m', 'double')]));
  expect(found({ columns: columns(31) })).toEqual(['F10 warning m']);
  expect(found({ columns: columns(30) })).toEqual([]);
});

describe('F13 and F14: sizes', () => {
  test('cells over 10 MB, and over the 100 MB that Bigtable allows', () => {
    const bytes = { columns: { v: column('m', 'bytes') } };
    const megabytes = (count: number): string[] =>
      found({ ...bytes, ...expecting({ v: { maxBytes: count * 1024 * 1024 } }) });
    expect(megabytes(10)).toEqual([]);
    expect(megabytes(11)).toEqual(['F13 warning v']);
    expect(megabytes(101)).toEqual(['F13 error v', 'F14 warning v']);
    expect(megabytes(257)).toEqual(['F13 error v', 'F14 error v']);
  });

  test('the sum of a row', () => {
    const names = Array.from({ length: 11 }, (_, i) => `v${i}`);
    const columns = Object.fromEntries(names.map((name) => [name, column('m', 'bytes')]));
    const sizes = Object.fromEntries(names.map((name) => [name, { maxBytes: 10_000_000 }]));
    expect(found({ columns, ...expecting(sizes) })).toEqual(['F14 warning v0']);
    const { v0, ...fewer } = sizes;
    expect(v0).toBeDefined();
    expect(found({ columns, ...expecting(fewer) })).toEqual([]);
  });

  test('lengths that class-validator bounds', () => {
    @Entity({ table: 'texts', families: { m: one } })
    class Texts {
      static readonly key = rowKey('device');
      @Segment('string', { maxLength: 20 }) device!: string;
      @MaxLength(5_000_000) @Column('m', 'string') long?: string;
      @MaxLength(5_000) @Column('m', 'string') short?: string;
    }
    expect(list([Texts])).toEqual(['F13 warning long']);
  });

  test('messages have a size only if it is declared', () => {
    const codec = { encode: () => new Uint8Array(), decode: () => ({}) };
    const columns = { v: packed('m', codec as never) };
    expect(found({ columns })).toEqual([]);
    expect(found({ columns, ...expecting({ v: { maxBytes: 20_000_000 } }) })).toEqual([
      'F13 warning v',
    ]);
  });
});
