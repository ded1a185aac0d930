/**
 * The write of a base row that has indexes: new entries first, then the row on condition of its
 * version, then the deletion of old entries. Whatever stops in between, each row is found by every
 * index, and no value of a unique index has two rows.
 *
 * A row with copies reads their sources after its entries are written and before the commit: a
 * propagation that began earlier reads a source that has changed already, and a later one finds the
 * entry. A source writes a mark before its commit, so that a propagation is due whatever stops.
 *
 * A row of a rollup writes marks into its buckets before the commit: what it adds there changes by
 * so much. The commit names the token of the marks, which are then settled: added, and removed. A
 * mark that stays was committed exactly if the row has its token; the next write of the row settles
 * it first.
 */
import {
  type Answer,
  type Copied,
  type HeldEntry,
  type PlannedEntry,
  sameEntry,
  type SeenEntry,
  type SeenRow,
  type Step,
} from './step.js';
import type { Ending, WriteJob, WriteResult } from './write-job.js';
import {
  copiedOf,
  hasEntry,
  idOf,
  isApplied,
  isForced,
  isNewlyLinked,
  isOurs,
  isSame,
  nameOf,
  nameOfMark,
  oldEntries,
  ownCommit,
  rowOf,
  stray,
  tokenOf,
} from './write-facts.js';
import type { Commit, Progress, WriteState } from './write-state.js';

type WriteStep<R extends SeenRow> = Step<WriteState<R>, WriteResult>;

/** The first request of a write. */
export function startWrite<R extends SeenRow>(job: WriteJob<R>): WriteStep<R> {
  const progress: Progress<R> = {
    attempt: 0,
    taken: 0,
    token: '',
    plan: [],
    sources: [],
    copied: [],
    writes: [],
    reserved: 0,
    wrote: [],
    commits: [],
    old: [],
    marks: [],
    unmarked: [],
    stale: [],
  };
  return readRow(job, progress, 'read');
}

/** What follows an answer. */
export function continueWrite<R extends SeenRow>(
  job: WriteJob<R>,
  state: WriteState<R>,
  answer: Answer<R>,
): WriteStep<R> {
  if (answer.kind === 'failed') return afterFailure(job, state, answer.mayBeApplied);
  switch (state.at) {
    case 'read':
      return begin(job, state, rowOf(answer));
    case 'sources':
      return plan(job, state, copiedOf(answer));
    case 'confirm':
      return confirm(job, state, copiedOf(answer));
    case 'mark':
      return markBuckets(state);
    case 'buckets':
      return afterMarks(state, answer);
    case 'help':
      return askForMarks(state);
    case 'refused':
      return afterRejection(job, state, rowOf(answer));
    case 'outcome':
      return afterOutcome(job, state, rowOf(answer));
    case 'reserve':
      if (isApplied(answer)) return nextEntry(job, { ...state, reserved: state.reserved + 1 });
      return ask(state, 'held', { kind: 'readEntry', entry: state.writes[state.reserved] });
    case 'held':
      return afterHeld(job, state, answer.kind === 'entry' ? answer.held : undefined);
    case 'holder':
      return afterHolder(state, rowOf(answer));
    case 'fence':
      if (isApplied(answer)) return replace(state);
      return restart(job, state);
    case 'replace':
      if (isApplied(answer)) return nextEntry(job, { ...state, reserved: state.reserved + 1 });
      return restart(job, state);
    case 'entries':
      return ready(job, state);
    case 'commit':
      if (isApplied(answer)) return settle(state, { old: oldEntries(state), marks: state.marks });
      return readRow(job, state, 'refused');
    case 'settle':
      return clean(state, state.old);
    case 'clean':
      return clean(state, state.old.slice(1));
    case 'unmark':
      return ended(state, state.ending!);
  }
}

function begin<R extends SeenRow>(job: WriteJob<R>, progress: Progress<R>, seen: R): WriteStep<R> {
  const sources = job.copies?.sources(seen) ?? [];
  const next = { ...progress, seen, sources };
  if (job.copies?.inEntries !== true || sources.length === 0) return plan(job, next, []);
  return ask(next, 'sources', { kind: 'readSources', sources });
}

function plan<R extends SeenRow>(
  job: WriteJob<R>,
  progress: Progress<R>,
  copied: Copied,
): WriteStep<R> {
  const seen = progress.seen!;
  const planned = job.plan(seen, copied);
  if (planned === undefined) return end(progress, { kind: 'unchanged' });
  const writes = planned
    .filter((entry) => isForced(job, entry) || isOurs(progress, entry) || !hasEntry(seen, entry))
    .sort((a, b) => Number(b.unique) - Number(a.unique));
  const token = `${job.id}.${progress.taken}`;
  const changes = job.rolls?.(seen, copied) ?? [];
  const unmarked = changes.map((change) => ({
    ...change,
    token,
    before: seen.rolled[change.rollup]?.token,
  }));
  return nextEntry(job, {
    ...progress,
    taken: progress.taken + 1,
    token,
    copied,
    plan: planned,
    writes,
    reserved: 0,
    unmarked,
  });
}

