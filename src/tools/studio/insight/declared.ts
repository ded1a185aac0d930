/** The calls `drift`, `lint` and `derived`. */
import { isRowsmithError } from '../../../base/index.js';
import {
  readSchemaPlan,
  storedRuleText,
  type SchemaStep,
} from '../../../entities/repository/index.js';
import { lintModels } from '../../lint/index.js';
import type { CallOf, StudioContext } from '../context.js';
import type { DerivedState, Drift, DriftStep, LintReport } from '../protocol/insight.js';

/** Compares the stored tables with the declared ones. */
export async function readDrift({ context }: CallOf<unknown>): Promise<Drift> {
  const { steps } = await readSchemaPlan(context.db.engine, context.declared);
  return { steps: steps.map(driftStep) };
}

function driftStep({ safety, change, consequence, applies }: SchemaStep): DriftStep {
  const step = { safety, kind: change.kind, table: change.table, consequence, applies };
  switch (change.kind) {
    case 'createTable':
      return step;
    case 'changeGc':
      return {
        ...step,
        family: change.family,
        from: storedRuleText(change.from),
        to: storedRuleText(change.to),
      };
    case 'setOption':
      return { ...step, from: `${change.option}: ${change.from}`, to: change.to };
    default:
      return { ...step, family: change.family };
  }
}

/** Checks the declarations. */
export function readLint({ context }: CallOf<unknown>): Promise<LintReport> {
  const models = context.models.filter(({ view }) => view === undefined);
  return Promise.resolve({ findings: lintModels(models, context.lint).findings });
}

/** Reads the states of indexes, and what copies are due. */
export async function readDerived({ context }: CallOf<unknown>): Promise<DerivedState> {
  const { db, models } = context;
  const copies = [];
  for (const model of models) {
    if (model.copiedBy === undefined) continue;
    const due = await dueCopies(context, model.entityClass);
    copies.push({ entity: model.name, ...due });
  }
  return {
    indexes: await db.derived.list(),
    rollups: models.flatMap(({ name: entity, rollups }) =>
      rollups.map(({ name: rollup }) => ({ entity, rollup })),
    ),
    copies,
  };
}

/** Rows that are counted of a source; more are as bad. */
const maxCounted = 10_000;

async function dueCopies(
  { db }: StudioContext,
  entity: unknown,
): Promise<{ readonly due: number; readonly since?: string }> {
  let due = 0;
  let since: Date | undefined;
  try {
    for await (const each of db.derived.pending(entity as never)) {
      if (since === undefined || each.since < since) since = each.since;
      if (++due >= maxCounted) break;
    }
  } catch (error) {
    // Nothing was written since the copies were declared.
    if (!isRowsmithError(error) || error.code !== 'TABLE_NOT_FOUND') throw error;
  }
  return { due, since: since?.toISOString() };
}
