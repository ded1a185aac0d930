/** What programs run, and the storage that they find. */
import type { BucketReadJob } from '../../../../../src/entities/derived/protocol/bucket-read.js';
import type { BuildJob } from '../../../../../src/entities/derived/protocol/bucket-build.js';
import type { RepairJob } from '../../../../../src/entities/derived/protocol/entry-repair.js';
import type {
  PlannedChange,
  WriteJob,
} from '../../../../../src/entities/derived/protocol/write-job.js';
import { emptyStorage, type Values, withRow } from '../../protocol/model-store.js';
import type { Breakage } from './breakage.js';
import type { Contribution, RolledRow, Storage, StoredBucket, StoredMark } from './bucket-store.js';
import { type Change, correct, differencesOf, totalsOf, type Value } from './totals.js';

/** The values that a write leaves; undefined leaves one as it is, and null for all deletes. */
export type Targets = readonly (Value | undefined)[] | null;

interface Timed {
  /** Starts after storage has collected cells, when all other jobs have stopped. */
  readonly later?: boolean;
}

/** A process to run. */
export type Job = Timed &
  (
    | {
        readonly kind: 'write';
        readonly job: WriteJob<RolledRow>;
        readonly to: readonly (Value | undefined)[];
        readonly values: Values | undefined;
      }
    /** Recovers any one mark of a bucket. */
    | { readonly kind: 'recover'; readonly job: { readonly id: string; readonly rollup: number } }
    | { readonly kind: 'build'; readonly job: BuildJob; readonly ends: number }
    | { readonly kind: 'read'; readonly job: BucketReadJob & { readonly id: string } }
    | { readonly kind: 'repair'; readonly job: RepairJob }
  );

/** Which jobs run; with programs that are broken. */
export type Jobs = (broken?: Breakage) => readonly Job[];

interface WriteOptions {
  readonly attempts?: number;
  /** What the writer's clock shows. */
  readonly clock?: number;
  /** The entries that the row has after the write. */
  readonly values?: Values;
  readonly broken?: Breakage | undefined;
}

export function write(
  id: string,
  row: string,
  targets: Targets,
  { attempts = 2, clock = 1, values = [], broken }: WriteOptions = {},
): Job {
  const to = targets ?? [null, null];
  const left = targets === null ? undefined : values;
  const rolls = ({ adds, rolled }: RolledRow): readonly PlannedChange[] =>
    adds.flatMap((removed, rollup) => {
      const added = to[rollup];
      if (added === undefined || added === removed) return [];
      const next = (rolled[rollup]?.order ?? 0) + 1;
      const order = broken === 'orders are clocks' ? clock : Math.max(next, clock);
      const change: Change = { removed, added };
      return [{ rollup, bucket: '', order, change }];
    });
  const plan = ({ exists }: RolledRow): Values | undefined => {
    if (left === undefined) return exists ? [] : undefined;
    return left;
  };
  const job = { id, row, attempts, force: false, plan, rolls };
  return { kind: 'write', to, values: left, job };
}

export function recover(id: string, rollup = 0): Job {
  return { kind: 'recover', job: { id, rollup } };
}

/** A build; `ends` of the tries of its last step have failed already. */
export function build(id: string, broken?: Breakage, rollup = 0, ends = 0): Job {
  return {
    kind: 'build',
    ends,
    job: {
      id,
      rollup,
      bucket: '',
      isOld: (mark) => (mark as StoredMark).old,
      isOrdered: broken !== 'finish without the revision',
      correct: (built, whole) => correct(built, whole, broken),
    },
  };
}

export function read(id: string, attempts = 2): Job {
  return { kind: 'read', job: { id, rollup: 0, bucket: '', attempts } };
}

export function later(job: Job): Job {
  return { ...job, later: true };
}

interface Start {
  /** What each row adds to each rollup. */
  readonly rows: Readonly<Record<string, readonly Value[]>>;
  /** The entries of rows. */
  readonly values?: Readonly<Record<string, Values>>;
  /** Rows with a mark that nobody settled. */
  readonly open?: readonly string[];
  /** Whether the rollups have a minimum. */
  readonly isOrdered?: boolean;
  /** The rows were written without the rollup. */
  readonly isNew?: boolean;
}

/** Storage with rows, and buckets of them. */
export function storageOf({
  rows,
  values = {},
  open = [],
  isOrdered = true,
  isNew = false,
}: Start): Storage {
  let base = emptyStorage();
  const contributions: Record<string, Contribution> = {};
  for (const [row, adds] of Object.entries(rows)) {
    if (adds.some((each) => each !== null)) base = withRow(base, row, values[row] ?? []);
    const token = { token: `0.${row}`, order: 1 };
    contributions[row] = {
      adds,
      rolled: adds.map((each) => (isNew || each === null ? undefined : token)),
    };
  }
  const width = Object.values(rows)[0].length;
  const buckets = Array.from({ length: width }, (_, rollup): StoredBucket => {
    const marks = open.map((row): StoredMark => {
      const change = { removed: null, added: rows[row][rollup] };
      return { token: `0.${row}`, order: 1, row, change, old: false };
    });
    const added = Object.entries(rows).filter(([row]) => !open.includes(row) && !isNew);
    const totals = totalsOf(
      added.map(([, adds]) => adds[rollup]),
      isOrdered,
    );
    const parts = { marks, log: [], revision: undefined, build: undefined };
    return { ...totals, ...parts, doubt: isNew };
  });
  return { ...base, contributions, buckets, delayed: [], past: { collected: false } };
}

/** What the rows of storage add to a rollup. */
export function sumOfRows({ contributions }: Storage, rollup: number): number {
  return totalsOf(
    Object.values(contributions).map(({ adds }) => adds[rollup]),
    false,
  ).sum;
}

/** What a reader makes of a bucket, and of marks of writes that were made. */
export function sumRead({ sum }: StoredBucket, made: readonly StoredMark[]): number {
  return sum + differencesOf(made).sum;
}