/** Reserves the next unique entry, or writes all other entries. */
function nextEntry<R extends SeenRow>(job: WriteJob<R>, progress: Progress<R>): WriteStep<R> {
  const { writes, reserved, token } = progress;
  const entry = writes[reserved] as PlannedEntry | undefined;
  if (entry === undefined) return ready(job, progress);
  if (!entry.unique) {
    const entries = writes.slice(reserved);
    const wrote = [...progress.wrote, ...entries.map((each) => stray(each, token))];
    return ask({ ...progress, wrote }, 'entries', { kind: 'writeEntries', entries, token });
  }
  const wrote = [...progress.wrote, stray(entry, token)];
  return ask({ ...progress, wrote }, 'reserve', { kind: 'reserve', entry, token });
}

/** Another row holds the value, or did a moment ago. */
function afterHeld<R extends SeenRow>(
  job: WriteJob<R>,
  state: WriteState<R>,
  held: HeldEntry | undefined,
): WriteStep<R> {
  if (held === undefined || held.row === job.row) return restart(job, state);
  return ask({ ...state, held }, 'holder', { kind: 'readRow', row: held.row });
}

/**
 * A holder without the value may be about to write it: its version moves on, so that it must start
 * again, before the entry is taken over.
 */
function afterHolder<R extends SeenRow>(state: WriteState<R>, holder: SeenRow): WriteStep<R> {
  const entry = state.writes[state.reserved];
  const { row } = state.held!;
  if (holder.entries.some((seen) => sameEntry(seen, entry)))
    return end(state, { kind: 'taken', entry: nameOf(entry), holder: row });
  const taken = state.taken + 1;
  const next = `${idOf(state.token)}.${state.taken}`;
  const { version } = holder;
  return ask({ ...state, taken }, 'fence', { kind: 'fence', row, version, next });
}

function replace<R extends SeenRow>(state: WriteState<R>): WriteStep<R> {
  const { writes, reserved, token, held } = state;
  const entry = writes[reserved];
  return ask(state, 'replace', { kind: 'replace', entry, token, held: held! });
}

/** All entries are written: what is copied must be what was read after they were. */
function ready<R extends SeenRow>(job: WriteJob<R>, progress: Progress<R>): WriteStep<R> {
  const { sources } = progress;
  const isRead = job.copies?.inEntries === true && !isNewlyLinked(job, progress);
  if (sources.length === 0 || isRead) return mark(job, progress);
  return ask(progress, 'confirm', { kind: 'readSources', sources });
}

function confirm<R extends SeenRow>(
  job: WriteJob<R>,
  state: WriteState<R>,
  copied: Copied,
): WriteStep<R> {
  const isPlanned = job.copies?.inEntries !== true || isSame(copied, state.copied);
  return isPlanned ? mark(job, { ...state, copied }) : restart(job, state);
}

function mark<R extends SeenRow>(job: WriteJob<R>, progress: Progress<R>): WriteStep<R> {
  if (job.marks?.(progress.seen!) !== true) return markBuckets(progress);
  return ask(progress, 'mark', { kind: 'mark', token: progress.token });
}

function markBuckets<R extends SeenRow>(progress: Progress<R>): WriteStep<R> {
  const { unmarked } = progress;
  return unmarked.length === 0 ? commit(progress) : askForMarks({ ...progress, marks: unmarked });
}

function askForMarks<R extends SeenRow>(progress: Progress<R>): WriteStep<R> {
  return ask(progress, 'buckets', { kind: 'markBuckets', marks: progress.unmarked });
}

/** The row has the tokens of blocking marks: their writes were made, so that they are settled. */
function afterMarks<R extends SeenRow>(state: WriteState<R>, answer: Answer): WriteStep<R> {
  const { blocked } = answer as Extract<Answer, { kind: 'marked' }>;
  if (blocked.length === 0) return commit(state);
  const marks = blocked.map(({ rollup, bucket, before }) => ({ rollup, bucket, token: before! }));
  return ask({ ...state, unmarked: blocked }, 'help', { kind: 'settle', marks });
}

function commit<R extends SeenRow>(progress: Progress<R>): WriteStep<R> {
  const { seen, token, copied } = progress;
  const tokens = progress.plan.map((entry) =>
    progress.writes.includes(entry)
      ? { ...nameOf(entry), token, time: entry.time }
      : tokenOf(seen!, entry),
  );
  return ask(progress, 'commit', {
    kind: 'commit',
    version: seen!.version,
    next: token,
    tokens,
    copied,
    rolled: progress.marks,
  });
}

