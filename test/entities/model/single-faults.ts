/** Entities and messages with one fault each. */
import {
  column,
  columnMap,
  counter,
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
  aggregate,
  table,
  union,
  versions,
} from '../../../src/entities/model/index.js';
import { entity, message, entityWith } from './faulty-entities.js';

export const long = 'x'.repeat(16_385);
export const deepRule = union(
  ...Array.from({ length: 60 }, (_, i) => intersection(maxAge(i + 1), maxVersions(i + 1))),
);

export const single: readonly (readonly [what: string, make: () => unknown, fault: string])[] = [
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
    "Item.v: @Versions has no option 'default' | use 'qualifier', 'schema'",
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
    "Item: family 'a' has the aggregate \"hll\" with cells that cannot be read: Bigtable does not document the bytes of HyperLogLog++ (types.proto: \"State: TBD\") | use aggregate('sum'), aggregate('min') or aggregate('max')",
  ],
  [
    'an unknown aggregate',
    () => entity({ families: { m: {}, a: { aggregate: 'avg' } } }),
    "Item: family 'a' has the unknown aggregate \"avg\" | use aggregate('sum'), aggregate('min') or aggregate('max')",
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
    () => entity({ families: { m: aggregate('sum') } }),
    "Item.v: @Column is in the aggregate family 'm', which only holds counters | use @Counter, or move the column to a plain family",
  ],
  [
    'a counter in a family that deletes by age',
    () =>
      entity({
        families: { m: aggregate('sum', { gc: union(maxVersions(1), maxAge('1d')) }) },
        columns: { v: counter('m') },
      }),
    "Item.v: the gc rule of the aggregate family 'm' deletes by age, and counter cells have timestamp 0 | remove maxAge from the rule of this family",
  ],
  [
    'versions in an aggregate family',
    () => entity({ families: { m: aggregate('sum') }, columns: { v: versions('m', 'int64') } }),
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
    () => entity({ marker: true, families: { m: aggregate('sum') }, columns: { v: counter('m') } }),
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
