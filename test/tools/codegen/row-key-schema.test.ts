/**
 * Google's published messages accept each row_key_schema, and its encodings give exactly the bytes
 * of our keys.
 */
import { keyColumns } from '../../../src/tools/codegen/tables/key-columns.js';
import {
  rowKeySchema,
  sqlTypeOf,
  type KeyStruct,
} from '../../../src/tools/codegen/tables/row-key-schema.js';
import {
  rowKeySchemaJson,
  rowKeySchemaType,
  rowKeySchemaYaml,
} from '../../../src/tools/codegen/tables/row-key-schema-text.js';
import { tablesOf } from '../../../src/tools/codegen/tables/tables.js';
import { column, defineEntity, literal, rowKey } from '../../../src/index.js';
import type { EntityModel } from '../../../src/types.js';
import { buildModel, buildModels } from '../../../src/entities/model/index.js';
import { publishedType } from '../../engines/protocol/published.js';
import { expectGolden } from '../../support/golden.js';
import { all, EveryOrderedKind, Visit } from './entities.js';

const tables = tablesOf(buildModels(all));

/** The JSON after a round trip through the published message: nothing is lost or unknown. */
function throughPublished(name: string, json: unknown): unknown {
  const type = publishedType(`google.bigtable.admin.v2.${name}`);
  const message = type.fromObject(json as object);
  expect(type.verify(message)).toBeNull();
  return type.toObject(type.decode(type.encode(message).finish()), { bytes: String });
}

test.each(tables.map(({ schema, models }) => [schema.name, models] as const))(
  '%s: the published messages accept it unchanged',
  (_name, models) => {
    const schema = rowKeySchema(models);
    const json = rowKeySchemaJson(schema);
    if (schema.struct === undefined) {
      expect(json).toBeUndefined();
      return;
    }
    const struct = JSON.parse(json!) as object;
    expect(throughPublished('Type.Struct', struct)).toEqual(struct);
    expect(throughPublished('Type', rowKeySchemaType(schema.struct))).toEqual({
      structType: struct,
    });
    expect(throughPublished('Table', { rowKeySchema: struct })).toEqual({ rowKeySchema: struct });
    // What table.proto requires of names.
    const names = schema.struct.fields.map(({ fieldName }) => fieldName);
    expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(names.length);
    for (const name of names)
      expect([
        ...models.flatMap((model) => [...model.table.families.keys()]),
        '_key',
        '_timestamp',
        '',
      ]).not.toContain(name);
  },
);

test('golden files', () => {
  expectGolden(
    'codegen/row-key-schema.yaml',
    tables
      .map(({ schema, models }) => rowKeySchemaYaml(schema.name, rowKeySchema(models)))
      .join('---\n'),
  );
  expectGolden('codegen/row-key-schema.json', rowKeySchemaJson(rowKeySchema([buildModel(Visit)]))!);
});

const entity = (name: string, table: string, parts: Parameters<typeof rowKey>): EntityModel => {
  const entityClass = defineEntity(
    Object.assign(
      {
        [name]: class {
          id = '';
          other = '';
          value?: number;
        },
      }[name],
      {},
    ),
    {
      name,
      table,
      families: { m: {} },
      key: rowKey(...parts) as never,
      segments: Object.fromEntries(
        parts.filter((part) => typeof part === 'string').map((part) => [part, 'string']),
      ),
      columns: { value: column('m', 'double') },
    },
  );
  return buildModel(entityClass);
};

test('entities of one table that agree share a schema, also where their literals differ', () => {
  const [a, b] = [entity('A', 't', [literal('a'), 'id']), entity('B', 't', [literal('b'), 'id'])];
  expect(rowKeySchema([a, b]).struct?.fields.map(({ fieldName }) => fieldName)).toEqual([
    '_ds',
    'id',
  ]);
  expect(rowKeySchema([a, entity('C', 't', [literal('c'), 'other'])])).toEqual({
    notes: [
      'The keys of A and C differ, and a table has one row_key_schema:',
      '  A: _ds STRING, id STRING',
      '  C: _ds STRING, other STRING',
      expect.stringMatching(/^Queries fail/),
    ],
  });
});

