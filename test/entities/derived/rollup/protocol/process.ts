/**
 * A process between two requests to single rows. Requests to several rows are made of parts, one
 * after the other; settling is a read of the bucket and then one request.
 */
import {
  continueBuild,
  startBuild,
} from '../../../../../src/entities/derived/protocol/bucket-build.js';
import {
  type BucketReadState,
  continueBucketRead,
  startBucketRead,
} from '../../../../../src/entities/derived/protocol/bucket-read.js';
import {
  continueRepair,
  startRepair,
} from '../../../../../src/entities/derived/protocol/entry-repair.js';
import {
  continueRecovery,
  type RecoveryJob,
  startRecovery,
} from '../../../../../src/entities/derived/protocol/mark-recovery.js';
import {
  continueWrite,
  startWrite,
} from '../../../../../src/entities/derived/protocol/row-write.js';
import type {
  Answer,
  PlannedMark,
  Request,
  Step,
} from '../../../../../src/entities/derived/protocol/step.js';
import type { Breakage } from './breakage.js';
import {
  type Decision,
  type Part,
  type NamedRow,
  type RolledRow,
  type Storage,
  type StoredBucket,
  type StoredMark,
} from './bucket-store.js';
import type { Job } from './jobs.js';
import { decide, type Scanned } from './totals.js';

/** A request of a process, as far as it has been made. */
export interface Asking {
  readonly state: object;
  readonly request: Request;
  readonly parts: readonly Request[];
  readonly answers: readonly Answer[];
  readonly failed?: Answer | undefined;
  /** What is recovered. */
  readonly recovery?: RecoveryJob;
  /** What broken programs decide too early, by rollup. */
  readonly early?: Readonly<Record<number, Decision>>;
  /** Sums that were right while a reader read. */
  readonly during?: readonly number[];
}

export type Process =
  | Asking
  /** Not started yet. */
  | { readonly waits: true }
  | { readonly result: { readonly kind: string }; readonly during?: readonly number[] };

type AnyStep = Step<object, { readonly kind: string }>;
type State<F extends (job: never, state: never, answer: never) => unknown> = Parameters<F>[1];

export function isAsking(process: Process): process is Asking {
  return 'parts' in process;
}

function processOf(storage: Storage, step: AnyStep, kept: Partial<Asking>): Process {
  const { during } = kept;
  if (step.kind === 'end') return during === undefined ? step : { result: step.result, during };
  const { state, request } = step;
  return { ...kept, state, request, parts: partsOf(storage, request), answers: [] };
}

/** The first request of a job. A recovery begins when its mark is chosen. */
export function start(storage: Storage, job: Job): Process {
  switch (job.kind) {
    case 'write':
      return processOf(storage, startWrite(job.job), {});
    case 'build': {
      const step = startBuild(job.job);
      if (step.kind === 'end') return step;
      return processOf(storage, { ...step, state: { ...step.state, ends: job.ends } }, {});
    }
    case 'read':
      return processOf(storage, startBucketRead(job.job), { during: [] });
    case 'repair':
      return processOf(storage, startRepair(job.job), {});
    case 'recover':
      return { waits: true };
  }
}

export function startRecoveryOf(storage: Storage, job: Job, mark: StoredMark): Process {
  const { id, rollup } = (job as Extract<Job, { kind: 'recover' }>).job;
  const recovery = { id, rollup, bucket: '', token: mark.token, row: mark.row };
  return processOf(storage, startRecovery(recovery), { recovery });
}

function proceed(job: Job, { state, recovery }: Asking, answer: Answer): AnyStep {
  switch (job.kind) {
    case 'write':
      return continueWrite<RolledRow>(
        job.job,
        state as Parameters<typeof continueWrite<RolledRow>>[1],
        answer as Answer<RolledRow>,
      );
    case 'build':
      return continueBuild(job.job, state as State<typeof continueBuild>, answer);
    case 'read':
      return continueBucketRead(job.job, state as State<typeof continueBucketRead>, answer);
    case 'repair':
      return continueRepair(job.job, state as State<typeof continueRepair>, answer);
    case 'recover':
      return continueRecovery(recovery!, state as State<typeof continueRecovery>, answer);
  }
}

/** The requests to single rows that make up a request. */
function partsOf(storage: Storage, request: Request): readonly Request[] {
  switch (request.kind) {
    case 'markBuckets':
      return request.marks.map((mark) => ({ kind: 'markBuckets', marks: [mark] }));
    case 'unmark':
      return request.marks.map((mark) => ({ kind: 'unmark', marks: [mark] }));
    case 'settle':
      return request.marks.flatMap((mark): Request[] => {
        const settle: Request = { kind: 'settle', marks: [mark] };
        const { rollup, bucket } = mark;
        const isRead = storage.buckets[rollup].isOrdered;
        return isRead ? [{ kind: 'readBucket', rollup, bucket }, settle] : [settle];
      });
    case 'scanBucket':
      return Object.keys(storage.contributions).map((row) => ({ kind: 'readRow', row }));
    default:
      return [request];
  }
}

