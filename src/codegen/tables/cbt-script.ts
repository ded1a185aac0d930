/** Tables and families for cbt, as a shell script. */
import { gcRuleText } from '../../model/index.js';
import type { FamilySchema, TableSchema } from '../../store/index.js';
import { cbtCannotSay } from './gc-forms.js';
import { scriptHead, shellWord, type NamedInstance } from './instance.js';
import { splitTexts, type TableOfEntities } from './tables.js';

/**
 * Creates every table with its families and their rules. cbt knows no precedence of `&&` and `||`,
 * so rules are always in parentheses.
 */
export function cbtScript(tables: readonly TableOfEntities[], named: NamedInstance): string {
  const lines = [
    ...scriptHead(
      ['Creates the tables with cbt; a table that is there already ends it: sh tables.cbt.sh'],
      named,
    ),
    'cbt() { command cbt -project "$PROJECT" -instance "$INSTANCE" "$@"; }',
    ...tables.flatMap(({ schema, models }) => [
      '',
      `# ${schema.name}: ${models.map((model) => model.name).join(', ')}`,
      ...cbtTable(schema),
    ]),
  ];
  return `${lines.join('\n')}\n`;
}

function cbtTable(schema: TableSchema): string[] {
  const splits = splitTexts(schema);
  const create = [
    'cbt createtable',
    schema.name,
    ...(splits.length === 0 ? [] : [shellWord(`splits=${splits.join(',')}`)]),
  ].join(' ');
  return [
    create,
    ...[...schema.families].flatMap(([family, declared]) =>
      cbtFamily(schema.name, family, declared),
    ),
  ];
}

/** The commands that add one family; an aggregate is of its type from the start. */
export function cbtFamily(table: string, family: string, declared: FamilySchema): string[] {
  const typed =
    declared.aggregate === undefined ? family : `${family}:never:int${declared.aggregate}`;
  return [`cbt createfamily ${table} ${typed}`, ...cbtPolicy(table, family, declared)];
}

/** The command that sets the rule of a family; none where it keeps everything. */
export function cbtPolicy(table: string, family: string, { gc }: FamilySchema): string[] {
  if (gc === undefined) return [];
  const problem = cbtCannotSay(gc);
  if (problem !== undefined)
    return [
      `# ${family} keeps everything: ${problem}. Set its rule through the API: ${gcRuleText(gc)}`,
    ];
  return [`cbt setgcpolicy ${table} ${family} ${shellWord(gcRuleText(gc))}`];
}
