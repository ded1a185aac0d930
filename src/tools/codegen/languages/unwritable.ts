/** Why programs in other languages must not write the rows of an entity. */
import type { ColumnModel, EntityModel } from '../../../entities/model/index.js';
import { quotedList } from '../../../base/index.js';
import { portablePattern } from './pattern.js';

/** The reasons as sentences without a full stop; empty if its rows may be written. */
export function unwritableReasons(model: EntityModel): readonly string[] {
  return [...derivedReasons(model), ...codeReasons(model), ...columnReasons(model)];
}

function derivedReasons({ indexes, rollups, copies, copiedBy }: EntityModel): string[] {
  const reasons: string[] = [];
  if (indexes.length > 0)
    reasons.push(`a write must change the entries of ${listOf(indexes, 'index', 'indexes')}`);
  if (rollups.length > 0)
    reasons.push(`a write must change the rows of ${listOf(rollups, 'rollup', 'rollups')}`);
  for (const { source } of copies ?? []) reasons.push(`it copies values of ${source.name}`);
  for (const { name } of copiedBy?.targets ?? []) reasons.push(`${name} copies its values`);
  return reasons;
}

function listOf(items: readonly { readonly name: string }[], one: string, several: string): string {
  return `the ${items.length === 1 ? one : several} ${quotedList(items.map(({ name }) => name))}`;
}

/** What only TypeScript runs. */
function codeReasons({ managed, hooks, schema, segments }: EntityModel): string[] {
  const reasons: string[] = [];
  if (managed !== undefined)
    reasons.push(`Rowsmith sets ${quotedList(Object.values(managed))} with each write`);
  if (hooks?.beforeWrite !== undefined) reasons.push('beforeWrite is a function of TypeScript');
  if (schema !== undefined) reasons.push(`the schema of ${schema.vendor} checks its entities`);
  for (const { property, rules } of segments) reasons.push(...patternReasons(property, rules));
  return reasons;
}

function columnReasons({ columns }: EntityModel): string[] {
  return columns.flatMap((column) => {
    const { property, schema, rules } = column;
    const reasons = patternReasons(property, rules);
    if (schema !== undefined)
      reasons.push(`the schema of ${schema.vendor} checks the values of '${property}'`);
    return reasons;
  });
}

function patternReasons(property: string, rules: ColumnModel['rules']): string[] {
  if (rules?.pattern === undefined || portablePattern(rules.pattern) !== undefined) return [];
  return [`the pattern of '${property}' means something else outside JavaScript`];
}
