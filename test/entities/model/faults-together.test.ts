/** Faults of several entities together, and of calls. */
import type { RowsmithError } from '../../../src/base/index.js';
import {
  column,
  defineEntity,
  defineMessage,
  enumOf,
  field,
  literal,
  maxAge,
  maxVersions,
  packed,
  rowKey,
  union,
} from '../../../src/entities/model/index.js';
import {
  type Loose,
  type AnyClass,
  entity,
  message,
  entityWith,
  faultsOf,
} from './faulty-entities.js';

test('faults of the key codec name the segment', () => {
  const faults = faultsOf(entity({ segments: { id: { kind: 'decimal' } } }));
  expect(faults).toHaveLength(1);
  expect(faults[0]).toMatch(/^Item\.id: .*scale.* \| .+/);
  expect(faultsOf(entity({ shards: { count: 4, by: ['nothing'] } }))).toHaveLength(1);
  expect(faultsOf(entity({ keyFormat: 'binary' }))).toEqual([
    "Item: there is no key format \"binary\" | use 'text', 'ordered' or delimited('|')",
  ]);
});

test('a key whose fixed part is too long', () => {
  expect(faultsOf(entity({ key: rowKey(literal('x'.repeat(5_000)), 'id') }))[0]).toMatch(
    /^Item: the fixed parts alone take 5001 bytes and row keys have at most 4096 \| /,
  );
});

describe('entities together', () => {
  test('two messages with one name', () => {
    const a = entityWith(message({ a: field(1, 'string') }, 'p.Part'));
    const b = entity(
      { table: 'u', columns: { v: packed('m', message({ b: field(1, 'string') }, 'p.Part')) } },
      'Other',
    );
    expect(faultsOf(a, b)).toEqual([
      "Part: the protobuf name p.Part is used twice | give each its own full name: @Message('package.Part')",
    ]);
  });

  test('two messages with one name, when both models were built before', () => {
    const a = entityWith(message({ a: field(1, 'string') }, 'p.Part'));
    const b = entity(
      { table: 'u', columns: { v: packed('m', message({ b: field(1, 'string') }, 'p.Part')) } },
      'Other',
    );
    expect([faultsOf(a), faultsOf(b)]).toEqual([[], []]);
    expect(faultsOf(a, b)).toHaveLength(1);
  });

  test('two enums with one name', () => {
    const fields = {
      a: field(1, enumOf({ OFF: 0 }, 'p.Mode')),
      b: field(2, enumOf({ NONE: 0 }, 'p.Mode')),
      c: field(3, enumOf({ OFF: 0 }, 'p.Mode')),
    };
    expect(faultsOf(entityWith(message(fields)))).toEqual([
      "Part.b: the protobuf name p.Mode is used twice | give each its own full name: enumOf(Mode, 'package.Mode')",
    ]);
  });

  test('contradicting families', () => {
    const a = entity({ key: rowKey(literal('a'), 'id') });
    const b = entity(
      { key: rowKey(literal('b'), 'id'), families: { m: { gc: maxVersions(2) } } },
      'Other',
    );
    expect(faultsOf(a, b)).toEqual([
      "Other: family 'm' of table 't' is declared differently by Item | declare the table once, with table('t', { families }), and use it in both entities",
    ]);
  });

  test('the order of rules does not matter', () => {
    const a = entity({
      key: rowKey(literal('a'), 'id'),
      families: { m: { gc: union(maxVersions(1), maxAge('1d')) } },
    });
    const b = entity(
      {
        key: rowKey(literal('b'), 'id'),
        families: { m: { gc: union(maxAge('24h'), maxVersions(1)) } },
      },
      'Other',
    );
    expect(faultsOf(a, b)).toEqual([]);
  });

  test('keys that can be equal', () => {
    const [fault, ...rest] = faultsOf(entity({}), entity({}, 'Other'));
    expect(rest).toEqual([]);
    expect(fault).toMatch(
      /^Other\.key: keys of Other and Item in table 't' can be equal: .+ \| start each key with a different literal: rowKey\(literal\('other'\), \.\.\.\)$/,
    );
  });

  test('a bigint in place of a name or an option is a fault and not a TypeError', () => {
    const segment = (options: Loose): AnyClass =>
      entity({ segments: { id: { kind: 'micros', order: 'desc', ...options } } });
    expect(faultsOf(segment({ reverseFrom: 2n ** 63n - 1n }))).toEqual([
      `Item.id: option 'reverseFrom' is 9223372036854775807n | use one of "nines", "long"`,
    ]);
    expect(faultsOf(entity({ table: 1n }))[0]).toContain('1n is not a table name');
    expect(faultsOf(entity({ segments: { id: 1n } }))).toHaveLength(1);
    expect(faultsOf(entity({ keyFormat: 1n }))).toEqual([
      "Item: there is no key format 1n | use 'text', 'ordered' or delimited('|')",
    ]);
    expect(faultsOf(entity({ columns: { v: column(1n as never, 'string') } }))[0]).toContain(
      'family 1n is not declared',
    );
    expect(faultsOf(entity({ columns: { v: column('m', 1n as never) } }))[0]).toContain('1n');
    expect(faultsOf(entity({ families: { m: { aggregate: 1n } } }))[0]).toContain('aggregate 1n');
  });

  test('all faults of all classes are reported together, each once', () => {
    const shared = message({ a: field(0, 'string') });
    const faults = faultsOf(
      entity({ table: '!', columns: { v: packed('m', shared) } }),
      entity({ key: rowKey('of'), columns: { v: packed('x', shared) } }, 'Other'),
    );
    expect(faults.map((fault) => fault.slice(0, fault.indexOf(':')))).toEqual([
      'Item',
      'Part.a',
      'Other.key',
      'Other.id',
      'Other.v',
    ]);
  });

  test('a faulty message stays faulty for the next build', () => {
    const inner = message({ a: field(0, 'string') });
    const outer = entityWith(defineMessage(class Outer {}, { fields: { inner: field(1, inner) } }));
    expect(faultsOf(outer)).toHaveLength(1);
    expect(faultsOf(outer)).toHaveLength(1);
  });
});

test('calls that cannot record a fault throw it', () => {
  const thrown = (call: () => unknown): unknown => {
    try {
      call();
    } catch (error) {
      return (error as RowsmithError).details;
    }
    return undefined;
  };
  expect(thrown(() => maxAge('30 days' as never))).toEqual({
    problem: 'maxAge("30 days") is not a duration',
    fix: "write a whole number and one unit of ms, s, m, h, d: maxAge('30d')",
  });
  const declared = entity({});
  expect(thrown(() => defineEntity(declared, {} as never))).toEqual({
    entity: 'Item',
    problem: 'the class is declared already',
    fix: 'declare it once: with decorators, or with one defineEntity',
  });
  expect(thrown(() => defineMessage(undefined as never, {} as never))).toEqual({
    problem: 'defineMessage got undefined instead of a class',
    fix: 'declare the class above defineMessage; in a circular import, move it to a file of its own',
  });
});
