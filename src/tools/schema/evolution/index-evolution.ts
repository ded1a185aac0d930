/** Changes of indexes: their entries are built and dropped, and never misread. */
import type { FaultTexts } from '../../../base/index.js';
import { changeOf, type EvolutionChange } from './evolution-rule.js';
import { entriesByName, type LockedEntity, type LockedIndex } from '../lock/lock.js';

/** What changed, and what to run. An id is a fingerprint of all that determines the entries. */
export function indexChanges(
  entity: string,
  { indexes: before = entriesByName<LockedIndex>() }: LockedEntity,
  { indexes: now = entriesByName<LockedIndex>() }: LockedEntity,
): EvolutionChange[] {
  const changes: EvolutionChange[] = [];
  for (const [name, { id, table }] of Object.entries(now)) {
    const at = `${entity}.${name}`;
    const rebuild = `rowsmith derived rebuild ${entity} --index ${name}`;
    const was = before[name] as LockedIndex | undefined;
    if (was === undefined)
      changes.push(changeOf('index-added', at, faults.newIndex(name, rebuild)));
    else if (was.removed === true)
      changes.push(changeOf('index-restored', at, faults.restoredIndex(name, rebuild)));
    else if (was.id !== id || was.table !== table)
      changes.push(
        changeOf('index-changed', at, faults.changedIndex(name, rebuild, dropText(was))),
      );
  }
  for (const [name, was] of Object.entries(before))
    if (was.removed !== true && now[name] === undefined)
      changes.push(
        changeOf('index-removed', `${entity}.${name}`, faults.removedIndex(name, dropText(was))),
      );
  return changes;
}

function dropText({ id, table }: LockedIndex): string {
  return `rowsmith derived drop ${table} --index ${id}`;
}

const faults = {
  newIndex: (name: string, rebuild: string) => ({ problem: `index '${name}' is new: ${rebuild}` }),
  restoredIndex: (name: string, rebuild: string) => ({
    problem: `index '${name}' is declared again: ${rebuild}`,
  }),
  changedIndex: (name: string, rebuild: string, drop: string) => ({
    problem: `index '${name}' has new entries: ${rebuild}, then ${drop}`,
  }),
  removedIndex: (name: string, drop: string) => ({
    problem: `index '${name}' is removed: ${drop}`,
  }),
} satisfies FaultTexts;
