/** The rollups of a check of all that follows from the rows of an entity. */
import { RowsmithError, type FaultTexts } from '../../../../base/index.js';
import type { EntityModel } from '../../../model/index.js';
import type { ReportBuilder } from './report-builder.js';
import type { RollupAdmin } from './rollup-admin.js';

/** Where the rollups begin. Later positions are `rollups.NAME` and `rollups.NAME:AFTER`. */
export const firstRollup = 'rollups';

/** Whether a position is of a rollup. Positions of indexes are `rows` or `entries.ID`. */
export function isOfRollup(position: string | undefined): position is string {
  return position !== undefined && /^rollups(\.|$)/.test(position);
}

/** A check of rollups. */
export interface RollupsJob {
  readonly rollups: RollupAdmin;
  readonly model: EntityModel;
  readonly repair: boolean;
  /** The position of the first one. */
  readonly from: string;
  /** Rows after which no other rollup is begun. */
  readonly limit: number;
  readonly signal: AbortSignal | undefined;
}

/**
 * Compares one rollup after the other; resolves to the position of the first one left, or to
 * undefined at the end. Rejects with INVALID_CURSOR.
 */
export async function checkRollups(
  { rollups, model, repair, from, limit, signal }: RollupsJob,
  report: ReportBuilder,
): Promise<string | undefined> {
  const match = /^rollups(?:\.([^:]*)(?::(.*))?)?$/s.exec(from);
  if (match === null) throw cursorError(model);
  const [, first, rest] = match as readonly (string | undefined)[];
  const names = model.rollups.map(({ name }) => name);
  const start = first === undefined ? 0 : names.indexOf(first);
  if (start < 0) throw cursorError(model);
  let after: string | undefined = rest;
  for (const name of names.slice(start)) {
    if (report.looked >= limit) return positionOf(name);
    const run = repair ? 'repair' : 'verify';
    const found = await rollups[run](model.entityClass as never, {
      name,
      after,
      signal,
      onDifference: (difference) => report.addDifference(difference),
      onProgress: (progress) => report.onRollup(name, progress, positionOf(name, progress.after)),
    });
    report.addRollup(found);
    after = undefined;
  }
  return undefined;
}

function positionOf(name: string, after?: string): string {
  return after === undefined ? `rollups.${name}` : `rollups.${name}:${after}`;
}

function cursorError({ name }: EntityModel): RowsmithError {
  return new RowsmithError('INVALID_CURSOR', {
    entity: name,
    property: 'after',
    ...faults.unknownPosition,
  });
}

const faults = {
  unknownPosition: {
    problem: 'the position does not belong to a rollup of the entity',
    fix: 'give the `after` of a report on this entity, or leave it out',
    shell: {
      fix: 'give --after the position that a check of this entity printed, or leave it out',
    },
  },
} satisfies FaultTexts;