/** The commit was refused: by another write, or else by the condition of the caller. */
function afterRejection<R extends SeenRow>(
  job: WriteJob<R>,
  state: WriteState<R>,
  seen: R,
): WriteStep<R> {
  const own = ownCommit(state, seen);
  if (own !== undefined) return settle(state, own);
  if (state.commits.length > 0) return end(state, { kind: 'failed', mayBeWritten: true });
  if (seen.version === state.seen!.version) return end(state, { kind: 'refused' });
  return again(job, state, (next) => begin(job, next, seen));
}

/** The commit broke off: it was made, or may still be, or another write came before it. */
function afterOutcome<R extends SeenRow>(
  job: WriteJob<R>,
  state: WriteState<R>,
  seen: R,
): WriteStep<R> {
  const own = ownCommit(state, seen);
  if (own !== undefined) return settle(state, own);
  if (seen.version !== state.seen!.version)
    return end(state, { kind: 'failed', mayBeWritten: true });
  return again(job, state, (next) => begin(job, next, seen));
}

/** Adds what the marks say. The row is written: whoever comes next settles marks that are left. */
function settle<R extends SeenRow>(
  progress: Progress<R>,
  { old, marks }: Pick<Commit, 'old' | 'marks'>,
): WriteStep<R> {
  // Its version has moved on, so that no other commit of this write can be made.
  const others = [...progress.marks, ...progress.commits.flatMap((each) => each.marks)];
  const stale = [...progress.stale, ...others.filter((each) => !marks.includes(each))];
  const written = { ...progress, old, marks: [], stale };
  if (marks.length === 0) return clean(written, old);
  return ask(written, 'settle', { kind: 'settle', marks });
}

/** Deletes the old entries one after the other. The row is written: failures leave strays. */
function clean<R extends SeenRow>(progress: Progress<R>, old: readonly SeenEntry[]): WriteStep<R> {
  if (old.length === 0) return end(progress, { kind: 'written' });
  const [{ index, key, token }] = old;
  const entry = { index, key };
  return ask({ ...progress, old }, 'clean', { kind: 'deleteEntry', entry, token: token! });
}

function afterFailure<R extends SeenRow>(
  job: WriteJob<R>,
  state: WriteState<R>,
  mayBeApplied: boolean,
): WriteStep<R> {
  if (state.at === 'unmark') return ended(state, state.ending!);
  if (state.at === 'settle') return clean(state, state.old);
  if (state.at === 'clean') return clean(state, state.old.slice(1));
  if (state.at === 'commit' && mayBeApplied) {
    const { token: version, marks } = state;
    const commits = [...state.commits, { version, old: oldEntries(state), marks }];
    return readRow(job, { ...state, commits, marks: [] }, 'outcome');
  }
  return end(state, { kind: 'failed', mayBeWritten: state.commits.length > 0 });
}

function restart<R extends SeenRow>(job: WriteJob<R>, progress: Progress<R>): WriteStep<R> {
  // A commit that broke off may still be made: it is looked for again after the read.
  const at = progress.commits.length > 0 ? 'outcome' : 'read';
  return again(job, progress, (next) => readRow(job, next, at));
}

function again<R extends SeenRow>(
  job: WriteJob<R>,
  progress: Progress<R>,
  go: (next: Progress<R>) => WriteStep<R>,
): WriteStep<R> {
  const attempt = progress.attempt + 1;
  const stale = [...progress.stale, ...progress.marks];
  if (attempt < job.attempts) return go({ ...progress, attempt, marks: [], stale });
  if (progress.commits.length > 0) return end(progress, { kind: 'failed', mayBeWritten: true });
  return end(progress, { kind: 'contended' });
}

function readRow<R extends SeenRow>(
  job: WriteJob<R>,
  progress: Progress<R>,
  at: 'read' | 'refused' | 'outcome',
): WriteStep<R> {
  return ask(progress, at, { kind: 'readRow', row: job.row });
}

function ask<R extends SeenRow>(
  progress: Progress<R>,
  at: WriteState<R>['at'],
  request: Extract<WriteStep<R>, { kind: 'ask' }>['request'],
): WriteStep<R> {
  return { kind: 'ask', state: { ...progress, at }, request };
}

/** Ends, once no mark is left that can never be committed. */
function end<R extends SeenRow>(progress: Progress<R>, ending: Ending): WriteStep<R> {
  const stale = [...progress.stale, ...progress.marks];
  if (stale.length === 0) return ended(progress, ending);
  return ask({ ...progress, ending }, 'unmark', { kind: 'unmark', marks: stale.map(nameOfMark) });
}

function ended<R extends SeenRow>(progress: Progress<R>, ending: Ending): WriteStep<R> {
  const kept = ending.kind === 'written' ? progress.plan : [];
  const seen = progress.seen?.entries ?? [];
  const strays = progress.wrote.filter(
    (each) => ![...kept, ...seen].some((entry) => sameEntry(entry, each)),
  );
  return { kind: 'end', result: { ...ending, strays } };
}
