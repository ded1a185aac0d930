/**
 * All schema generators together: golden files, the rules of their formats, and output that does
 * not depend on the order of the entities.
 */
import { bigQueryTable } from '../../../src/tools/codegen/sql/bigquery-table.js';
import { dataDictionary } from '../../../src/tools/codegen/documents/data-dictionary.js';
import { jsonSchema } from '../../../src/tools/codegen/documents/json-schema.js';
import type { OutputFile } from '../../../src/tools/codegen/output-file.js';
import { sampleValues } from '../../../src/tools/codegen/documents/sample-values.js';
import { schemaGenerators } from '../../../src/tools/codegen/schema-generators.js';
import { tablesOf } from '../../../src/tools/codegen/tables/tables.js';
import {
  Column,
  column,
  defineEntity,
  delimited,
  Entity,
  Field,
  Message,
  Packed,
  rowKey,
  Segment,
} from '../../../src/index.js';
import { buildModel, buildModels } from '../../../src/entities/model/index.js';
import { expectGolden } from '../../support/golden.js';
import { compiledSchema } from '../../support/json-schema.js';
import { all, EveryKind, Reading, User } from './entities.js';

const models = buildModels(all);
const tables = tablesOf(models);
const url = 'bigtable://my-project/my-instance';

async function filesOf(order: typeof models, from?: string): Promise<Record<string, string>> {
  const files: OutputFile[] = [];
  for (const generator of schemaGenerators)
    files.push(...(await generator.generate({ models: order, url: from })));
  expect(new Set(files.map(({ path }) => path.toLowerCase())).size).toBe(files.length);
  return Object.fromEntries(files.map(({ path, content }) => [path, content as string]));
}

test('the list of files; each ends with a line break and contains no path of this machine', async () => {
  const files = await filesOf(models, url);
  expectGolden('codegen/files.txt', `${Object.keys(files).join('\n')}\n`);
  for (const content of Object.values(files)) {
    expect(content.endsWith('\n') && !content.endsWith('\n\n')).toBe(true);
    expect(content).not.toContain(process.cwd());
  }
});

test('the bytes do not depend on the order of the entities', async () => {
  expect(await filesOf([...models].reverse(), url)).toEqual(await filesOf(models, url));
});

test('project and instance come from the url', async () => {
  const [named, unnamed] = [await filesOf(models, url), await filesOf(models)];
  expect(named['tables.cbt.sh']).toContain(
    ': "${PROJECT:=my-project}"\n: "${INSTANCE:=my-instance}"',
  );
  expect(unnamed['tables.cbt.sh']).toContain(': "${PROJECT:?set PROJECT}"');
  expect(named['bigquery/shop.json']).toContain(
    'projects/my-project/instances/my-instance/tables/shop',
  );
  expect(unnamed['tables.tf']).not.toContain('default');
  // Shell syntax in the URL does not get into the script.
  expect((await filesOf(models, 'bigtable://p$(touch x)/i`y`'))['tables.gcloud.sh']).toContain(
    ': "${PROJECT:=ptouchx}"\n: "${INSTANCE:=iy}"',
  );
});

