/** Compares rollups with the rows that they follow, and makes them exact. */
import { checkOptions, valueText, wrongObject, type FaultTexts } from '../../../../base/index.js';
import { checkRollup, type BucketReport as CheckedRollup } from '../../../derived/index.js';
import { argumentError, type EntityClass, type EntityModel } from '../../../model/index.js';
import type { Engine } from '../../../../data/store/index.js';
import type { RollupOptions, RollupReport } from './rollup-admin-types.js';
import { rollupOf } from '../query/rollup-query.js';

const optionNames = ['prefix', 'since', 'until', 'after', 'onDifference', 'onProgress', 'signal'];

/** What the derived rows of an entity are read and written with. */
export interface RollupAdminParts {
  readonly model: EntityModel;
  /** The engine without the wrappers of entities. */
  readonly engine: Engine;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/**
 * Maintenance of rollups, `db.derived.rollups`. Calls read in pages and can be continued. They may
 * run beside writers: a row that differs is looked at again before it is reported, and is replaced
 * only if nothing was added to it meanwhile. Of a bucket that is written at this very time, a
 * rollup that counts once may still be made wrong: check the buckets of past times.
 */
export class RollupAdmin {
  readonly #partsOf: (entity: unknown) => RollupAdminParts;

  /** @internal Created by Database. */
  constructor(partsOf: (entity: unknown) => RollupAdminParts) {
    this.#partsOf = partsOf;
  }

  /**
   * Compares the derived rows of an entity with their source, and reports rows that differ. Writes
   * nothing.
   */
  verify(entity: EntityClass, options?: RollupOptions): Promise<RollupReport> {
    return this.#run('verify()', entity, options, false);
  }

  /** As `verify`, and makes the rows that differ exact. */
  repair(entity: EntityClass, options?: RollupOptions): Promise<RollupReport> {
    return this.#run('repair()', entity, options, true);
  }

  /**
   * Computes a rollup from its source and writes the rows that differ: all of them, for a rollup
   * that was added to a table with rows. Give a part of it with `prefix`, `since` and `until`.
   * Rejects with INVALID_VALUE for a stored value that the rollup cannot keep exactly.
   */
  rebuild(
    entity: EntityClass,
    name: string,
    options?: Omit<RollupOptions, 'name'>,
  ): Promise<RollupReport> {
    return this.#run('rebuild()', entity, options, true, { name });
  }

  async #run(
    call: string,
    entity: EntityClass,
    options: RollupOptions | undefined,
    fix: boolean,
    only?: { readonly name: string },
  ): Promise<RollupReport> {
    const { model, engine, now } = this.#partsOf(entity);
    const known = only === undefined ? [...optionNames, 'name'] : optionNames;
    // Before anything is added to them: what is no object would be options without names.
    checkOptions(call, options, known, { entity: model.name });
    const given: RollupOptions = { ...options };
    checkPart(model, given);
    const { onDifference, onProgress, ...range } = given;
    const { name } = only ?? given;
    const rollups = name === undefined ? model.rollups : [rollupOf(model, name)];
    if (rollups.length > 1 && given.after !== undefined)
      throw argumentError(model, 'after', faults.positionWithoutName);
    let total = emptyReport;
    for (const rollup of rollups) {
      const before = total;
      const report = await checkRollup(engine, model, rollup.name, {
        ...range,
        fix,
        now: now(),
        onDifference: (difference) => onDifference?.({ ...difference, name: rollup.name }),
        onProgress: (progress) => onProgress?.(sumOf(before, progress)),
      });
      total = sumOf(before, report);
      onProgress?.(total);
    }
    return total;
  }
}

/** Throws INVALID_ARGUMENT for a part of a rollup that is none. */
function checkPart(model: EntityModel, { prefix, after }: RollupOptions): void {
  const wrong = prefix === undefined ? undefined : wrongObject(prefix);
  if (wrong !== undefined)
    throw argumentError(
      model,
      'prefix',
      faults.wrongPrefix(wrong.given, wrong.fix ?? 'write { segment: value }, or leave it out'),
    );
  if (after === undefined || typeof after === 'string') return;
  throw argumentError(model, 'after', faults.wrongPosition(valueText(after)));
}

const emptyReport: RollupReport = Object.freeze({
  rows: 0,
  compared: 0,
  missing: 0,
  orphan: 0,
  wrong: 0,
  repaired: 0,
  busy: 0,
  expired: 0,
});

function sumOf(before: RollupReport, { buckets, after, ...report }: CheckedRollup): RollupReport {
  const sum = addReports(before, { ...report, compared: buckets });
  if (after === undefined) return Object.freeze(sum);
  return Object.freeze({ ...sum, after });
}

/** The sum of two reports, without a position. */
export function addReports(before: RollupReport = emptyReport, report: RollupReport): RollupReport {
  const sum = {
    rows: before.rows + report.rows,
    compared: before.compared + report.compared,
    missing: before.missing + report.missing,
    orphan: before.orphan + report.orphan,
    wrong: before.wrong + report.wrong,
    repaired: before.repaired + report.repaired,
    busy: before.busy + report.busy,
    expired: before.expired + report.expired,
  };
  const since = [before, report].flatMap(({ countsSince }) => countsSince?.getTime() ?? []);
  return since.length === 0 ? sum : { ...sum, countsSince: new Date(Math.max(...since)) };
}

const faults = {
  positionWithoutName: {
    problem: 'the position belongs to one rollup, and the call names none',
    fix: 'give the name of the rollup too',
  },
  wrongPrefix: (given: string, fix: string) => ({
    problem: `a prefix is an object with leading segments of the rollup, not ${given}`,
    fix,
  }),
  wrongPosition: (given: string) => ({
    problem: `after is ${given}`,
    fix: 'give the `after` of a report, or leave it out',
  }),
} satisfies FaultTexts;
