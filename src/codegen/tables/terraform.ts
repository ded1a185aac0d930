/** Tables, families and their rules for Terraform's google provider. */
import type { FamilySchema } from '../../store/index.js';
import { terraformGcRules } from './gc-forms.js';
import { hclText, jsonencode, type HclItem, type HclValue } from './hcl.js';
import type { NamedInstance } from './instance.js';
import { rowKeySchema } from './row-key-schema.js';
import { rowKeySchemaType } from './row-key-schema-text.js';
import { splitTexts, type TableOfEntities } from './tables.js';

/**
 * google_bigtable_table and google_bigtable_gc_policy for each table. Losing data takes more than
 * one careless plan: tables are protected on both sides, a change of split keys (which would
 * recreate the table) is ignored, and a policy that leaves the file is abandoned, not removed.
 */
export function terraformTables(
  tables: readonly TableOfEntities[],
  { project, instance }: NamedInstance,
): string {
  const tableName = resourceNames();
  const policyName = resourceNames();
  const blocks = tables.flatMap((table) => {
    const name = tableName(table.schema.name);
    return [undefined, tableBlock(table, name), ...policyBlocks(table, name, policyName)];
  });
  return hclText([
    {
      comment:
        'Tables of the entities, for the google provider. Written by rowsmith generate: change the entities, not this file.',
    },
    undefined,
    variable('project', 'Project of the Bigtable instance.', project),
    undefined,
    variable('instance_name', 'Name of the Bigtable instance.', instance),
    ...blocks,
  ]);
}

function variable(name: string, description: string, value: string | undefined): HclItem {
  const fallback = value === undefined ? [] : [{ name: 'default', value }];
  return {
    block: 'variable',
    labels: [name],
    body: [
      { name: 'type', value: { expression: 'string' } },
      { name: 'description', value: description },
      ...fallback,
    ],
  };
}

function tableBlock({ schema, models }: TableOfEntities, name: string): HclItem {
  const splits = splitTexts(schema);
  const { struct } = rowKeySchema(models);
  return {
    block: 'resource',
    labels: ['google_bigtable_table', name],
    body: [
      { name: 'project', value: { expression: 'var.project' } },
      { name: 'name', value: schema.name },
      { name: 'instance_name', value: { expression: 'var.instance_name' } },
      { name: 'deletion_protection', value: 'PROTECTED' },
      ...(splits.length === 0 ? [] : [{ name: 'split_keys', value: splits }]),
      ...(struct === undefined
        ? []
        : [
            undefined,
            {
              name: 'row_key_schema',
              value: jsonencode(rowKeySchemaType(struct) as unknown as HclValue),
            },
          ]),
      ...[...schema.families].flatMap(([family, declared]) => [
        undefined,
        familyBlock(family, declared),
      ]),
      undefined,
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

function familyBlock(family: string, { aggregate }: FamilySchema): HclItem {
  return {
    block: 'column_family',
    body: [
      { name: 'family', value: family },
      ...(aggregate === undefined ? [] : [{ name: 'type', value: `int${aggregate}` }]),
    ],
  };
}

/**
 * A family that keeps everything has no policy. The arguments `mode`, `max_age` and `max_version`
 * would recreate it with each change.
 */
function policyBlocks(
  { schema }: TableOfEntities,
  name: string,
  policyName: (wanted: string) => string,
): HclItem[] {
  return [...schema.families].flatMap(([family, { gc }]) =>
    gc === undefined
      ? []
      : [
          undefined,
          {
            block: 'resource',
            labels: ['google_bigtable_gc_policy', policyName(`${name}_${family}`)],
            body: [
              { name: 'project', value: { expression: 'var.project' } },
              { name: 'instance_name', value: { expression: 'var.instance_name' } },
              { name: 'table', value: { expression: `google_bigtable_table.${name}.name` } },
              { name: 'column_family', value: family },
              { name: 'deletion_policy', value: 'ABANDON' },
              undefined,
              { name: 'gc_rules', value: jsonencode(terraformGcRules(gc) as unknown as HclValue) },
            ],
          },
        ],
  );
}

/** Gives names of resources: letters, digits, _ and -, not beginning with a digit; each once. */
function resourceNames(): (wanted: string) => string {
  const taken = new Set<string>();
  return (wanted) => {
    const plain = wanted.replace(/[^\w-]/g, '_').replace(/^(?=[\d-])/, '_');
    let free = plain;
    for (let again = 2; taken.has(free); again++) free = `${plain}_${again}`;
    taken.add(free);
    return free;
  };
}