/** The next request to one row. */
export function partOf(job: Job, process: Asking): Part {
  const { parts, answers, early } = process;
  const request = parts[answers.length];
  const row = 'row' in job.job ? job.job.row : '';
  if (job.kind === 'write') {
    const part = { request, row, values: job.values, to: job.to };
    return request.kind === 'settle' ? { ...part, decided: decisionOf(process, early) } : part;
  }
  const decided = request.kind === 'settle' ? decisionOf(process, undefined) : undefined;
  return { request, row, values: undefined, decided };
}

function decisionOf({ parts, answers }: Asking, early: Asking['early']): Decision | undefined {
  const [{ rollup, token }] = (parts[answers.length] as Extract<Request, { kind: 'settle' }>).marks;
  const found = early?.[rollup];
  if (found !== undefined) return found;
  const read = answers.at(-1);
  return read?.kind === 'bucket' ? decide(read.bucket as StoredBucket, token) : undefined;
}

/** What followed the answers to a process: states share most of their processes. */
const known = new WeakMap<Asking, Map<string, Process>>();

/** The process after an answer to one part. */
export function answered(
  storage: Storage,
  job: Job,
  process: Asking,
  answer: Answer,
  broken: Breakage | undefined,
): Process {
  if (broken === 'stale before the commit') return follow(storage, job, process, answer, broken);
  const text = JSON.stringify(answer);
  const follows = known.get(process) ?? new Map<string, Process>();
  known.set(process, follows);
  const found = follows.get(text) ?? follow(storage, job, process, answer, broken);
  follows.set(text, found);
  return found;
}

function follow(
  storage: Storage,
  job: Job,
  process: Asking,
  answer: Answer,
  broken: Breakage | undefined,
): Process {
  const { parts, answers } = process;
  const request = parts[answers.length];
  const next = decidedEarly(storage, process, request, broken);
  const failed = process.failed ?? (answer.kind === 'failed' ? answer : undefined);
  const all = [...answers, answer];
  const isRead = request.kind.startsWith('read');
  if (all.length < parts.length && !(isRead && failed !== undefined))
    return { ...next, answers: all, failed };
  const whole = failed ?? combined(process, all, broken);
  return processOf(storage, proceed(job, misled(next, whole, broken), whole), {
    recovery: next.recovery,
    early: next.early,
    during: next.during,
  });
}

/** Of a broken program: the state that it goes on with. */
function misled(process: Asking, answer: Answer, broken: Breakage | undefined): Asking {
  if (broken !== 'unmark after an unknown commit') return process;
  const state = process.state as {
    readonly at: string;
    readonly marks?: readonly PlannedMark[];
    readonly stale?: readonly PlannedMark[];
  };
  if (answer.kind !== 'failed' || !answer.mayBeApplied || state.at !== 'commit') return process;
  return { ...process, state: { ...state, stale: [...state.stale!, ...state.marks!] } };
}

function decidedEarly(
  { buckets }: Storage,
  process: Asking,
  request: Request,
  broken: Breakage | undefined,
): Asking {
  if (broken !== 'stale before the commit' || request.kind !== 'markBuckets') return process;
  const [{ rollup, token }] = request.marks;
  return { ...process, early: { ...process.early, [rollup]: decide(buckets[rollup], token) } };
}

/** The answer to a request, from the answers to its parts. */
function combined(
  { request, state }: Asking,
  answers: readonly Answer[],
  broken: Breakage | undefined,
): Answer {
  const [first] = answers;
  switch (request.kind) {
    case 'markBuckets': {
      const blocked = answers.flatMap((each) => (each.kind === 'marked' ? each.blocked : []));
      return { kind: 'marked', blocked };
    }
    case 'settle':
    case 'unmark':
      return { kind: 'done', applied: true };
    case 'scanBucket':
      return { kind: 'scanned', rows: scanned(request.rollup, answers, broken) };
    default:
      return overlooked(first, state, broken);
  }
}

/** What a broken program makes of an answer. */
function overlooked(
  answer: Answer,
  { at, bucket, made, isMoved }: { readonly at?: string } & Omit<Partial<BucketReadState>, 'at'>,
  broken: Breakage | undefined,
): Answer {
  if (broken === 'no marks after the scan' && at === 'marks') {
    const { bucket: read } = answer as Extract<Answer, { kind: 'bucket' }>;
    return { kind: 'bucket', bucket: { ...read, marks: [] } };
  }
  if (broken === 'one pass' && at === 'last') return { kind: 'bucket', bucket: bucket! };
  const isSecondLook = answer.kind === 'row' && made !== undefined && made.length > 0 && !isMoved!;
  if (broken !== 'no second look' || !isSecondLook) return answer;
  return { kind: 'row', row: { ...answer.row, rolled: [] } };
}

function scanned(
  rollup: number,
  answers: readonly Answer[],
  broken: Breakage | undefined,
): Scanned {
  const rows = answers.map((each) => (each as Extract<Answer<NamedRow>, { kind: 'row' }>).row);
  const shown = rows.filter(({ exists }) => exists || broken !== 'deleted rows have no order');
  const orders = shown.flatMap(({ name, rolled }) => {
    const last = rolled[rollup];
    return last === undefined ? [] : [[name, last.order] as const];
  });
  return { orders: Object.fromEntries(orders), values: rows.map(({ adds }) => adds[rollup]) };
}
