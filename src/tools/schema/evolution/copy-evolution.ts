/** Changes of copies: rows that exist have the old ones until they are repaired. */
import { changeOf, type EvolutionChange } from './evolution-rule.js';
import { entriesByName, type LockedCopy, type LockedEntity } from '../lock/lock.js';

/** What changed, and what to run. */
export function copyChanges(
  entity: string,
  { copies: before = entriesByName<LockedCopy>() }: LockedEntity,
  { copies: now = entriesByName<LockedCopy>() }: LockedEntity,
): EvolutionChange[] {
  const changes: EvolutionChange[] = [];
  const repair = `rowsmith derived repair ${entity}`;
  for (const [property, copy] of Object.entries(now)) {
    const at = `${entity}.${property}`;
    const was = before[property] as LockedCopy | undefined;
    if (was === undefined)
      changes.push(changeOf('copy-added', at, `'${property}' copies ${textOf(copy)}: ${repair}`));
    else if (textOf(was) !== textOf(copy))
      changes.push(
        changeOf(
          'copy-changed',
          at,
          `'${property}' copied ${textOf(was)} and copies ${textOf(copy)}: ${repair}`,
        ),
      );
  }
  for (const [property, was] of Object.entries(before))
    if (now[property] === undefined)
      changes.push(
        changeOf(
          'copy-removed',
          `${entity}.${property}`,
          `'${property}' no longer copies ${textOf(was)}`,
        ),
      );
  return changes;
}

function textOf({ entity, property, by }: LockedCopy): string {
  const key = Object.entries(by)
    .map(([segment, own]) => `${segment} = ${own}`)
    .sort();
  return `${entity}.${property} (${key.join(', ')})`;
}
