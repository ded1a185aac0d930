/** Tables, families and their rules for Terraform's google provider. */
import type { EntityModel } from '../../../entities/model/index.js';
import type { FamilySchema } from '../../../data/store/index.js';
import { UniqueNames } from '../unique-names.js';
import { terraformGcRules } from './gc-forms.js';
import { viewBlock, viewsOfTable } from './authorized-views.js';
import { blankLine, hclText, jsonencode, type HclItem, type HclValue } from './hcl.js';
import type { NamedInstance } from './instance.js';
import { rowKeySchema } from './row-key-schema.js';
import { rowKeySchemaType } from './row-key-schema-text.js';
import { splitTexts, type TableOfEntities } from './tables.js';

/**
 * google_bigtable_table for each table, its google_bigtable_gc_policy and its
 * google_bigtable_authorized_view. One careless plan does not lose data: tables are protected
 * twice, a change of split keys (which would recreate the table) is ignored, and a policy that
 * leaves the file is abandoned, not removed.
 */
export function terraformTables(
  tables: readonly TableOfEntities[],
  { project, instance }: NamedInstance,
  views: readonly EntityModel[] = [],
): string {
  const viewNames = new UniqueNames({ ignoreCase: false });
  const tableNames = new UniqueNames({ ignoreCase: false });
  const policyNames = new UniqueNames({ ignoreCase: false });
  const blocks = tables.flatMap((table) => {
    const name = tableNames.take(resourceName(table.schema.name));
    return [
      blankLine,
      tableBlock(table, name),
      ...policyBlocks(table, name, policyNames),
      ...viewsOfTable(views, table.schema.name).flatMap((view) =>
        viewBlock(view, viewNames.take(resourceName(`${name}_${view.view!.name}`)), name),
      ),
    ];
  });
  return hclText([
    {
      comment:
        'Tables of the entities, for the google provider. ' +
        'Written by rowsmith generate: change the entities, not this file.',
    },
    blankLine,
    variable('project', 'Project of the Bigtable instance.', project),
    blankLine,
    variable('instance_name', 'Name of the Bigtable instance.', instance),
    ...blocks,
  ]);
}

/** Letters, digits, _ and -, not beginning with a digit or -. */
function resourceName(name: string): string {
  return name.replace(/[^\w-]/g, '_').replace(/^(?=[\d-])/, '_');
}

function variable(name: string, description: string, value: string | undefined): HclItem {
  const body: HclItem[] = [
    { name: 'type', value: { expression: 'string' } },
    { name: 'description', value: description },
  ];
  if (value !== undefined) body.push({ name: 'default', value });
  return { block: 'variable', labels: [name], body };
}

function tableBlock(table: TableOfEntities, name: string): HclItem {
  const { schema } = table;
  return {
    block: 'resource',
    labels: ['google_bigtable_table', name],
    body: [
      { name: 'project', value: { expression: 'var.project' } },
      { name: 'name', value: schema.name },
      { name: 'instance_name', value: { expression: 'var.instance_name' } },
      { name: 'deletion_protection', value: 'PROTECTED' },
      ...splitKeys(table),
      ...keySchema(table),
      ...[...schema.families].flatMap(([family, declared]) => [
        blankLine,
        familyBlock(family, declared),
      ]),
      blankLine,
      {
        block: 'lifecycle',
        body: [
          { name: 'prevent_destroy', value: true },
          { name: 'ignore_changes', value: { expression: '[split_keys]' } },
        ],
      },
    ],
  };
}

function splitKeys({ schema }: TableOfEntities): readonly HclItem[] {
  const splits = splitTexts(schema);
  if (splits.length === 0) return [];
  return [{ name: 'split_keys', value: splits }];
}

function keySchema({ models }: TableOfEntities): readonly HclItem[] {
  const { struct } = rowKeySchema(models);
  if (struct === undefined) return [];
  const value = jsonencode(rowKeySchemaType(struct) as unknown as HclValue);
  return [blankLine, { name: 'row_key_schema', value }];
}

function familyBlock(family: string, { aggregate }: FamilySchema): HclItem {
  const body: HclItem[] = [{ name: 'family', value: family }];
  if (aggregate !== undefined) body.push({ name: 'type', value: `int${aggregate}` });
  return { block: 'column_family', body };
}

/**
 * A family that keeps everything has no policy. The rule is in `gc_rules`, because a change of
 * `mode`, `max_age` or `max_version` recreates the policy.
 */
function policyBlocks(
  { schema }: TableOfEntities,
  tableName: string,
  policyNames: UniqueNames,
): HclItem[] {
  return [...schema.families].flatMap(([family, { gc }]) => {
    if (gc === undefined) return [];
    return [
      blankLine,
      {
        block: 'resource',
        labels: [
          'google_bigtable_gc_policy',
          policyNames.take(resourceName(`${tableName}_${family}`)),
        ],
        body: [
          { name: 'project', value: { expression: 'var.project' } },
          { name: 'instance_name', value: { expression: 'var.instance_name' } },
          { name: 'table', value: { expression: `google_bigtable_table.${tableName}.name` } },
          { name: 'column_family', value: family },
          { name: 'deletion_policy', value: 'ABANDON' },
          blankLine,
          { name: 'gc_rules', value: jsonencode(terraformGcRules(gc)) },
        ],
      },
    ];
  });
}
