/**
 * Computes the values of a bucket from its rows, beside writers that never wait. While a build
 * runs, what is added to the bucket is also kept in its log. The scan is no snapshot: it shows the
 * order of the last write of each row, so that it is known which entries of the log it contains.
 * The last step corrects the values by the difference between the scan and what was added for it.
 *
 * Marks that are too old to tell whether their writes were made are removed before the scan, after
 * a fence: the scan shows the writes that were made.
 */
import { bucketOf } from './bucket-read.js';
import type {
  StorageAnswer,
  BucketName,
  ScannedRows,
  SeenBucket,
  SeenMark,
  SeenRow,
  Step,
} from './step.js';

/** How often the end of a build is tried again where something was added meanwhile. */
const maxEnds = 8;

/** A bucket to compute. Immutable. */
export interface BuildJob extends BucketName {
  /** Distinguishes this build from all other builds. */
  readonly id: string;
  /** Whether storage may have forgotten which writes of the row were made. */
  readonly isOld: (mark: SeenMark) => boolean;
  /**
   * Whether the values depend on the order in which they are added, as extremes do; then the build
   * ends only when nothing is added at the same time.
   */
  readonly isOrdered: boolean;
  /** What changes in the values; `whole` is false if what depends on the order is left as it is. */
  readonly correct: (build: Built, whole: boolean) => object;
}

/** What a build has read. */
export interface Built {
  /** The bucket before the scan. */
  readonly first: SeenBucket;
  readonly rows: ScannedRows;
  /** The bucket after the scan, and after all marks that the scan may contain were added. */
  readonly last: SeenBucket;
}

/** How a build ended; `replaced` by another build. */
export type BuildResult = { readonly kind: 'built' | 'replaced' | 'failed' };

/** A build between two requests. */
export interface BuildState {
  readonly at:
    | 'start'
    | 'first'
    | 'old'
    | 'fence'
    | 'remove'
    | 'scan'
    | 'marks'
    | 'look'
    | 'add'
    | 'last'
    | 'finish';
  readonly first?: SeenBucket;
  readonly rows?: ScannedRows;
  /** Marks that are still to be looked at. */
  readonly marks: readonly SeenMark[];
  readonly fences: number;
  readonly ends: number;
}

type BuildStep = Step<BuildState, BuildResult>;
type BuildRequest = Extract<BuildStep, { kind: 'ask' }>['request'];

/** The first request of a build. */
export function startBuild(job: BuildJob): BuildStep {
  const state = { marks: [], fences: 0, ends: 0 };
  return ask(state, 'start', { kind: 'startBuild', build: job.id, ...nameOf(job) });
}

/** What follows an answer. */
export function continueBuild(job: BuildJob, state: BuildState, answer: StorageAnswer): BuildStep {
  if (answer.kind === 'failed') return end('failed');
  switch (state.at) {
    case 'start':
      return ask(state, 'first', { kind: 'readBucket', ...nameOf(job) });
    case 'first':
      return afterFirst(job, state, bucketOf(answer));
    case 'old':
      return afterOld(job, state, rowOf(answer));
    case 'fence':
      return isApplied(answer) ? remove(job, state) : nextOld(job, state, state.marks);
    case 'remove':
      return nextOld(job, state, state.marks.slice(1));
    case 'scan': {
      const { rows } = answer as Extract<StorageAnswer, { kind: 'scanned' }>;
      return ask({ ...state, rows }, 'marks', { kind: 'readBucket', ...nameOf(job) });
    }
    case 'marks':
      return nextMark(job, state, bucketOf(answer).marks);
    case 'look':
      return afterLook(job, state, rowOf(answer));
    case 'add':
      return nextMark(job, state, state.marks.slice(1));
    case 'last':
      return finish(job, state, bucketOf(answer));
    case 'finish':
      if (isApplied(answer)) return end('built');
      return ask({ ...state, ends: state.ends + 1 }, 'last', {
        kind: 'readBucket',
        ...nameOf(job),
      });
  }
}

