/** Changes of the columns of an entity. */
import { changeOf, type EvolutionChange } from './evolution-rule.js';
import type { LockedColumn, LockedEntity } from './lock.js';
import type { MessageEvolution } from './message-evolution.js';

/**
 * Kinds of columns whose every value the other kinds read as the same value: they are written
 * alike.
 */
const widened: Readonly<Record<string, readonly string[]>> = {
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

/** What changed in the columns of an entity. `messages` compares what is packed. */
export function columnChanges(
  entity: string,
  before: LockedEntity,
  after: LockedEntity,
  messages: MessageEvolution,
): EvolutionChange[] {
  const found = after.columns.flatMap((column) => changesOfOne(entity, before, column, messages));
  for (const was of before.columns) {
    if (was.removed !== true && !after.columns.some((column) => reaches(column, was)))
      found.push(goneChange(entity, was, after.columns));
  }
  return found;
}

/** The name of a column in a change: `Reading.m:temperature`, `Reading.tags:*`. */
function placeOf(entity: string, { family, qualifier = '*' }: LockedColumn): string {
  return `${entity}.${family}:${qualifier}`;
}

/**
 * Whether cells of `was` are read by `column`: the same place, or one of them is a map of the
 * family.
 */
export function reaches(column: LockedColumn, was: LockedColumn): boolean {
  return (
    column.family === was.family &&
    (column.qualifier === undefined ||
      was.qualifier === undefined ||
      column.qualifier === was.qualifier)
  );
}

function changesOfOne(
  entity: string,
  before: LockedEntity,
  column: LockedColumn,
  messages: MessageEvolution,
): EvolutionChange[] {
  const at = placeOf(entity, column);
  const met = before.columns.filter((was) => reaches(column, was));
  if (met.length === 0)
    return column.earlier === true
      ? []
      : [changeOf('column-added', at, `'${column.property}' is new`)];
  const misread = met.find((was) => !cellReads(was.type, column.type, messages));
  if (misread !== undefined)
    return [
      changeOf(
        'qualifier-reused',
        at,
        `'${column.property}' holds ${column.type}, and ${misread.family}:${misread.qualifier ?? '*'} held ${misread.type}`,
      ),
    ];
  const same = met.find((was) => was.qualifier === column.qualifier);
  if (same === undefined)
    return [
      changeOf(
        'column-added',
        at,
        `'${column.property}' is new, and reads cells of the family as before`,
      ),
    ];
  return [
    ...(same.removed === true
      ? [changeOf('column-restored', at, `'${column.property}' is declared again`)]
      : []),
    ...(column.earlier === true && same.earlier !== true
      ? [
          changeOf(
            'column-also-reads',
            at,
            `'${column.property}' has another qualifier, and also reads this one`,
          ),
        ]
      : []),
    ...(same.property === column.property || column.earlier === true
      ? []
      : [changeOf('column-property', at, `'${same.property}' is now '${column.property}'`)]),
    ...(same.type === column.type
      ? []
      : [
          changeOf(
            'column-widened',
            at,
            `'${column.property}' held ${same.type} and holds ${column.type}`,
          ),
        ]),
    ...(column.earlier === true || same.earlier === true ? [] : versionChanges(at, same, column)),
  ];
}

function versionChanges(
  at: string,
  { version: was = 1 }: LockedColumn,
  { property, version: is = 1 }: LockedColumn,
): EvolutionChange[] {
  if (was === is) return [];
  return [
    changeOf(
      is > was ? 'column-versioned' : 'column-version',
      at,
      `the values of '${property}' had version ${was} and have ${is}`,
    ),
  ];
}

/**
 * Whether cells of one type are read, as the same values, by a column of another; types as the lock
 * spells them.
 */
export function cellReads(before: string, after: string, messages: MessageEvolution): boolean {
  if (before === after) return true;
  if (before.startsWith('message ')) return messages.reads(before, after);
  return widened[before]?.includes(after) === true;
}

/**
 * A column that no column reads any more: moved or renamed when its property is elsewhere, else
 * removed.
 */
function goneChange(
  entity: string,
  was: LockedColumn,
  columns: readonly LockedColumn[],
): EvolutionChange {
  const at = placeOf(entity, was);
  const place = `${was.family}:${was.qualifier ?? '*'}`;
  const now = columns.find(
    ({ property, earlier }) => property === was.property && earlier !== true,
  );
  if (now === undefined) return changeOf('column-removed', at, `'${was.property}' is removed`);
  const there = `${now.family}:${now.qualifier ?? '*'}`;
  return changeOf(
    now.family === was.family ? 'column-renamed' : 'column-moved',
    at,
    `'${was.property}' ${was.earlier === true ? 'also read' : 'was stored under'} ${place} and is under ${there}`,
  );
}
