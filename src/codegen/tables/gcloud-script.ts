/**
 * Tables and families for gcloud, as a shell script. What gcloud cannot say is left to cbt, which
 * is a component of gcloud.
 */
import type { FamilySchema } from '../../store/index.js';
import { cbtFamily, cbtPolicy } from './cbt-script.js';
import { gcloudRule } from './gc-forms.js';
import { scriptHead, shellWord, type NamedInstance } from './instance.js';
import { splitTexts, type TableOfEntities } from './tables.js';

/**
 * Creates every table. `keySchemaOf` gives the path of a table's row_key_schema in YAML, relative
 * to the script; undefined where it has none. gcloud takes one rule or two joined by one operator,
 * no aggregates, and at least one family.
 */
export function gcloudScript(
  tables: readonly TableOfEntities[],
  named: NamedInstance,
  keySchemaOf: (table: string) => string | undefined,
): string {
  const commands = tables.map((table) => gcloudTable(table, keySchemaOf(table.schema.name)));
  const lines = [
    ...scriptHead(
      [
        'Creates the tables with gcloud; a table that is there already ends it: sh tables.gcloud.sh',
      ],
      named,
    ),
    'cd "$(dirname "$0")"',
    ...(commands.flat().some((line) => line.startsWith('cbt '))
      ? ['cbt() { command cbt -project "$PROJECT" -instance "$INSTANCE" "$@"; }']
      : []),
    ...tables.flatMap(({ schema, models }, i) => [
      '',
      `# ${schema.name}: ${models.map((model) => model.name).join(', ')}`,
      ...commands[i],
    ]),
  ];
  return `${lines.join('\n')}\n`;
}

function gcloudTable({ schema }: TableOfEntities, keySchema: string | undefined): string[] {
  const families = [...schema.families];
  const plain = families.filter(([, { aggregate }]) => aggregate === undefined);
  const aggregates = families.filter(([, { aggregate }]) => aggregate !== undefined);
  const splits = splitTexts(schema);
  const schemaFlag =
    keySchema === undefined ? [] : [`--row-key-schema-definition-file=${shellWord(keySchema)}`];
  const splitFlag = splits.length === 0 ? [] : [`--splits=${shellWord(splits.join(','))}`];
  const flags = [
    `--column-families=${shellWord(plain.map(([family, declared]) => gcloudFamily(family, declared)).join(','))}`,
    ...splitFlag,
    ...schemaFlag,
  ];
  const gcloud = (verb: string, rest: readonly string[]): string =>
    [
      `gcloud bigtable tables ${verb} ${schema.name} --project="$PROJECT" --instance="$INSTANCE"`,
      ...rest,
    ].join(' \\\n  ');
  // A table whose families are all aggregates cannot be created by gcloud, which has no type for
  // them.
  const created =
    plain.length > 0
      ? [gcloud('create', flags)]
      : [
          `cbt createtable ${[schema.name, ...(splits.length === 0 ? [] : [shellWord(`splits=${splits.join(',')}`)])].join(' ')}`,
        ];
  return [
    ...created,
    ...plain
      .filter(([, { gc }]) => gc !== undefined && gcloudRule(gc) === undefined)
      .flatMap(([family, declared]) => cbtPolicy(schema.name, family, declared)),
    ...aggregates.flatMap(([family, declared]) => cbtFamily(schema.name, family, declared)),
    ...(plain.length === 0 && schemaFlag.length > 0 ? [gcloud('update', schemaFlag)] : []),
  ];
}

function gcloudFamily(family: string, { gc }: FamilySchema): string {
  const rule = gc === undefined ? undefined : gcloudRule(gc);
  return rule === undefined ? family : `${family}:${rule}`;
}
