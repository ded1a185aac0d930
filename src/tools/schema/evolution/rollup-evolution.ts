/** Changes of rollups: rows of one declaration are never read as rows of another. */
import type { FaultTexts } from '../../../base/index.js';
import { changeOf, type EvolutionChange } from './evolution-rule.js';
import { entriesByName, type LockedEntity, type LockedRollup } from '../lock/lock.js';

/** What changed, and what to run. */
export function rollupChanges(
  entity: string,
  { rollups: before = entriesByName<LockedRollup>() }: LockedEntity,
  { rollups: now = entriesByName<LockedRollup>() }: LockedEntity,
): EvolutionChange[] {
  const changes: EvolutionChange[] = [];
  const rebuild = `rowsmith derived repair ${entity}`;
  for (const [name, rollup] of Object.entries(now)) {
    const at = `${entity}.${name}`;
    const was = before[name] as LockedRollup | undefined;
    if (was === undefined)
      changes.push(changeOf('rollup-added', at, faults.newRollup(name, rebuild)));
    else if (sharesRows(was, rollup) && keyText(was) !== keyText(rollup))
      changes.push(changeOf('rollup-regrouped', at, faults.regroupedRollup(name)));
    else if (was.removed === true)
      changes.push(changeOf('rollup-restored', at, faults.restoredRollup(name, rebuild)));
    else if (rowsText(was) !== rowsText(rollup))
      changes.push(changeOf('rollup-changed', at, faults.changedRollup(name, rebuild)));
  }
  for (const [name, { removed, table }] of Object.entries(before))
    if (removed !== true && now[name] === undefined)
      changes.push(
        changeOf('rollup-removed', `${entity}.${name}`, faults.removedRollup(name, table)),
      );
  return changes;
}

/** Whether the keys of both begin in the same way: with the name and the seconds. */
function sharesRows(was: LockedRollup, rollup: LockedRollup): boolean {
  return was.table === rollup.table && was.seconds === rollup.seconds;
}

/** The bytes of keys: they contain values and not names. */
function keyText({ parts }: LockedRollup): string {
  return JSON.stringify(
    parts.map((part) => ({ ...part, segment: undefined })),
    sortedNames,
  );
}

/** All that determines the rows. */
function rowsText(rollup: LockedRollup): string {
  const { table, seconds, cells } = rollup;
  return JSON.stringify([table, seconds, [...cells].sort(), keyText(rollup)]);
}

function sortedNames(_name: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

const faults = {
  newRollup: (name: string, rebuild: string) => ({
    problem: `rollup '${name}' is new: ${rebuild}`,
  }),
  regroupedRollup: (name: string) => ({ problem: `rollup '${name}' is grouped by other segments` }),
  restoredRollup: (name: string, rebuild: string) => ({
    problem: `rollup '${name}' is declared again: ${rebuild}`,
  }),
  changedRollup: (name: string, rebuild: string) => ({
    problem: `rollup '${name}' has other rows: ${rebuild}`,
  }),
  removedRollup: (name: string, table: string) => ({
    problem: `rollup '${name}' is removed: its rows stay in table '${table}'`,
  }),
} satisfies FaultTexts;
