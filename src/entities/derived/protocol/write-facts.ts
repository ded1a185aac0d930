/** What a write between two requests knows. */
import {
  type Answer,
  type Copied,
  type EntryName,
  type EntryTokens,
  type MarkName,
  type PlannedEntry,
  type PlannedMark,
  sameEntry,
  type SeenEntry,
  type SeenRow,
} from './step.js';
import type { Stray, WriteJob } from './write-job.js';
import type { Commit, Progress } from './write-state.js';

export function isForced<R extends SeenRow>(
  { force, forced }: Pick<WriteJob<R>, 'force' | 'forced'>,
  entry: EntryName,
): boolean {
  return force && forced?.includes(entry.index) !== false;
}

/** Whether an earlier attempt wrote the entry. Its token is then not the one in the row. */
export function isOurs({ wrote }: Progress<SeenRow>, entry: EntryName): boolean {
  return wrote.some((each) => sameEntry(each, entry));
}

/** Whether the row says that it has this very entry, which does not expire too early. */
export function hasEntry({ entries }: SeenRow, { covered, time, ...entry }: PlannedEntry): boolean {
  const seen = entries.find((each) => sameEntry(each, entry));
  return seen?.token !== undefined && seen.covered === covered && seen.time >= time;
}

/** Whether a propagation could not find the row before this attempt. */
export function isNewlyLinked<R extends SeenRow>(
  job: WriteJob<R>,
  { seen, writes }: Pick<Progress<R>, 'seen' | 'writes'>,
): boolean {
  return writes.some((entry) => {
    if (!job.copies!.links.includes(entry.index)) return false;
    // An entry that is repaired may be missing, whatever the row says.
    if (isForced(job, entry)) return true;
    return !seen!.entries.some((each) => sameEntry(each, entry) && each.token !== undefined);
  });
}

export function isSame(a: Copied, b: Copied): boolean {
  return a.every(
    ({ source, values }, i) =>
      b[i].source === source && values.every((value, at) => b[i].values[at] === value),
  );
}

export function tokenOf({ entries }: SeenRow, entry: EntryName): EntryTokens[number] {
  const { index, key, token, time } = entries.find((seen) => sameEntry(seen, entry))!;
  return { index, key, token: token!, time };
}

export function ownCommit(
  { commits }: Progress<SeenRow>,
  { version }: SeenRow,
): Commit | undefined {
  return commits.find((each) => each.version === version);
}

export function oldEntries({ seen, plan: planned }: Progress<SeenRow>): readonly SeenEntry[] {
  return seen!.entries.filter(
    (entry) => entry.token !== undefined && !planned.some((each) => sameEntry(each, entry)),
  );
}

export function stray({ index, key }: EntryName, token: string): Stray {
  return { index, key, token };
}

export function nameOf({ index, key }: EntryName): EntryName {
  return { index, key };
}

export function nameOfMark({ rollup, bucket, token }: PlannedMark): MarkName {
  return { rollup, bucket, token };
}

export function idOf(token: string): string {
  return token.slice(0, token.lastIndexOf('.'));
}

export function isApplied(answer: Answer): boolean {
  return answer.kind === 'done' && answer.applied;
}

export function rowOf<R extends SeenRow>(answer: Answer<R>): R {
  return (answer as Extract<Answer<R>, { kind: 'row' }>).row;
}

export function copiedOf(answer: Answer): Copied {
  return (answer as Extract<Answer, { kind: 'sources' }>).copied;
}
