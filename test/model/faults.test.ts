/** All faults of declarations with their exact texts, because users rely on them. */
import type { Fault } from '../../src/errors.js';
import { RowsmithError } from '../../src/errors.js';
import {
  buildModels,
  column,
  columnMap,
  counter,
  defineEntity,
  defineMessage,
  enumOf,
  field,
  intersection,
  literal,
  mapField,
  maxAge,
  maxVersions,
  packed,
  repeatedField,
  rowKey,
  sum,
  table,
  union,
  versions,
} from '../../src/model/index.js';

type Loose = Record<string, unknown>;
type AnyClass = new () => object;

/** A correct entity with part of its definition replaced, untyped as in JavaScript. */
function entity(change: Loose, name = 'Item'): AnyClass {
  const entityClass = { [name]: class {} }[name];
  return defineEntity(entityClass, {
    table: 't',
    families: { m: {} },
    key: rowKey('id'),
    segments: { id: 'string' },
    columns: { v: column('m', 'string') },
    ...change,
  } as never);
}

function message(fields: Loose, name?: string): AnyClass {
  return defineMessage(class Part {}, { fields, name });
}

const entityWith = (inner: unknown): AnyClass =>
  entity({ columns: { v: packed('m', inner as never) } });

/** `Class.property: problem | fix`, one line each. */
function faultsOf(...classes: unknown[]): string[] {
  try {
    buildModels(classes as AnyClass[]);
  } catch (error) {
    expect(error).toBeInstanceOf(RowsmithError);
    expect((error as RowsmithError).code).toBe('INVALID_DECLARATION');
    return (error as RowsmithError).details.faults!.map(
      ({ entity, property, problem, fix }: Fault) =>
        `${entity}${property === undefined ? '' : `.${property}`}: ${problem} | ${fix}`,
    );
  }
  return [];
}

const long = 'x'.repeat(16_385);
const deepRule = union(
  ...Array.from({ length: 60 }, (_, i) => intersection(maxAge(i + 1), maxVersions(i + 1))),
);

