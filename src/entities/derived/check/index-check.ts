/**
 * A check from end to end: the rows of the entity, with their copies, then the entries of each
 * index.
 */
import { RowsmithError, type FaultTexts } from '../../../base/index.js';
import type { EntityModel } from '../../model/index.js';
import { entryFilter } from '../index/entry-filter.js';
import { RowWriter } from '../write/row-writer.js';
import { CopyCheck } from './check-copies.js';
import { EntryCheck } from './check-entries.js';
import { RowCheck, type CheckJob } from './check-rows.js';
import type { StoredFinding } from './finding.js';
import { pagesOf } from './stored-rows.js';

/** The part of a check that looks at rows of the entity, or at entries of one index. */
export interface CheckPhase {
  readonly kind: 'rows' | 'entries';
  /** `entries`: the position of the index. */
  readonly index?: number;
}

/** Rows or entries that were checked. */
export interface CheckedPage {
  readonly phase: CheckPhase;
  /** Their number. */
  readonly count: number;
  readonly findings: readonly StoredFinding[];
  /** Continues after this page. */
  readonly position: string;
}

/**
 * Checks page by page. Rejects with INVALID_CURSOR for a position that is not one of these indexes,
 * and with errors of the storage; what was repaired before stays.
 */
export async function* checkedPages(job: CheckJob): AsyncGenerator<CheckedPage> {
  const { engine, model, indexes, repair, inFlight, signal } = job;
  const writer = new RowWriter(engine, model);
  const phases = phasesOf(indexes);
  const from = startOf(job, phases);
  for (const [i, phase] of phases.entries()) {
    if (i < from.phase) continue;
    const after = i === from.phase ? from.key : undefined;
    const { kind, index } = phase;
    const checker =
      kind === 'rows'
        ? new RowCheck(writer, job)
        : new EntryCheck(engine, writer, index!, inFlight);
    const copies =
      kind === 'rows' && job.copies === true && model.copies !== undefined
        ? new CopyCheck(engine, writer, inFlight)
        : undefined;
    const scanned = kind === 'rows' ? model : model.indexes[index!].entry;
    const filter = kind === 'rows' ? writer.rows.filter : entryFilter(model.indexes[index!]);
    for await (const rows of pagesOf(engine, scanned, filter, { after, signal })) {
      const found = await checker.check(rows, repair, signal);
      const findings = [...found, ...((await copies?.check(rows, repair)) ?? [])];
      const position = positionText(model, phase, rows[rows.length - 1].key);
      yield { phase, count: rows.length, findings, position };
      signal?.throwIfAborted();
    }
    const next = phases.at(i + 1);
    if (i + 1 < phases.length)
      yield { phase, count: 0, findings: [], position: positionText(model, next!, undefined) };
  }
}

function phasesOf(indexes: readonly number[]): readonly CheckPhase[] {
  return [{ kind: 'rows' }, ...indexes.map((index): CheckPhase => ({ kind: 'entries', index }))];
}

function nameOf(model: EntityModel, { kind, index }: CheckPhase): string {
  return kind === 'rows' ? kind : `${kind}.${model.indexes[index!].id}`;
}

function positionText(model: EntityModel, phase: CheckPhase, key: Uint8Array | undefined): string {
  const name = nameOf(model, phase);
  if (key === undefined) return name;
  return `${name}:${Buffer.from(key).toString('base64url')}`;
}

function startOf(
  { after, model }: CheckJob,
  phases: readonly CheckPhase[],
): { readonly phase: number; readonly key: Uint8Array | undefined } {
  if (after === undefined || after === '') return { phase: 0, key: undefined };
  const [name, key, ...more] = after.split(':');
  const phase = phases.findIndex((each) => nameOf(model, each) === name);
  if (phase < 0 || more.length > 0 || (key !== undefined && !/^[\w-]+$/.test(key)))
    throw new RowsmithError('INVALID_CURSOR', {
      entity: model.name,
      property: 'after',
      ...faults.unknownPosition(after),
    });
  return { phase, key: key === undefined ? undefined : Buffer.from(key, 'base64url') };
}

const faults = {
  unknownPosition: (after: string) => ({
    problem: `the position '${after}' does not belong to a check of these indexes`,
    fix: 'give the `after` of a report of the same indexes, or leave it out',
    shell: {
      fix: 'give --after the position that a check of the same indexes printed, or leave it out',
    },
  }),
} satisfies FaultTexts;