function afterFirst(job: BuildJob, state: BuildState, first: SeenBucket): BuildStep {
  if (first.build !== job.id) return end('replaced');
  return nextOld(job, { ...state, first }, first.marks.filter(job.isOld));
}

/** Removes what is old, one mark after the other, or scans. */
function nextOld(job: BuildJob, state: BuildState, marks: readonly SeenMark[]): BuildStep {
  if (marks.length === 0)
    return ask({ ...state, marks }, 'scan', { kind: 'scanBucket', ...nameOf(job) });
  return ask({ ...state, marks }, 'old', { kind: 'readRow', row: marks[0].row });
}

function afterOld(job: BuildJob, state: BuildState, row: SeenRow): BuildStep {
  // A write that was made is known by the scan; its mark is added and then corrected.
  if (row.rolled[job.rollup]?.token === state.marks[0].token) return add(job, state, 'remove');
  const next = `${job.id}.f${state.fences}`;
  const { version } = row;
  const fenced = { ...state, fences: state.fences + 1 };
  return ask(fenced, 'fence', { kind: 'fence', row: state.marks[0].row, version, next });
}

function remove(job: BuildJob, state: BuildState): BuildStep {
  const { token } = state.marks[0];
  return ask(state, 'remove', { kind: 'unmark', marks: [{ ...nameOf(job), token }] });
}

/** Adds the marks of writes that were made: the scan may contain them. */
function nextMark(job: BuildJob, state: BuildState, marks: readonly SeenMark[]): BuildStep {
  if (marks.length === 0)
    return ask({ ...state, marks }, 'last', { kind: 'readBucket', ...nameOf(job) });
  return ask({ ...state, marks }, 'look', { kind: 'readRow', row: marks[0].row });
}

/** A write that is not made by now is not in the scan, whenever it is made. */
function afterLook(job: BuildJob, state: BuildState, row: SeenRow): BuildStep {
  if (row.rolled[job.rollup]?.token === state.marks[0].token) return add(job, state, 'add');
  return nextMark(job, state, state.marks.slice(1));
}

function add(job: BuildJob, state: BuildState, at: 'add' | 'remove'): BuildStep {
  const { token } = state.marks[0];
  return ask(state, at, { kind: 'settle', marks: [{ ...nameOf(job), token }] });
}

function finish(job: BuildJob, state: BuildState, last: SeenBucket): BuildStep {
  if (last.build !== job.id) return end('replaced');
  const whole = state.ends < maxEnds;
  const { id: build } = job;
  const correction = job.correct({ first: state.first!, rows: state.rows!, last }, whole);
  const since = job.isOrdered && whole ? { revision: last.revision } : undefined;
  return ask(state, 'finish', { kind: 'finishBuild', build, correction, since, ...nameOf(job) });
}

/**
 * The entries of the log that the scan does not contain. What was logged before it began is in it,
 * even if storage has forgotten the order of the row's last write since.
 */
export function unseenOf<M extends SeenMark>(
  log: readonly M[],
  { first, rows: { orders } }: Pick<Built, 'first' | 'rows'>,
): readonly M[] {
  const before = new Set(first.log.map(({ token }) => token));
  return log.filter(({ token, row, order }) => {
    if (before.has(token)) return false;
    return !Object.hasOwn(orders, row) || order > orders[row];
  });
}

function nameOf({ rollup, bucket }: BucketName): BucketName {
  return { rollup, bucket };
}

function ask(
  state: Omit<BuildState, 'at'>,
  at: BuildState['at'],
  request: BuildRequest,
): BuildStep {
  return { kind: 'ask', state: { ...state, at }, request };
}

function end(kind: BuildResult['kind']): BuildStep {
  return { kind: 'end', result: { kind } };
}

function isApplied(answer: StorageAnswer): boolean {
  return answer.kind === 'done' && answer.applied;
}

function rowOf(answer: StorageAnswer): SeenRow {
  return (answer as Extract<StorageAnswer, { kind: 'row' }>).row;
}