describe('the data dictionary', () => {
  const text = dataDictionary(tables);

  test('golden file', () => expectGolden('codegen/data-dictionary.md', text));

  test('every link leads to a heading, every row of a table has the same number of cells', () => {
    const headings = text
      .match(/^#+ .*$/gm)!
      .map((heading) => heading.replace(/^#+ /, '').toLowerCase());
    for (const [, anchor] of text.matchAll(/\]\(#([^)]+)\)/g)) expect(headings).toContain(anchor);
    let width = 0;
    for (const row of text.split('\n')) {
      const cells = row.startsWith('|') ? row.split(/(?<!\\)\|/).length : 0;
      if (width > 0 && cells > 0) expect([row, cells]).toEqual([row, width]);
      width = cells;
    }
  });

  test('sample keys are valid keys of their entity', () => {
    for (const model of models) {
      for (const which of [0, 1] as const)
        expect(
          model.key.foreignReason(model.key.encode(sampleValues(model, which))),
        ).toBeUndefined();
    }
    class Odd {
      the_name = '';
      x = '';
      n = 0;
      value?: number;
    }
    const odd = defineEntity(Odd, {
      table: 'odd',
      families: { m: {} },
      keyFormat: delimited('_'),
      key: rowKey('the_name', 'x', 'n'),
      segments: {
        the_name: { kind: 'string', maxLength: 3 },
        x: 'string',
        n: { kind: 'uint', max: 1 },
      },
      columns: { value: column('m', 'double') },
    });
    expect(
      Buffer.from(buildModel(odd).key.encode(sampleValues(buildModel(odd), 0))).toString(),
    ).toBe('me1_x1_1');
  });
});

describe('the BigQuery definition', () => {
  const definitionOf = (table: (typeof tables)[number]): any =>
    JSON.parse(bigQueryTable(table, { project: 'p', instance: 'i' }));

  test('golden file', () =>
    expectGolden(
      'codegen/bigquery.json',
      bigQueryTable(
        tables.find(({ schema }) => schema.name === 'telemetry')!,
        {},
      ),
    ));

  test.each(tables.map((table) => [table.schema.name, table] as const))(
    '%s: only options that bigtableOptions define',
    (_name, table) => {
      const { sourceFormat, sourceUris, bigtableOptions, ...rest } = definitionOf(table);
      expect({ sourceFormat, sourceUris, rest }).toEqual({
        sourceFormat: 'BIGTABLE',
        sourceUris: [
          `https://googleapis.com/bigtable/projects/p/instances/i/tables/${table.schema.name}`,
        ],
        rest: {},
      });
      expect(
        bigtableOptions.columnFamilies.map(({ familyId }: { familyId: string }) => familyId),
      ).toEqual([...table.schema.families.keys()]);
      for (const family of bigtableOptions.columnFamilies) {
        const names = family.columns.map(({ fieldName }: { fieldName: string }) =>
          fieldName.toLowerCase(),
        );
        expect(new Set(names).size).toBe(names.length);
        for (const each of [family, ...family.columns]) {
          expect(['BYTES', 'STRING', 'INTEGER', 'FLOAT', 'BOOLEAN', 'JSON']).toContain(each.type);
          expect([undefined, 'BINARY', 'PROTO_BINARY']).toContain(each.encoding);
          if (each.encoding === 'PROTO_BINARY')
            expect(each).toMatchObject({
              type: 'JSON',
              protoConfig: { schemaBundleId: 'messages' },
            });
          if (each.fieldName !== undefined)
            expect(each.fieldName).toMatch(/^[a-zA-Z][a-zA-Z0-9_]*$/);
        }
      }
    },
  );

  test('binary keys stay bytes, and so do columns that entities read differently', () => {
    expect(
      Object.fromEntries(
        tables.map((table) => [
          table.schema.name,
          definitionOf(table).bigtableOptions.readRowkeyAsString,
        ]),
      ),
    ).toMatchObject({ shop: true, 'kinds-ordered': false });
    class Alpha {
      id = '';
      n?: number;
    }
    class Beta {
      code = '';
      n?: string;
    }
    const entities = [Alpha, Beta].map((one, i) =>
      defineEntity(one as new () => { id: string; code: string; n?: never }, {
        table: 'mixed',
        families: { m: {} },
        key: rowKey({ literal: `${i}` }, i === 0 ? 'id' : 'code'),
        segments: { [i === 0 ? 'id' : 'code']: 'string' } as never,
        columns: { n: column('m', i === 0 ? 'double' : 'string') },
      }),
    );
    const [table] = tablesOf(buildModels(entities));
    expect(definitionOf(table).bigtableOptions.columnFamilies[0].columns).toEqual([
      { qualifierString: 'n', fieldName: 'n', type: 'BYTES', onlyReadLatest: true },
    ]);
  });
});

describe('JSON Schema', () => {
  @Message('outputs.Node')
  class Node {
    @Field(1, 'string', { oneof: 'what' }) name?: string;
    @Field(2, 'int64', { oneof: 'what' }) id?: bigint;
    @Field(3, () => Node) child?: Node;
  }
  @Entity({ table: 'nodes', families: { m: {} } })
  class Tree {
    static readonly key = rowKey('id');
    @Segment('string', { maxLength: 3 }) id!: string;
    @Packed('m', () => Node) node?: Node;
    @Column('m', 'double') weight?: number;
  }

  const compiled = (entity: new () => object) => compiledSchema(jsonSchema(buildModel(entity)));
  const at = '2026-11-20T10:30:00.000Z';
  const reading = { tenant: 'acme', device: 'd1', at };

  test('golden file', () =>
    expectGolden('codegen/json-schema.json', jsonSchema(buildModel(Reading))));

  test.each<[string, new () => object, object, boolean]>([
    ['segments only', Reading, reading, true],
    [
      'everything',
      Reading,
      {
        ...reading,
        temperature: 21.5,
        note: '',
        history: [{ at, value: 1 }],
        tags: { a: 'b' },
        reads: '9007199254740993',
        '@at': 5,
        status: {
          firmware: 'x',
          uptimeMs: '-1',
          mode: 'ON',
          position: { lat: 'NaN' },
          alarms: ['a'],
          levels: [['x', 1]],
          seen: at,
          '@unknown': 'AA==',
        },
      },
      true,
    ],
    ['a number without a name in an open enum', Reading, { ...reading, status: { mode: 7 } }, true],
    ['a segment is missing', Reading, { tenant: 'acme', device: 'd1' }, false],
    ['an unknown property', Reading, { ...reading, temprature: 1 }, false],
    ['a number for an int64', Reading, { ...reading, reads: 5 }, false],
    ['a misspelled member', Reading, { ...reading, status: { mode: 'UP' } }, false],
    ['an unknown field', Reading, { ...reading, status: { firmwear: 'x' } }, false],
    ['a map as an object', Reading, { ...reading, status: { levels: { x: 1 } } }, false],
    ['text that is too long', Reading, { ...reading, tenant: 'x'.repeat(41) }, false],
    ['an invalid date', User, { user: 'u', born: 5 }, false],
    [
      'a nested message',
      Tree,
      { id: 'a', node: { name: 'x', child: { child: { id: '1' } } } },
      true,
    ],
    ['two fields of a oneof', Tree, { id: 'a', node: { child: { name: 'x', id: '1' } } }, false],
    ['Infinity as text', Tree, { id: 'a', weight: '-Infinity' }, true],
    ['Infinity misspelled', Tree, { id: 'a', weight: 'inf' }, false],
  ])('%s', (_what, entity, value, valid) => {
    expect(compiled(entity)(value)).toBe(valid);
  });

  test('every kind of segment and column has a schema', () => {
    const schema = JSON.parse(jsonSchema(buildModel(EveryKind))) as {
      properties: Record<string, unknown>;
      required: string[];
    };
    expect(Object.keys(schema.properties)).toHaveLength(
      buildModel(EveryKind).segments.length + buildModel(EveryKind).columns.length,
    );
    expect(Object.values(schema.properties).filter((each) => each === true)).toHaveLength(1);
    expect(schema.properties).toMatchObject({
      int: { type: 'integer', minimum: -99_999, maximum: 99_999 },
      uint: { minimum: 0, maximum: 4_294_967_295 },
      uintDesc: { maximum: Number.MAX_SAFE_INTEGER },
      wide: { type: 'string' },
      nullable: { anyOf: [{ type: 'string', maxLength: 8 }, { type: 'null' }] },
      name: { enum: ['NEW', 'DONE'] },
      decimal: { pattern: '^-?[0-9]+([.][0-9]{1,2})?$' },
      json_: true,
    });
  });
});
