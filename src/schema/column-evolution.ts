/** Changes of the columns of an entity. */
import { printable } from '../bytes/index.js';
import type { EntityModel } from '../model/model.js';
import { changeOf, type EvolutionChange } from './evolution-rule.js';
import { type LockedColumn, lockedColumn, type LockedEntity } from './lock.js';
import type { MessageEvolution } from './message-evolution.js';

/** Kinds of columns whose every value the other kinds read as the same value: they are written alike. */
const widened: Readonly<Record<string, readonly string[]>> = {
  int32: ['int64'], uint32: ['int64'], timestamp: ['int64'], date: ['string', 'bytes'], json: ['string', 'bytes'], string: ['bytes'],
  bool: ['bytes'], int64: ['bytes'], double: ['bytes'], float: ['bytes'],
};

/** What changed in the columns of an entity. `messages` compares what is packed. */
export function columnChanges(entity: string, before: LockedEntity, model: EntityModel, messages: MessageEvolution): EvolutionChange[] {
  const columns = model.columns.map((column) => ({ column: lockedColumn(column), alsoReads: alsoReadsOf(column) }));
  const found: EvolutionChange[] = [];
  for (const { column } of columns) found.push(...changesOfOne(entity, before, column, messages));
  for (const was of before.columns) {
    if (was.removed === true || columns.some(({ column }) => reaches(column, was))) continue;
    const heir = columns.find(({ column, alsoReads }) => column.family === was.family && alsoReads.includes(was.qualifier ?? '') && was.qualifier !== undefined);
    found.push(goneChange(entity, was, columns.map(({ column }) => column), heir?.column, messages));
  }
  return found;
}

function alsoReadsOf(column: EntityModel['columns'][number]): readonly string[] {
  return column.kind === 'columnMap' || column.kind === 'counter' || column.kind === 'versions' ? [] : (column.alsoReads ?? []).map(printable);
}

/** The name of a column in a change: `Reading.m:temperature`, `Reading.tags:*`. */
function placeOf(entity: string, { family, qualifier = '*' }: LockedColumn): string {
  return `${entity}.${family}:${qualifier}`;
}

/** Whether cells of `was` are read by `column`: the same place, or one of them is a map of the family. */
function reaches(column: LockedColumn, was: LockedColumn): boolean {
  return column.family === was.family && (column.qualifier === undefined || was.qualifier === undefined || column.qualifier === was.qualifier);
}

function changesOfOne(entity: string, before: LockedEntity, column: LockedColumn, messages: MessageEvolution): EvolutionChange[] {
  const at = placeOf(entity, column);
  const met = before.columns.filter((was) => reaches(column, was));
  if (met.length === 0) return [changeOf('column-added', at, `'${column.property}' is new`)];
  const misread = met.find((was) => !cellReads(was.type, column.type, messages));
  if (misread !== undefined) return [changeOf('qualifier-reused', at, `'${column.property}' holds ${column.type}, and ${misread.family}:${misread.qualifier ?? '*'} held ${misread.type}`)];
  const same = met.find((was) => was.qualifier === column.qualifier);
  if (same === undefined) return [changeOf('column-added', at, `'${column.property}' is new, and reads cells of the family as before`)];
  return [
    ...(same.removed === true ? [changeOf('column-restored', at, `'${column.property}' is declared again`)] : []),
    ...(same.property === column.property ? [] : [changeOf('column-property', at, `'${same.property}' is now '${column.property}'`)]),
    ...(same.type === column.type ? [] : [changeOf('column-widened', at, `'${column.property}' held ${same.type} and holds ${column.type}`)]),
    ...versionChanges(at, same, column),
  ];
}

function versionChanges(at: string, { version: was = 1 }: LockedColumn, { property, version: is = 1 }: LockedColumn): EvolutionChange[] {
  if (was === is) return [];
  return [changeOf(is > was ? 'column-versioned' : 'column-version', at, `the values of '${property}' had version ${was} and have ${is}`)];
}

function cellReads(before: string, after: string, messages: MessageEvolution): boolean {
  if (before === after) return true;
  if (before.startsWith('message ')) return messages.reads(before, after);
  return widened[before]?.includes(after) === true;
}

/** A column that no column reads any more: moved or renamed when its property is elsewhere, else removed. */
function goneChange(entity: string, was: LockedColumn, columns: readonly LockedColumn[], heir: LockedColumn | undefined, messages: MessageEvolution): EvolutionChange {
  const at = placeOf(entity, was);
  const place = `${was.family}:${was.qualifier ?? '*'}`;
  if (heir !== undefined) {
    if (cellReads(was.type, heir.type, messages)) return changeOf('column-also-reads', at, `'${heir.property}' is stored under ${heir.family}:${heir.qualifier} and also reads ${place}`);
    return changeOf('qualifier-reused', at, `'${heir.property}' holds ${heir.type} and also reads ${place}, which held ${was.type}`);
  }
  const now = columns.find(({ property }) => property === was.property);
  if (now === undefined) return changeOf('column-removed', at, `'${was.property}' is removed`);
  const problem = `'${was.property}' was stored under ${place} and is under ${now.family}:${now.qualifier ?? '*'}`;
  return changeOf(now.family === was.family ? 'column-renamed' : 'column-moved', at, problem);
}
