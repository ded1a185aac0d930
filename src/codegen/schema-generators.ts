/** The generators of schema for other tools, from keys, tables and columns. */
import type { EntityModel } from '../model/index.js';
import { bigQueryTable } from './sql/bigquery-table.js';
import { cbtScript } from './tables/cbt-script.js';
import { dataDictionary } from './documents/data-dictionary.js';
import { gcloudScript } from './tables/gcloud-script.js';
import { instanceOf } from './tables/instance.js';
import { jsonSchema } from './documents/json-schema.js';
import type { Generator, OutputFile } from './output-file.js';
import { rowKeySchema } from './tables/row-key-schema.js';
import { rowKeySchemaJson, rowKeySchemaYaml } from './tables/row-key-schema-text.js';
import { uniqueNames } from './sql/sql-literal.js';
import { sqlView } from './sql/sql-view.js';
import { tablesOf } from './tables/tables.js';
import { terraformTables } from './tables/terraform.js';

/** Where the YAML of a table's row_key_schema is, from the scripts. */
const keySchemaPath = (table: string): string => `row-key-schema/${table}.yaml`;

/** Everything but messages: those are protobuf's. */
export const schemaGenerators: readonly Generator[] = [
  {
    name: 'cbt',
    summary: 'a shell script that creates the tables with cbt',
    generate: ({ models, url }) => [
      { path: 'tables.cbt.sh', content: cbtScript(tablesOf(models), instanceOf(url)) },
    ],
  },
  {
    name: 'gcloud',
    summary: 'a shell script that creates the tables with gcloud',
    generate: ({ models, url }) => [
      {
        path: 'tables.gcloud.sh',
        content: gcloudScript(tablesOf(models), instanceOf(url), withKeySchema(models)),
      },
    ],
  },
  {
    name: 'terraform',
    summary: 'tables and garbage collection for the google provider of Terraform',
    generate: ({ models, url }) => [
      { path: 'tables.tf', content: terraformTables(tablesOf(models), instanceOf(url)) },
    ],
  },
  {
    name: 'row-key-schema',
    summary: 'row_key_schema of each table, YAML for gcloud and JSON for the API',
    generate: ({ models }) =>
      tablesOf(models).flatMap((table) => keySchemaFiles(table.schema.name, table.models)),
  },
  {
    name: 'sql',
    summary: 'a GoogleSQL view for each entity',
    generate: ({ models }) =>
      tablesOf(models)
        .flatMap((table) => table.models)
        .map(entityFile(models, 'views', 'sql', (model, sharing) => sqlView(model, sharing))),
  },
  {
    name: 'bigquery',
    summary: 'the definition of a BigQuery external table for each table',
    generate: ({ models, url }) =>
      tablesOf(models).map((table) => ({
        path: `bigquery/${table.schema.name}.json`,
        content: bigQueryTable(table, instanceOf(url)),
      })),
  },
  {
    name: 'json-schema',
    summary: 'JSON Schema of each entity as rowsmith export writes it',
    generate: ({ models }) =>
      tablesOf(models)
        .flatMap((table) => table.models)
        .map(entityFile(models, 'json-schema', 'schema.json', jsonSchema)),
  },
  {
    name: 'dictionary',
    summary: 'the data dictionary, Markdown: tables, keys, columns, access patterns',
    generate: ({ models }) => [
      { path: 'data-dictionary.md', content: dataDictionary(tablesOf(models)) },
    ],
  },
];

function withKeySchema(models: readonly EntityModel[]): (table: string) => string | undefined {
  return (name) =>
    rowKeySchema(models.filter((model) => model.table.name === name)).struct === undefined
      ? undefined
      : keySchemaPath(name);
}

function keySchemaFiles(table: string, models: readonly EntityModel[]): readonly OutputFile[] {
  const schema = rowKeySchema(models);
  const json = rowKeySchemaJson(schema);
  return [
    { path: keySchemaPath(table), content: rowKeySchemaYaml(table, schema) },
    ...(json === undefined ? [] : [{ path: `row-key-schema/${table}.json`, content: json }]),
  ];
}

/**
 * A file for each entity, named after it; each name once, also where a disk does not tell upper
 * from lower case.
 */
function entityFile(
  models: readonly EntityModel[],
  folder: string,
  ending: string,
  contentOf: (model: EntityModel, sharing: readonly EntityModel[]) => string,
): (model: EntityModel) => OutputFile {
  const fileName = uniqueNames();
  return (model) => ({
    path: `${folder}/${fileName(model.name.replace(/[^\w.-]/g, '_'))}.${ending}`,
    content: contentOf(
      model,
      models.filter((other) => other.table.name === model.table.name),
    ),
  });
}
