/**
 * Settles a mark that its writer has left. If the row has its token, the write was made and is
 * added. Otherwise the version of the row moves on first, so that the write can never be made; then
 * the mark is removed.
 */
import type { Answer, MarkName, SeenRow, Step } from './step.js';

/** A mark to settle. Immutable. */
export interface RecoveryJob extends MarkName {
  /** Distinguishes this recovery from all other recoveries. */
  readonly id: string;
  /** The key of the row that was written, one character per byte. */
  readonly row: string;
}

/** How a recovery ended. */
export type RecoveryResult = { readonly kind: 'added' | 'removed' | 'failed' };

/** A recovery between two requests. */
export interface RecoveryState {
  readonly at: 'row' | 'fence' | 'remove' | 'add';
  readonly fences: number;
}

type RecoveryStep = Step<RecoveryState, RecoveryResult>;

/** The first request of a recovery. */
export function startRecovery({ row }: RecoveryJob): RecoveryStep {
  return { kind: 'ask', state: { at: 'row', fences: 0 }, request: { kind: 'readRow', row } };
}

/** What follows an answer. */
export function continueRecovery(
  job: RecoveryJob,
  state: RecoveryState,
  answer: Answer,
): RecoveryStep {
  if (answer.kind === 'failed') return { kind: 'end', result: { kind: 'failed' } };
  const { rollup, bucket, token, row } = job;
  const marks = [{ rollup, bucket, token }];
  switch (state.at) {
    case 'row':
      return afterRow(job, state, (answer as { readonly row: SeenRow }).row);
    case 'fence': {
      const { applied } = answer as { readonly applied: boolean };
      const request = applied
        ? ({ kind: 'unmark', marks } as const)
        : ({ kind: 'readRow', row } as const);
      return { kind: 'ask', state: { ...state, at: applied ? 'remove' : 'row' }, request };
    }
    case 'remove':
      return { kind: 'end', result: { kind: 'removed' } };
    case 'add':
      return { kind: 'end', result: { kind: 'added' } };
  }
}

function afterRow(job: RecoveryJob, { fences }: RecoveryState, seen: SeenRow): RecoveryStep {
  const { rollup, bucket, token, row, id } = job;
  if (seen.rolled[rollup]?.token === token) {
    const marks = [{ rollup, bucket, token }];
    return { kind: 'ask', state: { at: 'add', fences }, request: { kind: 'settle', marks } };
  }
  const { version } = seen;
  const request = { kind: 'fence', row, version, next: `${id}.f${fences}` } as const;
  return { kind: 'ask', state: { at: 'fence', fences: fences + 1 }, request };
}
