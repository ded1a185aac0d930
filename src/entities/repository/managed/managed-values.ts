/** The values of the columns that the library sets: new ones for each write. */
import { utf8Bytes, type Values, type FaultTexts } from '../../../base/index.js';
import { randomBytes } from 'node:crypto';
import type { RowCellChanges } from '../../mapping/index.js';
import { argumentError, type EntityModel, type ManagedProperties } from '../../model/index.js';
import type { CellClock, ReadModifyWriteRule } from '../../../data/store/index.js';

const roleText: Readonly<Record<keyof ManagedProperties, string>> = {
  revision: 'revision of the row',
  createdAt: 'time of its creation',
  updatedAt: 'time of its last write',
};

/** Throws INVALID_ARGUMENT for changes of columns that the library sets. */
export function assertNotManaged(
  model: EntityModel,
  { set = {}, remove = [] }: RowCellChanges,
): void {
  const managed = Object.entries(model.managed ?? {}) as [keyof ManagedProperties, string][];
  for (const [role, property] of managed) {
    if (set[property] === undefined && !remove.includes(property)) continue;
    throw argumentError(model, property, faults.managedProperty(roleText[role], property));
  }
}

/** What a write of the whole row sets. */
export function rowStamp(managed: ManagedProperties, entity: Values, clock: CellClock): Values {
  const { createdAt } = managed;
  const stamp = changeStamp(managed, clock);
  if (createdAt !== undefined) stamp[createdAt] = entity[createdAt] ?? new Date(clock.time());
  return stamp;
}

/** What a write of some columns sets. */
export function changeStamp(
  { revision, updatedAt }: ManagedProperties,
  clock: CellClock,
): Record<string, unknown> {
  const stamp: Record<string, unknown> = {};
  if (revision !== undefined) stamp[revision] = newRevision();
  if (updatedAt !== undefined) stamp[updatedAt] = new Date(clock.time());
  return stamp;
}

/** The values of an entity, with the values of its stamp. Reads each property once. */
export function stamped({ segments, columns }: EntityModel, entity: Values, stamp: Values): Values {
  const values: Record<string, unknown> = {};
  for (const { property } of [...segments, ...columns])
    values[property] = Object.hasOwn(stamp, property) ? stamp[property] : entity[property];
  return values;
}

/**
 * What an increment or append adds to its request, so that the revision changes with it: it appends
 * random text, since it can only add to what is stored. Undefined without a revision.
 */
export function revisionRule({ columns, managed }: EntityModel): ReadModifyWriteRule | undefined {
  if (managed?.revision === undefined) return undefined;
  const column = columns.find(({ property }) => property === managed.revision);
  if (column?.kind !== 'column') return undefined;
  const { family, qualifier } = column;
  return {
    kind: 'append',
    family,
    qualifier,
    value: utf8Bytes(newRevision()),
  };
}

/** 96 random bits as text, so that no two writes have the same revision. */
function newRevision(): string {
  return randomBytes(12).toString('base64url');
}

const faults = {
  managedProperty: (roleTextText: string, property: string) => ({
    problem: `it is the ${roleTextText}, which the library sets`,
    fix: `leave ${property} out`,
  }),
} satisfies FaultTexts;
