/** Copies as `db.derived` shows them: what is due, and how it is written. */
import { checkOptions } from '../../../../base/index.js';
import type { Propagation } from '../../../derived/index.js';
import type { EntityModel } from '../../../model/index.js';
import { keyArgument } from '../../key-argument.js';
import type { CallOptions } from '../../types/entity-types.js';

/** A row with copies that are due. */
export interface PendingCopies {
  /** The segments of the row. */
  readonly key: Readonly<Record<string, unknown>>;
  /** When the first write of it began that is not copied yet, by the clock of its program. */
  readonly since: Date;
  /** Number of rows with copies that were written already. */
  readonly done: number;
}

/** What `propagate` has done. */
export interface PropagationReport {
  /** Source rows with all copies written. */
  readonly sources: number;
  /** Rows with copies that were written, including copies that were right already. */
  readonly rows: number;
}

/** Options of `propagate`. */
export interface PropagateOptions extends CallOptions {
  /** Only the copies of this row; default: all that are due. */
  readonly key?: Readonly<Record<string, unknown>>;
  /** Called after each page of rows. */
  readonly onProgress?: (report: PropagationReport) => void;
}

/** What is due of a source, in the order of keys. */
export async function* pendingCopies(propagation: Propagation): AsyncGenerator<PendingCopies> {
  let last: (PendingCopies & { readonly row: Uint8Array }) | undefined;
  for await (const marks of propagation.marks.all())
    for (const { row, segments, since, done } of marks) {
      if (last !== undefined && Buffer.compare(last.row, row) === 0) {
        const first = since < last.since ? since : last.since;
        last = { ...last, since: first, done: Math.min(last.done, done) };
        continue;
      }
      if (last !== undefined) yield shown(last);
      last = { row, key: segments, since, done };
    }
  if (last !== undefined) yield shown(last);
}

function shown({ key, since, done }: PendingCopies): PendingCopies {
  return Object.freeze({ key: Object.freeze(key), since, done });
}

/** Writes what is due. */
export async function propagateCopies(
  model: EntityModel,
  propagation: Propagation,
  options: PropagateOptions | undefined,
): Promise<PropagationReport> {
  const entity = model.name;
  checkOptions('propagate()', options, ['key', 'onProgress', 'signal'], { entity });
  const { key, signal, onProgress } = options ?? {};
  let report: PropagationReport = { sources: 0, rows: 0 };
  const failed: unknown[] = [];
  const run = async (row: Uint8Array): Promise<void> => {
    const before = report;
    const { rows } = report;
    try {
      const done = await propagation.run(row, {
        signal,
        onProgress: (count) => onProgress?.({ ...before, rows: rows + count }),
      });
      report = { sources: report.sources + 1, rows: rows + done };
      onProgress?.(report);
    } catch (error) {
      signal?.throwIfAborted();
      failed.push(error);
    }
  };
  if (key !== undefined) await run(model.key.encode(keyArgument(model, key)));
  else {
    let last: Uint8Array | undefined;
    for await (const marks of propagation.marks.all())
      for (const { row } of marks) {
        if (last !== undefined && Buffer.compare(last, row) === 0) continue;
        last = row;
        await run(row);
      }
  }
  // The copies of the other rows are written.
  for (const error of failed) throw error;
  return Object.freeze(report);
}
