/** Changes of the columns of an entity. */
import type { FaultTexts } from '../../../base/index.js';
import { changeOf, type EvolutionChange, type EvolutionRuleName } from './evolution-rule.js';
import { encodingChanges } from './key-evolution.js';
import type { LockedColumn, LockedEntity, LockedQualifiers } from '../lock/lock.js';
import type { MessageEvolution } from './message-evolution.js';

/**
 * The kinds to which the kind of a column may change: they have the same encoding, so that every
 * stored value is read as the same value.
 */
const widenedKinds: Readonly<Record<string, readonly string[]>> = {
  int32: ['int64'],
  uint32: ['int64'],
  timestamp: ['int64'],
  date: ['string', 'bytes'],
  json: ['string', 'bytes'],
  string: ['bytes'],
  bool: ['bytes'],
  int64: ['bytes'],
  double: ['bytes'],
  float: ['bytes'],
};

/** The changes of the columns of an entity. `messages` compares the types of packed columns. */
export function columnChanges(
  entity: string,
  before: LockedEntity,
  after: LockedEntity,
  messages: MessageEvolution,
): EvolutionChange[] {
  const changes = after.columns.flatMap((column) =>
    changesOfColumn(entity, before, column, messages),
  );
  for (const was of before.columns) {
    if (was.removed !== true && !after.columns.some((column) => readsCellsOf(column, was)))
      changes.push(removal(entity, was, after.columns));
  }
  return changes;
}

/** The name of a column: `m:temperature`, `tags:*` for a column map. */
function columnName({ family, qualifier = '*' }: LockedColumn): string {
  return `${family}:${qualifier}`;
}

/**
 * True if `column` reads the cells of `was`: both are one column, or one is a map of the family.
 */
export function readsCellsOf(column: LockedColumn, was: LockedColumn): boolean {
  return (
    column.family === was.family &&
    (column.qualifier === undefined ||
      was.qualifier === undefined ||
      column.qualifier === was.qualifier)
  );
}

function changesOfColumn(
  entity: string,
  before: LockedEntity,
  column: LockedColumn,
  messages: MessageEvolution,
): EvolutionChange[] {
  const at = `${entity}.${columnName(column)}`;
  const { property, type } = column;
  const earlier = before.columns.filter((was) => readsCellsOf(column, was));
  if (earlier.length === 0) {
    if (column.earlier === true) return [];
    return [changeOf('column-added', at, faults.newColumn(property))];
  }
  const misread = earlier.find((was) => !cellReads(was.type, type, messages));
  if (misread !== undefined) {
    const problem = `'${property}' holds ${type}, and ${columnName(misread)} held ${misread.type}`;
    return [changeOf('qualifier-reused', at, { problem })];
  }
  const same = earlier.find((was) => was.qualifier === column.qualifier);
  if (same === undefined) {
    if (column.qualifiers !== undefined) return [notItsQualifiers(at, column, earlier[0])];
    const problem = `'${property}' is new, and reads existing cells of the family`;
    return [changeOf('column-added', at, { problem })];
  }
  return changesOfSame(at, same, column);
}

/** Changes between two declarations of one column with compatible types. */
function changesOfSame(at: string, was: LockedColumn, column: LockedColumn): EvolutionChange[] {
  const { property } = column;
  const changes: EvolutionChange[] = [];
  if (was.removed === true)
    changes.push(changeOf('column-restored', at, faults.restoredColumn(property)));
  if (column.earlier === true && was.earlier !== true) {
    const problem = `'${property}' has another qualifier, and also reads this one`;
    changes.push(changeOf('column-also-reads', at, { problem }));
  }
  if (was.property !== property && column.earlier !== true)
    changes.push(changeOf('column-property', at, faults.renamedColumn(was.property, property)));
  if (was.type !== column.type) {
    const problem = `'${property}' held ${was.type} and holds ${column.type}`;
    changes.push(changeOf('column-widened', at, { problem }));
  }
  if (column.earlier !== true && was.earlier !== true)
    changes.push(...versionChanges(at, was, column));
  if (column.qualifier === undefined) changes.push(...qualifierChanges(at, was, column));
  return changes;
}

const text: LockedQualifiers = { kind: 'string' };

/** The rules for the qualifiers of a map that correspond to those for a segment of the key. */
const qualifierRules: Partial<Record<EvolutionRuleName, EvolutionRuleName>> = {
  'segment-encoded': 'qualifiers-encoded',
  'segment-narrowed': 'qualifiers-narrowed',
  'segment-widened': 'qualifiers-widened',
};

/** Changes of the qualifiers of a column map, which are encoded like a segment of a text key. */
function qualifierChanges(
  at: string,
  { qualifiers: before = text }: LockedColumn,
  { property, qualifiers: after = text }: LockedColumn,
): EvolutionChange[] {
  return encodingChanges(
    'text',
    { segment: property, ...before },
    { segment: property, ...after },
    (rule, fault) => changeOf(qualifierRules[rule] ?? rule, at, fault),
  );
}

function notItsQualifiers(
  at: string,
  { property, qualifiers = text }: LockedColumn,
  was: LockedColumn,
): EvolutionChange {
  const stored = `${columnName(was)} is stored in its family`;
  const problem = `the keys of '${property}' are of kind ${qualifiers.kind}, and ${stored}`;
  return changeOf('qualifiers-encoded', at, { problem });
}

function versionChanges(
  at: string,
  { version: before = 1 }: LockedColumn,
  { property, version: after = 1 }: LockedColumn,
): EvolutionChange[] {
  if (before === after) return [];
  const rule = after > before ? 'column-versioned' : 'column-version';
  return [changeOf(rule, at, faults.changedVersion(property, before, after))];
}

/**
 * True if a column of type `after` reads cells of type `before` as the same values. Types are as in
 * the lock.
 */
export function cellReads(before: string, after: string, messages: MessageEvolution): boolean {
  if (before === after) return true;
  if (before.startsWith('message ')) return messages.reads(before, after);
  return widenedKinds[before]?.includes(after) === true;
}

/**
 * The change of a column that is no longer read: removed, or moved if its property still exists.
 */
function removal(
  entity: string,
  was: LockedColumn,
  columns: readonly LockedColumn[],
): EvolutionChange {
  const name = columnName(was);
  const at = `${entity}.${name}`;
  const now = columns.find(
    ({ property, earlier }) => property === was.property && earlier !== true,
  );
  if (now === undefined) return changeOf('column-removed', at, faults.removedColumn(was.property));
  const rule = now.family === was.family ? 'column-renamed' : 'column-moved';
  const verb = was.earlier === true ? 'also read' : 'was stored in';
  return changeOf(rule, at, faults.movedColumn(was.property, verb, name, columnName(now)));
}

const faults = {
  newColumn: (property: string) => ({ problem: `'${property}' is new` }),
  restoredColumn: (property: string) => ({ problem: `'${property}' is declared again` }),
  renamedColumn: (wasProperty: string, property: string) => ({
    problem: `'${wasProperty}' is now '${property}'`,
  }),
  changedVersion: (property: string, before: number, after: number) => ({
    problem: `the values of '${property}' had version ${before} and have ${after}`,
  }),
  removedColumn: (property: string) => ({ problem: `'${property}' is removed` }),
  movedColumn: (property: string, verb: string, name: string, columnNameText: string) => ({
    problem: `'${property}' ${verb} ${name} and is now in ${columnNameText}`,
  }),
} satisfies FaultTexts;
