/** Names with line breaks do not become commands of generated scripts. */
import { cbtScript } from '../../src/codegen/tables/cbt-script.js';
import { gcloudScript } from '../../src/codegen/tables/gcloud-script.js';
import { rowKeySchema } from '../../src/codegen/tables/row-key-schema.js';
import { rowKeySchemaYaml } from '../../src/codegen/tables/row-key-schema-text.js';
import { tablesOf } from '../../src/codegen/tables/tables.js';
import { terraformTables } from '../../src/codegen/tables/terraform.js';
import { sqlView } from '../../src/codegen/sql/sql-view.js';
import { column, defineEntity, rowKey } from '../../src/index.js';
import { buildModels } from '../../src/model/index.js';

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
