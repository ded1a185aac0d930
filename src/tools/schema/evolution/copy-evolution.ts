/** Changes of copies: rows that exist have the old ones until they are repaired. */
import type { FaultTexts } from '../../../base/index.js';
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
      changes.push(changeOf('copy-added', at, faults.newCopy(property, textOf(copy), repair)));
    else if (textOf(was) !== textOf(copy))
      changes.push(
        changeOf(
          'copy-changed',
          at,
          faults.changedCopy(property, textOf(was), textOf(copy), repair),
        ),
      );
  }
  for (const [property, was] of Object.entries(before))
    if (now[property] === undefined)
      changes.push(
        changeOf(
          'copy-removed',
          `${entity}.${property}`,
          faults.removedCopy(property, textOf(was)),
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

const faults = {
  newCopy: (property: string, textOfText: string, repair: string) => ({
    problem: `'${property}' copies ${textOfText}: ${repair}`,
  }),
  changedCopy: (property: string, textOfText: string, textOfText2: string, repair: string) => ({
    problem: `'${property}' copied ${textOfText} and copies ${textOfText2}: ${repair}`,
  }),
  removedCopy: (property: string, textOfText: string) => ({
    problem: `'${property}' no longer copies ${textOfText}`,
  }),
} satisfies FaultTexts;
