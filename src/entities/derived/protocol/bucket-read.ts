/**
 * Reads a bucket together with the writes that are made and not added yet, so that the result is
 * what the rows added at one moment of the reading. A mark tells nothing without its row, and rows
 * are read one after the other. So after the last write that was made, this looks again at writes
 * that were not, and the bucket must be the same at the end.
 */
import type { StorageAnswer, BucketName, SeenBucket, SeenMark, SeenRow, Step } from './step.js';

/** A bucket to read. Immutable. */
export interface BucketReadJob extends BucketName {
  /** How often the reading starts again where the bucket changed meanwhile. */
  readonly attempts: number;
}

/** How a reading ended. `made` are committed marks: the bucket's values lack their changes. */
export type BucketReadResult =
  | { readonly kind: 'read'; readonly bucket: SeenBucket; readonly made: readonly SeenMark[] }
  | { readonly kind: 'contended' | 'failed' };

/** A reading between two requests. */
export interface BucketReadState {
  readonly at: 'first' | 'row' | 'last';
  readonly attempt: number;
  readonly bucket?: SeenBucket;
  /** Marks to look at in this pass. */
  readonly left: readonly SeenMark[];
  readonly made: readonly SeenMark[];
  /** Marks that were not made in this pass. */
  readonly open: readonly SeenMark[];
  /** Whether a mark of this pass was made. */
  readonly isMoved: boolean;
}

type ReadStep = Step<BucketReadState, BucketReadResult>;

/** The first request of a reading. */
export function startBucketRead(job: BucketReadJob): ReadStep {
  const state = { attempt: 0, left: [], made: [], open: [], isMoved: false };
  return askForBucket(job, state, 'first');
}

/** What follows an answer. */
export function continueBucketRead(
  job: BucketReadJob,
  state: BucketReadState,
  answer: StorageAnswer,
): ReadStep {
  if (answer.kind === 'failed') return { kind: 'end', result: { kind: 'failed' } };
  switch (state.at) {
    case 'first':
      return begin(job, state, bucketOf(answer));
    case 'row':
      return afterRow(job, state, (answer as { readonly row: SeenRow }).row);
    case 'last':
      return afterLast(job, state, bucketOf(answer));
  }
}

function begin(job: BucketReadJob, { attempt }: BucketReadState, bucket: SeenBucket): ReadStep {
  const state = { attempt, bucket, left: bucket.marks, made: [], open: [], isMoved: false };
  return look(job, state);
}

/** Looks at the next mark, again at marks that were not made, or at last at the bucket. */
function look(job: BucketReadJob, state: Omit<BucketReadState, 'at'>): ReadStep {
  const { left, open, isMoved, made, bucket } = state;
  if (left.length > 0) {
    const request = { kind: 'readRow', row: left[0].row } as const;
    return { kind: 'ask', state: { ...state, at: 'row' }, request };
  }
  if (isMoved && open.length > 0)
    return look(job, { ...state, left: open, open: [], isMoved: false });
  if (bucket!.marks.length > 0) return askForBucket(job, state, 'last');
  return { kind: 'end', result: { kind: 'read', bucket: bucket!, made } };
}

function afterRow(job: BucketReadJob, state: BucketReadState, row: SeenRow): ReadStep {
  const [mark, ...left] = state.left;
  if (row.rolled[job.rollup]?.token !== mark.token)
    return look(job, { ...state, left, open: [...state.open, mark] });
  return look(job, { ...state, left, made: [...state.made, mark], isMoved: true });
}

function afterLast(job: BucketReadJob, state: BucketReadState, last: SeenBucket): ReadStep {
  const { made, attempt } = state;
  const bucket = state.bucket!;
  const isSame =
    last.revision === bucket.revision &&
    last.marks.every(({ token }) => bucket.marks.some((each) => each.token === token));
  if (isSame) return { kind: 'end', result: { kind: 'read', bucket, made } };
  if (attempt + 1 >= job.attempts) return { kind: 'end', result: { kind: 'contended' } };
  return begin(job, { ...state, attempt: attempt + 1 }, last);
}

function askForBucket(
  { rollup, bucket }: BucketReadJob,
  state: Omit<BucketReadState, 'at'>,
  at: 'first' | 'last',
): ReadStep {
  return {
    kind: 'ask',
    state: { ...state, at },
    request: { kind: 'readBucket', rollup, bucket },
  };
}

/** The bucket that an answer has. */
export function bucketOf(answer: StorageAnswer): SeenBucket {
  return (answer as Extract<StorageAnswer, { kind: 'bucket' }>).bucket;
}
