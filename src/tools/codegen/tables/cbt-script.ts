/** Tables and families for cbt, as a shell script. */
import { gcRuleText } from '../../../entities/model/index.js';
import type { FamilySchema, TableSchema } from '../../../data/store/index.js';
import { commentLine } from '../comment-line.js';
import { cbtLimitation } from './gc-forms.js';
import { scriptHead, shellWord, type NamedInstance } from './instance.js';
import { splitTexts, tableComment, type TableOfEntities } from './tables.js';

/** A shell function, so that every cbt command of a script uses its project and instance. */
export const cbtFunction = 'cbt() { command cbt -project "$PROJECT" -instance "$INSTANCE" "$@"; }';

/**
 * Creates every table with its families and their rules. cbt gives `&&` and `||` no precedence, so
 * rules are always in parentheses.
 */
export function cbtScript(tables: readonly TableOfEntities[], named: NamedInstance): string {
  const lines = [
    ...scriptHead(
      ['Creates the tables with cbt; a table that is there already ends it: sh tables.cbt.sh'],
      named,
    ),
    cbtFunction,
    ...tables.flatMap((table) => ['', tableComment(table), ...cbtTable(table.schema)]),
  ];
  return `${lines.join('\n')}\n`;
}

function cbtTable(schema: TableSchema): string[] {
  const families = [...schema.families].flatMap(([family, declared]) =>
    cbtFamily(schema.name, family, declared),
  );
  return [cbtCreateTable(schema), ...families];
}

/** The command that creates a table without families, split at its keys. */
export function cbtCreateTable(schema: TableSchema): string {
  const create = `cbt createtable ${schema.name}`;
  const splits = splitTexts(schema);
  if (splits.length === 0) return create;
  return `${create} ${shellWord(`splits=${splits.join(',')}`)}`;
}

/** The commands that add one family. An aggregate family gets its type when it is created. */
export function cbtFamily(table: string, family: string, declared: FamilySchema): string[] {
  return [
    `cbt createfamily ${table} ${typedFamily(family, declared)}`,
    ...cbtPolicy(table, family, declared),
  ];
}

function typedFamily(family: string, { aggregate }: FamilySchema): string {
  if (aggregate === undefined) return family;
  return `${family}:never:int${aggregate}`;
}

/** The command that sets the rule of a family; none when the family keeps everything. */
export function cbtPolicy(table: string, family: string, { gc }: FamilySchema): string[] {
  if (gc === undefined) return [];
  const problem = cbtLimitation(gc);
  if (problem !== undefined)
    return [
      commentLine(
        '#',
        `${family} keeps everything: ${problem}. Set its rule through the API: ${gcRuleText(gc)}`,
      ),
    ];
  return [`cbt setgcpolicy ${table} ${family} ${shellWord(gcRuleText(gc))}`];
}
