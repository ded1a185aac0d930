/**
 * Tables and families for gcloud, as a shell script. cbt, which is a component of gcloud, does what
 * gcloud cannot.
 */
import type { EntityModel } from '../../../entities/model/index.js';
import type { FamilySchema, TableSchema } from '../../../data/store/index.js';
import { definitionPath, viewsOfTable } from './authorized-views.js';
import { cbtCreateTable, cbtFamily, cbtFunction, cbtPolicy } from './cbt-script.js';
import { gcloudRule } from './gc-forms.js';
import { scriptHead, shellWord, type NamedInstance } from './instance.js';
import { splitTexts, tableComment, type TableOfEntities } from './tables.js';

/**
 * Creates every table. `keySchemaOf` gives the path of a table's row_key_schema in YAML, relative
 * to the script; undefined when it has none. gcloud takes one rule or two joined by one operator,
 * no aggregates, and needs at least one family.
 */
export function gcloudScript(
  tables: readonly TableOfEntities[],
  named: NamedInstance,
  keySchemaOf: (table: string) => string | undefined,
  views: readonly EntityModel[] = [],
): string {
  const commands = tables.flatMap((table) => [
    '',
    tableComment(table),
    ...gcloudTable(table.schema, keySchemaOf(table.schema.name)),
    ...viewsOfTable(views, table.schema.name).map(gcloudView),
  ]);
  const lines = [
    ...scriptHead(
      [
        'Creates the tables with gcloud; a table that is there already ends it: sh tables.gcloud.sh',
      ],
      named,
    ),
    'cd "$(dirname "$0")"',
  ];
  if (commands.some((line) => line.startsWith('cbt '))) lines.push(cbtFunction);
  return `${[...lines, ...commands].join('\n')}\n`;
}

function gcloudTable(schema: TableSchema, keySchema: string | undefined): string[] {
  const families = [...schema.families];
  const plain = families.filter(([, { aggregate }]) => aggregate === undefined);
  const aggregates = families.filter(([, { aggregate }]) => aggregate !== undefined);
  return [
    ...createTable(schema, plain, keySchemaFlags(keySchema)),
    ...plain
      .filter(([, { gc }]) => gc !== undefined && gcloudRule(gc) === undefined)
      .flatMap(([family, declared]) => cbtPolicy(schema.name, family, declared)),
    ...aggregates.flatMap(([family, declared]) => cbtFamily(schema.name, family, declared)),
    ...updateTable(schema, plain, keySchemaFlags(keySchema)),
  ];
}

type Families = readonly (readonly [name: string, declared: FamilySchema])[];

/** gcloud has no type for aggregates, so it cannot create a table that has no other families. */
function createTable(
  schema: TableSchema,
  plain: Families,
  keySchema: readonly string[],
): readonly string[] {
  if (plain.length === 0) return [cbtCreateTable(schema)];
  const families = plain.map(([family, declared]) => gcloudFamily(family, declared)).join(',');
  return [
    gcloudCommand('create', schema, [
      `--column-families=${shellWord(families)}`,
      ...splitFlags(schema),
      ...keySchema,
    ]),
  ];
}

function gcloudView(model: EntityModel): string {
  return [
    `gcloud bigtable authorized-views create ${model.view!.name} --project="$PROJECT" --instance="$INSTANCE"`,
    `--table=${model.table.name} --definition-file=${shellWord(definitionPath(model))} --pre-encoded`,
  ].join(' \\\n  ');
}

/** Sets the row_key_schema of a table that cbt created. */
function updateTable(
  schema: TableSchema,
  plain: Families,
  keySchema: readonly string[],
): readonly string[] {
  if (plain.length > 0 || keySchema.length === 0) return [];
  return [gcloudCommand('update', schema, keySchema)];
}

function gcloudCommand(
  command: 'create' | 'update',
  { name }: TableSchema,
  flags: readonly string[],
): string {
  return [
    `gcloud bigtable tables ${command} ${name} --project="$PROJECT" --instance="$INSTANCE"`,
    ...flags,
  ].join(' \\\n  ');
}

function splitFlags(schema: TableSchema): readonly string[] {
  const splits = splitTexts(schema);
  if (splits.length === 0) return [];
  return [`--splits=${shellWord(splits.join(','))}`];
}

function keySchemaFlags(path: string | undefined): readonly string[] {
  if (path === undefined) return [];
  return [`--row-key-schema-definition-file=${shellWord(path)}`];
}

/** A family with its rule, if gcloud can express it. */
function gcloudFamily(family: string, { gc }: FamilySchema): string {
  if (gc === undefined) return family;
  const rule = gcloudRule(gc);
  if (rule === undefined) return family;
  return `${family}:${rule}`;
}
