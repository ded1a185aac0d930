/** Generators of schemas for other tools, from keys, tables and columns. */
import { type EntityModel, storedModels } from '../../entities/model/index.js';
import { bigQueryTable } from './sql/bigquery-table.js';
import { viewDefinitions } from './tables/authorized-views.js';
import { cbtScript } from './tables/cbt-script.js';
import { dataDictionary } from './documents/data-dictionary.js';
import { gcloudScript } from './tables/gcloud-script.js';
import { instanceOf } from './tables/instance.js';
import { jsonSchema } from './documents/json-schema.js';
import type { Generator, OutputFile } from './output-file.js';
import { indexViews } from './sql/index-view.js';
import { materializedViews, materializedViewsTerraform } from './sql/materialized-view.js';
import { rowKeySchema } from './tables/row-key-schema.js';
import { rowKeySchemaJson, rowKeySchemaYaml } from './tables/row-key-schema-text.js';
import { sqlView } from './sql/sql-view.js';
import { tablesOf, type TableOfEntities } from './tables/tables.js';
import { terraformTables } from './tables/terraform.js';
import { UniqueNames } from './unique-names.js';

/** Every generator except the generators of messages. */
export const schemaGenerators: readonly Generator[] = [
  {
    name: 'cbt',
    summary: 'a shell script that creates the tables with cbt',
    generate: ({ models, url }) => [
      {
        path: 'tables.cbt.sh',
        content: cbtScript(tablesOf(storedModels(models)), instanceOf(url)),
      },
    ],
  },
  {
    name: 'gcloud',
    summary: 'a shell script that creates the tables and authorized views with gcloud',
    generate: ({ models, views, url }) => [
      ...viewDefinitions(views ?? []),
      {
        path: 'tables.gcloud.sh',
        content: gcloudScript(
          tablesOf(storedModels(models)),
          instanceOf(url),
          keySchemaPaths(storedModels(models)),
          views,
        ),
      },
    ],
  },
  {
    name: 'terraform',
    summary: 'tables, their rules and authorized views for the google provider of Terraform',
    generate: ({ models, views, url }) => [
      {
        path: 'tables.tf',
        content: terraformTables(tablesOf(storedModels(models)), instanceOf(url), views),
      },
    ],
  },
  {
    name: 'row-key-schema',
    summary: 'row_key_schema of each table, YAML for gcloud and JSON for the API',
    generate: ({ models }) => tablesOf(storedModels(models)).flatMap(keySchemaFiles),
  },
  {
    name: 'sql',
    summary: 'a GoogleSQL view for each entity',
    generate: ({ models }) => entityFiles(models, 'views', 'sql', sqlView),
  },
  {
    name: 'materialized-views',
    summary: 'views of rollups and indexes, as GoogleSQL and for Terraform',
    generate: ({ models, url }) => {
      const entities = tablesOf(models).flatMap((table) => table.models);
      const views = [...materializedViews(entities), ...indexViews(entities)];
      if (views.length === 0) return [];
      return [
        ...views.map(({ id, text }) => ({
          path: `materialized-views/${id}.sql`,
          content: text,
        })),
        {
          path: 'materialized-views.tf',
          content: materializedViewsTerraform(views, instanceOf(url)),
        },
      ];
    },
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
    generate: ({ models }) => entityFiles(models, 'json-schema', 'schema.json', jsonSchema),
  },
  {
    name: 'dictionary',
    summary: 'the data dictionary, Markdown: tables, keys, columns, access patterns',
    generate: ({ models }) => [
      { path: 'data-dictionary.md', content: dataDictionary(tablesOf(models)) },
    ],
  },
];

/** Path of a table's row_key_schema in YAML, relative to the scripts. */
function keySchemaPath(table: string): string {
  return `row-key-schema/${table}.yaml`;
}

/** The path by name of the table, for tables that have a row_key_schema. */
function keySchemaPaths(models: readonly EntityModel[]): (table: string) => string | undefined {
  return (table) => {
    const { struct } = rowKeySchema(models.filter((model) => model.table.name === table));
    if (struct === undefined) return undefined;
    return keySchemaPath(table);
  };
}

function keySchemaFiles({ schema, models }: TableOfEntities): readonly OutputFile[] {
  const table = schema.name;
  const keySchema = rowKeySchema(models);
  const yaml = { path: keySchemaPath(table), content: rowKeySchemaYaml(table, keySchema) };
  const json = rowKeySchemaJson(keySchema);
  if (json === undefined) return [yaml];
  return [yaml, { path: `row-key-schema/${table}.json`, content: json }];
}

/**
 * A file for each entity, named after it. `contentOf` gets all entities of the table too, the
 * entity included.
 */
function entityFiles(
  models: readonly EntityModel[],
  folder: string,
  extension: string,
  contentOf: (model: EntityModel, sharing: readonly EntityModel[]) => string,
): readonly OutputFile[] {
  // Unique without regard to case, because some file systems ignore it.
  const fileNames = new UniqueNames();
  return tablesOf(models)
    .flatMap((table) => table.models)
    .map((model) => ({
      path: `${folder}/${fileNames.take(fileName(model))}.${extension}`,
      content: contentOf(
        model,
        models.filter((other) => other.table.name === model.table.name),
      ),
    }));
}

/** The name of an entity as the name of a file: one part of a path, and not hidden. */
function fileName(model: EntityModel): string {
  const name = model.name.replace(/[^\w.-]/g, '_');
  return /^\w/.test(name) ? name : `_${name}`;
}