const single: readonly (readonly [what: string, make: () => unknown, fault: string])[] = [
  [
    'a segment with options and no kind',
    () => entity({ segments: { id: { maxLength: 40 } } }),
    "Item.id: the segment has options and no kind | name the kind: @Segment('string', { maxLength: 40 }), or { kind: 'string', maxLength: 40 } in defineEntity",
  ],
  [
    'a column that is an object',
    () => entity({ columns: { n: { family: 'm', type: 'double' } } }),
    "Item.n: the column is an object, which column() has not made | write n: column('m', 'double')",
  ],
  [
    'no @Entity',
    () => class Bare {},
    "Bare: the class has no @Entity | add @Entity({ table: 'name', families: { m: {} } }), which is not inherited, or call defineEntity",
  ],
  [
    '@Entity is not inherited',
    () => class Sub extends entity({}) {},
    "Sub: the class has no @Entity | add @Entity({ table: 'name', families: { m: {} } }), which is not inherited, or call defineEntity",
  ],
  [
    'nothing but @Entity',
    () => entity({ segments: {}, columns: {} }),
    'Item: @Entity was recorded, but no decorator of a property | write decorators with parentheses, @Segment(), and compile the whole file either with legacy or with standard decorators',
  ],
  [
    'not a class',
    () => undefined,
    'entities[0]: undefined is not a class | the class is not initialised yet: break the circular import, or open the database after all modules are loaded',
  ],
  [
    'no class at all',
    () => 'Reading',
    'entities[0]: the string "Reading" is not a class | pass entity classes',
  ],

  [
    'a misspelt option of the entity',
    () => entity({ markr: true }),
    "Item: an entity has no option 'markr' | did you mean 'marker'?",
  ],
  [
    'a misspelt option of shards',
    () => entity({ shards: { count: 4, by: ['id'], salt: 1 } }),
    "Item: shards has no option 'salt' | use 'count', 'by'",
  ],
  [
    'a misspelt option of a family',
    () => entity({ families: { m: { cg: maxVersions(1) } } }),
    "Item: family 'm' has no option 'cg' | did you mean 'gc'?",
  ],
  [
    'a misspelt option of a column',
    () => entity({ columns: { v: column('m', 'string', { defualt: 'x' } as never) } }),
    "Item.v: @Column has no option 'defualt' | did you mean 'default'?",
  ],
  [
    'an option of another kind of column',
    () => entity({ columns: { v: versions('m', 'string', { default: 'x' } as never) } }),
    "Item.v: @Versions has no option 'default' | use 'qualifier'",
  ],
  [
    'a misspelt option of a counter',
    () => entity({ columns: { v: counter('m', { name: 'x' } as never) } }),
    "Item.v: @Counter has no option 'name' | use 'qualifier'",
  ],
  [
    'a misspelt option of a packed column',
    () =>
      entity({
        columns: { v: packed('m', message({ a: field(1, 'string') }), { upgrade: {} } as never) },
      }),
    "Item.v: @Packed has no option 'upgrade' | did you mean 'upgrades'?",
  ],
  [
    'a misspelt option of a field',
    () => entityWith(message({ a: field(1, 'string', { oneOf: 'x' } as never) })),
    "Part.a: @Field has no option 'oneOf' | did you mean 'oneof'?",
  ],

  [
    'no key',
    () => entity({ key: undefined }),
    "Item.key: the class has no row key | add static readonly key = rowKey('tenant', 'device', 'at')",
  ],
  [
    'a key that is an array',
    () => entity({ key: ['id'] }),
    "Item.key: the key was not created with rowKey | write static readonly key = rowKey('tenant', 'device', 'at')",
  ],
  [
    'a key part that is a number',
    () => entity({ key: rowKey('id', 1 as never) }),
    "Item.key: a part of the key is neither a name nor a literal | name properties, or use literal('text'): static readonly key = rowKey('tenant', 'device', 'at')",
  ],
  [
    'a key of literals',
    () => entity({ key: rowKey(literal('x')), segments: {} }),
    "Item.key: the key has no segment | name at least one property: static readonly key = rowKey('tenant', 'device', 'at')",
  ],
  [
    'a key that may become too long',
    () => entity({ segments: { id: { kind: 'string', maxLength: 1_366 } } }),
    'Item.key: the key can have up to 4098 bytes, and Bigtable allows 4096 | lower maxLength: a UTF-16 unit of text takes up to three bytes',
  ],
  [
    'an unknown segment',
    () => entity({ key: rowKey('id', 'of') }),
    "Item.key: the key names 'of', which is not a segment | put @Segment() on of, or name one of 'id'",
  ],
  [
    'a segment outside the key',
    () => entity({ segments: { id: 'string', of: 'string' } }),
    "Item.of: the segment is not in the key | add 'of' to rowKey(...), or make it a column",
  ],
  [
    'a segment twice',
    () => entity({ key: rowKey('id', 'id') }),
    "Item.key: the key names 'id' twice | name each segment once",
  ],
  [
    'a segment that is a column',
    () => entity({ columns: { id: column('m', 'string') } }),
    'Item.id: the property is a segment and a column | keep it in the key, or make it a column',
  ],

  [
    'an unknown family',
    () => entity({ columns: { v: column('x', 'string') } }),
    'Item.v: family "x" is not declared | declare it in families, or use one of \'m\'',
  ],
  [
    'no families',
    () => entity({ families: undefined, columns: {}, marker: true }),
    'Item: no column family is declared | add families to @Entity: families: { m: { gc: maxVersions(1) } }',
  ],
  [
    'families declared twice',
    () => entity({ table: table('t', { families: { m: {} } }) }),
    "Item: families are declared both by table('t') and by the entity | leave `families` out of @Entity",
  ],
  [
    'a family name',
    () => entity({ families: { m: {}, 'a b': {} } }),
    'Item: "a b" is not a family name | start with a letter, digit or _, and use only letters, digits, _, - and ., at most 64 characters',
  ],
  [
    'a long family name',
    () => entity({ families: { m: {}, ['f'.repeat(65)]: {} } }),
    `Item: "${'f'.repeat(65)}" is not a family name | start with a letter, digit or _, and use only letters, digits, _, - and ., at most 64 characters`,
  ],
  [
    'a table name',
    () => entity({ table: '-t' }),
    'Item: "-t" is not a table name | start with a letter, digit or _, and use only letters, digits, _, - and ., at most 50 characters',
  ],
  [
    'a long table name',
    () => entity({ table: 't'.repeat(51) }),
    `Item: "${'t'.repeat(51)}" is not a table name | start with a letter, digit or _, and use only letters, digits, _, - and ., at most 50 characters`,
  ],
  [
    'an aggregate whose bytes are not documented',
    () => entity({ families: { m: {}, a: { aggregate: 'hll' } } }),
    'Item: family \'a\' has the aggregate "hll" with cells that cannot be read: Bigtable does not document the bytes of HyperLogLog++ (types.proto: "State: TBD") | use sum(), min() or max()',
  ],
  [
    'an unknown aggregate',
    () => entity({ families: { m: {}, a: { aggregate: 'avg' } } }),
    'Item: family \'a\' has the unknown aggregate "avg" | use sum(), min() or max()',
  ],
  [
    'maxVersions(0)',
    () => entity({ families: { m: { gc: maxVersions(0) } } }),
    "Item: family 'm': maxVersions(0) is not a whole number of versions | keep at least 1: maxVersions(1)",
  ],
  [
    'maxAge(0)',
    () => entity({ families: { m: { gc: maxAge(0.5) } } }),
    "Item: family 'm': maxAge is 500us, but must be at least 1 ms and a whole number of microseconds | write a longer age: maxAge('1ms')",
  ],
  [
    'an empty union',
    () => entity({ families: { m: { gc: union() } } }),
    "Item: family 'm': union() is empty | pass rules, or leave gc out: union(maxAge('30d'), maxVersions(1))",
  ],
  [
    'an empty intersection inside',
    () => entity({ families: { m: { gc: union(maxVersions(1), intersection()) } } }),
    "Item: family 'm': intersection() is empty | pass rules, or leave gc out: intersection(maxAge('30d'), maxVersions(1))",
  ],
  [
    'a gc that is not a rule',
    () => entity({ families: { m: { gc: { versions: 1 } } } }),
    "Item: family 'm': gc is not a rule | use maxVersions(n), maxAge('30d'), union(...) or intersection(...)",
  ],
  [
    'a gc rule over 500 bytes',
    () => entity({ families: { m: { gc: deepRule } } }),
    "Item: family 'm': its gc rule has 1021 bytes, and Bigtable allows 500 | simplify the rule: nested unions and intersections can be merged",
  ],

  [
    'one qualifier twice',
    () =>
      entity({
        columns: {
          a: column('m', 'string', { qualifier: 'q' }),
          b: column('m', 'string', { qualifier: 'q' }),
        },
      }),
    "Item.b: it has the qualifier of 'a' in family 'm' | give one of them another: { qualifier: 'name' }",
  ],
  [
    'the qualifier of the marker',
    () => entity({ marker: 'm', columns: { a: column('m', 'string', { qualifier: '' }) } }),
    "Item.a: it has the qualifier of the marker in family 'm' | give one of them another: { qualifier: 'name' }",
  ],
  [
    'a long qualifier',
    () => entity({ columns: { a: column('m', 'string', { qualifier: long }) } }),
    "Item.a: the qualifier has 16385 bytes, and Bigtable allows 16384 | give a short one: { qualifier: 't' }",
  ],
  [
    'a lone surrogate',
    () => entity({ columns: { a: column('m', 'string', { qualifier: '\ud800' }) } }),
    'Item.a: the qualifier contains a lone surrogate, which has no UTF-8 encoding | write whole characters, or give the qualifier as bytes',
  ],
  [
    'an unknown kind',
    () => entity({ columns: { a: column('m', 'text' as never) } }),
    "Item.a: \"text\" is not a kind of column | use one of 'string', 'date', 'int32', 'uint32', 'double', 'float', 'int64', 'bool', 'timestamp', 'bytes', 'json'",
  ],
  [
    'a column in an aggregate family',
    () => entity({ families: { m: sum() } }),
    "Item.v: @Column is in the aggregate family 'm', which only holds counters | use @Counter, or move the column to a plain family",
  ],
  [
    'a counter in a family that deletes by age',
    () =>
      entity({
        families: { m: sum({ gc: union(maxVersions(1), maxAge('1d')) }) },
        columns: { v: counter('m') },
      }),
    "Item.v: the gc rule of the aggregate family 'm' deletes by age, and counter cells have timestamp 0 | remove maxAge from the rule of this family",
  ],
  [
    'versions in an aggregate family',
    () => entity({ families: { m: sum() }, columns: { v: versions('m', 'int64') } }),
    "Item.v: @Versions is in the aggregate family 'm', which only holds counters | use @Counter, or move the column to a plain family",
  ],
  [
    'a column map beside a column',
    () => entity({ columns: { v: column('m', 'string'), map: columnMap('m', 'string') } }),
    "Item.map: @ColumnMap needs the whole family 'm', but 'v' is in it too | give the map its own family",
  ],
  [
    'no columns',
    () => entity({ columns: {} }),
    'Item: the entity has no column, and Bigtable does not store empty rows | add a column, or marker: true to write one empty cell',
  ],
  [
    'marker: false and no columns',
    () => entity({ columns: {}, marker: false }),
    'Item: the entity has no column, and Bigtable does not store empty rows | add a column, or marker: true to write one empty cell',
  ],
  [
    'an unknown marker family',
    () => entity({ marker: 'x' }),
    "Item: marker names family 'x', which is not declared | declare it in families, or use one of 'm'",
  ],
  [
    'a marker without a suitable family',
    () => entity({ marker: true, families: { m: sum() }, columns: { v: counter('m') } }),
    "Item: the marker needs a family that is neither an aggregate family nor the family of a @ColumnMap | add a plain family and name it: marker: 'm'",
  ],
  [
    'cellTimestamp that is not a timestamp',
    () => entity({ cellTimestamp: 'v' }),
    "Item.v: cellTimestamp names a property that is not a timestamp | name a Date: @Segment('timestamp'), @Segment('isoDate') or @Column(family, 'timestamp')",
  ],
  [
    'cellTimestamp that is not a property',
    () => entity({ cellTimestamp: 'when' }),
    "Item.when: cellTimestamp names a property that is not a timestamp | name a Date: @Segment('timestamp'), @Segment('isoDate') or @Column(family, 'timestamp')",
  ],

  [
    'a packed class without fields',
    () => entityWith(class Plain {}),
    "Plain: the message has no fields | declare the class: @Message() and @Field(1, 'string')",
  ],
  [
    'a message without fields',
    () => entityWith(message({})),
    "Part: the message has no fields | give it fields: @Field(1, 'string')",
  ],
  [
    'a message that is undefined',
    () => entityWith(undefined),
    "Item.v: the message is undefined | pass a function, because the class may be declared later or be part of an import cycle: @Packed('m', () => Status)",
  ],
  [
    'a circular import',
    () => entityWith(() => undefined),
    'Item.v: the function for the message returns undefined | import it in a way that is complete when the model is built: break the circular import, or move the message to a file of its own',
  ],
  [
    'a class not initialised yet',
    () =>
      entityWith(() => {
        throw new ReferenceError("Cannot access 'Status' before initialization");
      }),
    "Item.v: the function for the message throws: Cannot access 'Status' before initialization | import it in a way that is complete when the model is built: break the circular import, or move the message to a file of its own",
  ],
  [
    'a function that returns no class',
    () => entityWith(() => 5),
    "Item.v: the function for the message returns number, not a class | return the class: @Packed('m', () => Status)",
  ],
  [
    'a message name',
    () => entityWith(message({ a: field(1, 'string') }, 'no name')),
    'Part: "no name" is not a protobuf message name | name it with letters, digits, _ and dots: @Message(\'telemetry.Status\')',
  ],
  ...[0, -1, 1.5, 19_000, 19_999, 2 ** 29].map(
    (number) =>
      [
        `field number ${number}`,
        () => entityWith(message({ a: field(number, 'string') })),
        `Part.a: ${number} is not a field number | use a whole number from 1 to 536870911, except 19000 to 19999`,
      ] as const,
  ),
  [
    'a field number twice',
    () => entityWith(message({ a: field(1, 'string'), b: field(1, 'string') })),
    "Part.b: field number 1 is used by 'a', 'b' | give each field its own number, and never reuse a number that was stored",
  ],
  [
    'an unknown field kind',
    () => entityWith(message({ a: field(1, 'int' as never) })),
    "Part.a: \"int\" is not a field kind | use one of 'double', 'float', 'int32', 'uint32', 'sint32', 'fixed32', 'sfixed32', 'int64', 'uint64', 'sint64', 'fixed64', 'sfixed64', 'bool', 'string', 'bytes', 'timestamp', enumOf(...) or () => Message",
  ],
  [
    'a map key kind',
    () => entityWith(message({ a: mapField(1, 'double' as never, 'string') })),
    "Part.a: \"double\" cannot be the key of a map field | use one of 'int32', 'uint32', 'sint32', 'fixed32', 'sfixed32', 'int64', 'uint64', 'sint64', 'fixed64', 'sfixed64', 'bool', 'string'",
  ],
  [
    'a list in a oneof',
    () =>
      entityWith(
        message({ a: { declaration: { ...repeatedField(1, 'string').declaration, oneof: 'o' } } }),
      ),
    "Part.a: a repeated field is in oneof 'o' | a oneof contains only singular fields: wrap the list in a message",
  ],
  [
    'an enum without 0',
    () => entityWith(message({ a: field(1, enumOf({ ON: 1 })) })),
    'Part.a: the enum has no member 0 | add one, for example UNSPECIFIED = 0: proto3 reads an unset enum field as 0',
  ],
  [
    'an enum outside int32',
    () => entityWith(message({ a: field(1, enumOf({ OFF: 0, ON: 2 ** 31 })) })),
    'Part.a: enum member ON is 2147483648 | give each member a 32-bit whole number',
  ],
  [
    'an enum of strings',
    () => entityWith(message({ a: field(1, enumOf({ OFF: 0, ON: 'on' })) })),
    'Part.a: enum member ON is "on" | give each member a 32-bit whole number',
  ],
  [
    'a custom codec in a field',
    () =>
      entityWith(
        message({
          a: field(1, (() => ({ encode: () => new Uint8Array(), decode: () => 1 })) as never),
        }),
      ),
    'Part.a: a field cannot hold a value of a custom codec | declare the inner message with @Message, or store the value in its own column with @Packed',
  ],
  [
    'a segment kind',
    () => entity({ segments: { id: 'text' } }),
    "Item.id: \"text\" is not a segment kind | use one of 'string', 'decimal', 'enum', 'uuid', 'ulid', 'domain', 'int', 'uint', 'float', 'reversedId', 'bigint', 'micros', 'bool', 'timestamp', 'isoDate', 'bytes'",
  ],
];

test.each(single)('%s', (_what, make, fault) => {
  expect(faultsOf(make())).toEqual([fault]);
});

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
