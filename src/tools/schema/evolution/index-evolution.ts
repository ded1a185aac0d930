/** Changes of indexes: their entries are built and dropped, and never misread. */
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
      changes.push(changeOf('index-added', at, `index '${name}' is new: ${rebuild}`));
    else if (was.removed === true)
      changes.push(changeOf('index-restored', at, `index '${name}' is declared again: ${rebuild}`));
    else if (was.id !== id || was.table !== table)
      changes.push(
        changeOf(
          'index-changed',
          at,
          `index '${name}' has new entries: ${rebuild}, then ${dropText(was)}`,
        ),
      );
  }
  for (const [name, was] of Object.entries(before))
    if (was.removed !== true && now[name] === undefined)
      changes.push(
        changeOf(
          'index-removed',
          `${entity}.${name}`,
          `index '${name}' is removed: ${dropText(was)}`,
        ),
      );
  return changes;
}

function dropText({ id, table }: LockedIndex): string {
  return `rowsmith derived drop ${table} --index ${id}`;
}
