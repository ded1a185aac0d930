/** Hostile names do not become commands of generated scripts, nor paths outside of their folder. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { generators } from '../../../src/tools/codegen/index.js';
import { protoClassModules } from '../../../src/tools/codegen/proto/proto-class-module.js';
import { fromProto } from '../../../src/entities/proto/from-proto.js';
import { cbtScript } from '../../../src/tools/codegen/tables/cbt-script.js';
import { gcloudScript } from '../../../src/tools/codegen/tables/gcloud-script.js';
import { rowKeySchema } from '../../../src/tools/codegen/tables/row-key-schema.js';
import { rowKeySchemaYaml } from '../../../src/tools/codegen/tables/row-key-schema-text.js';
import { tablesOf } from '../../../src/tools/codegen/tables/tables.js';
import { terraformTables } from '../../../src/tools/codegen/tables/terraform.js';
import { sqlView } from '../../../src/tools/codegen/sql/sql-view.js';
import { column, defineEntity, packed, rowKey } from '../../../src/index.js';
import { buildModels } from '../../../src/entities/model/index.js';
import { root } from '../../support/built-package.js';

class Row {
  id = '';
  text?: string;
}
Object.defineProperty(Row, 'name', { value: 'Row\ntouch /tmp/pwned\r\ntouch\u2028x' });
const Hostile = defineEntity(Row, {
  table: 'rows',
  families: { m: {} },
  key: rowKey('id'),
  segments: { id: 'string' },
  columns: { text: column('m', 'string') },
});

test('class names stay within their comments', () => {
  const models = buildModels([Hostile]);
  const tables = tablesOf(models);
  const named = { project: 'p', instance: 'i' };
  const texts = [
    cbtScript(tables, named),
    gcloudScript(tables, named, () => undefined),
    terraformTables(tables, named),
    rowKeySchemaYaml('rows', rowKeySchema(models)),
    sqlView(models[0], models),
  ];
  for (const text of texts) {
    const commands = text.split(/[\n\r\u2028\u2029]/).filter((line) => !/^\s*(#|--)/.test(line));
    expect(commands.join('\n')).not.toContain('touch');
  }
  expect(texts[0]).toContain('# rows: Row\\ntouch /tmp/pwned\\u000d\\ntouch\\u2028x\n');
});

test.each([
  '../../etc/passwd',
  '..',
  '.',
  'a/b',
  'a\\b',
  'C:\\x',
  '/etc/passwd',
  'a\nb',
  'a\0b',
  '\u202egnp.exe',
  '.hidden',
  '-rf',
])('files are named inside the output folder, whatever the class is called: %j', async (name) => {
  class Named {
    id = '';
    text?: string;
  }
  Object.defineProperty(Named, 'name', { value: name });
  const entity = defineEntity(Named, {
    table: 'named',
    families: { m: {} },
    key: rowKey('id'),
    segments: { id: 'string' },
    columns: { text: column('m', 'string') },
  });
  const models = buildModels([entity]);
  for (const generator of generators)
    for (const { path } of await generator.generate({ models }))
      expect(path).toMatch(/^([a-z][a-z_-]*\/)*\w[\w.-]*\.[a-z]+$/);
});

test.each(['..', '../t', 'a/b', 'a\\b', 'a\nb', '.t', '-rf', ''])(
  'such a table is rejected: %j',
  (table) => {
    const faulty = defineEntity(class Faulty extends Row {}, {
      table,
      families: { m: {} },
      key: rowKey('id'),
      segments: { id: 'string' },
      columns: { text: column('m', 'string') },
    });
    expect(() => buildModels([faulty])).toThrow(
      expect.objectContaining({ code: 'INVALID_DECLARATION' }),
    );
  },
);

/** Generates the module of a file with a message Status. */
function modulesOf(name: string, content: string): unknown {
  mkdirSync(join(root, '.tmp'), { recursive: true });
  const folder = mkdtempSync(join(root, '.tmp/hostile-'));
  try {
    writeFileSync(join(folder, name), `syntax = "proto3"; ${content}`);
    class Holder {
      id = '';
      held?: object;
    }
    const entity = defineEntity(Holder, {
      table: 'held',
      families: { m: {} },
      key: rowKey('id'),
      segments: { id: 'string' },
      columns: { held: packed('m', fromProto(join(folder, name), 'Status')) },
    });
    return protoClassModules(buildModels([entity]));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test.each(['a\nthrow 1.proto', "a'b.proto", 'a\\b.proto', 'a\u2028b.proto', '.proto'])(
  'a .proto file with a name that would be code or no name is rejected: %j',
  (name) => {
    // The name stands in a comment and in imports of the generated module.
    expect(() => modulesOf(name, 'message Status { int32 load = 1; }')).toThrow(
      expect.objectContaining({ code: 'INVALID_DECLARATION' }),
    );
  },
);

test('two messages whose classes would have one name are rejected', () => {
  const content = `message A { message B { int32 load = 1; } }
    message A_B { int32 load = 1; }
    message Status { A.B one = 1; A_B other = 2; }`;
  const problem = 'two of its types would be called A_B in TypeScript';
  expect(() => modulesOf('status.proto', content)).toThrow(
    expect.objectContaining({ details: expect.objectContaining({ problem }) as unknown }),
  );
});