test('names of parts differ from families and from each other', () => {
  expect(keyColumns(buildModel(Visit)).map(({ name, position }) => [name, position])).toEqual([
    ['shard', 0],
    ['_ds', 1],
    ['source', 2],
    ['key_e', 3],
  ]);
  expect(
    keyColumns(entity('D', 't', [literal('x'), 'id', literal('y'), 'other', literal('z')])).map(
      ({ name }) => name,
    ),
  ).toEqual(['_ds', 'id', '_ds2', 'other', '_ds3']);
});

describe('the encodings are as in the key', () => {
  /** Splits a key by Bigtable's struct encodings (types.proto) into the raw bytes of its fields. */
  function fieldsOf(key: Uint8Array, struct: KeyStruct): Buffer[] {
    const text = Buffer.from(key).toString('latin1');
    const bytes = (part: string): Buffer => Buffer.from(part, 'latin1');
    if ('delimitedBytes' in struct.encoding)
      return text
        .split(Buffer.from(struct.encoding.delimitedBytes.delimiter, 'base64').toString('latin1'))
        .map(bytes);
    const parts = text
      .split('\u0000\u0001')
      .map((part) =>
        bytes(part === '\u0000\u0000' ? '' : part.replaceAll('\u0000\u00ff', '\u0000')),
      );
    return [
      ...parts,
      ...Array.from({ length: struct.fields.length - parts.length }, () => Buffer.alloc(0)),
    ];
  }

  test('ordered: every field has the bytes of its type', () => {
    const model = buildModel(EveryOrderedKind);
    const at = new Date(Date.UTC(2026, 10, 20, 10, 30));
    const values = {
      string: 'a\u0000b',
      stringDesc: 'z',
      nullable: null,
      int: 64,
      intDesc: 64,
      intNullable: null,
      big: 42n,
      wide: 64n,
      float: 1.5,
      decimal: '0.64',
      bool: true,
      name: 'NEW',
      ordinal: 'DONE',
      at,
      atDesc: at,
      hour: at,
      micros: 64n,
      iso: at,
      isoDay: at,
      uuid: '550e8400-e29b-41d4-a716-446655440000',
      ulid: '01ARZ3NDEKTSV4RRFFQ69G5FAV',
      bytes: Uint8Array.of(0, 1),
      bytesDesc: Uint8Array.of(1),
      reversed: 7,
      domain: 'maps.example.com',
    };
    const { struct } = rowKeySchema([model]);
    const fields = fieldsOf(model.key.encode(values), struct!);
    const shown = Object.fromEntries(
      struct!.fields.map(({ fieldName, type }, i) => [
        fieldName,
        `${sqlTypeOf(type)} ${fields[i].toString('hex')}`,
      ]),
    );
    // int64 64 is c040 in ordered code; -1 - 64 is 3fbf; bytes of strings are UTF-8.
    expect(shown).toMatchObject({
      _ds: `STRING ${Buffer.from('kind').toString('hex')}`,
      string: 'STRING 610062',
      stringDesc: 'BYTES 85fffe',
      nullable: 'STRING ',
      int: 'INT64 c040',
      intDesc: 'INT64 3fbf',
      intNullable: 'BYTES ',
      wide: 'INT64 c040',
      decimal: 'INT64 3fbf',
      bool: 'INT64 81',
      name: `STRING ${Buffer.from('NEW').toString('hex')}`,
      ordinal: 'INT64 81',
      micros: 'TIMESTAMP c040',
      key_at: 'TIMESTAMP ff0660b2b9ec9a00',
      atDesc: 'INT64 00f99f4d461365ff',
      bytes: 'BYTES 0001',
      uuid: 'BYTES 550e8400e29b41d4a716446655440000',
      domain: `STRING ${Buffer.from('com.example.maps').toString('hex')}`,
    });
  });

  test('text: fields are the parts between delimiters', () => {
    const model = buildModel(Visit);
    const { struct } = rowKeySchema([model]);
    const fields = fieldsOf(model.key.encode({ source: 'a#b', e: 7 }), struct!).map(String);
    expect(fields.slice(1)).toEqual(['visit$20page', 'a$23b', '00007']);
  });
});
