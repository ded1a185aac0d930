/**
 * Authorized views as a stage: reads see the cells of the view, and writes of other cells are
 * refused before the engine sees them.
 */
import type { RowsmithError } from '../../../base/index.js';
import { compareBytes, noBytes } from '../../../base/index.js';
import type { SampledKey } from '../engine.js';
import type { Filter } from '../filter.js';
import type { Mutation, ReadModifyWriteRule, RowMutation } from '../mutation.js';
import type { ReadPlan } from '../read-plan.js';
import type { Stage } from '../stage/stage.js';
import type { WriteRequest } from '../stage/request.js';
import type { TableSubset } from './subset-view.js';

/**
 * A write that a view does not allow: `family` is undefined if the view does not have the row, or
 * all of the row is deleted, and `qualifier` if all of the family is deleted.
 */
export interface OutsideWrite {
  readonly key: Uint8Array;
  readonly family?: string;
  readonly qualifier?: Uint8Array;
}

/** The view of a table, and the error of a write outside of it. */
export interface TableView {
  readonly subset: TableSubset;
  readonly refused: (write: OutsideWrite) => RowsmithError;
}

/** The stage of views. `viewOf` returns the view of a table, or throws if it has none. */
export function viewStage(viewOf: (table: string) => TableView): Stage {
  return {
    read: (request, send) => send({ ...request, plan: viewPlan(request.plan, viewOf) }),
    write: async (request, send) => {
      const view = viewOf(request.table);
      if (request.kind !== 'mutateRows') return send(viewWrite(request, view));
      const errors = request.rows.map((row) => rowError(row, view));
      if (errors.every((error) => error === undefined)) return send(request);
      const rows = request.rows.filter((_, i) => errors[i] === undefined);
      if (rows.length === 0) return errors;
      const written = await send({ ...request, rows });
      let next = 0;
      return errors.map((error) => error ?? written[next++]);
    },
    admin: async (request, send) => {
      if (request.kind !== 'sampleRowKeys') return send(request);
      const { subset } = viewOf(request.table);
      return viewSamples(subset, await send(request));
    },
  };
}

function viewPlan(plan: ReadPlan, viewOf: (table: string) => TableView): ReadPlan {
  const { subset } = viewOf(plan.table);
  return { ...plan, ranges: subset.intersect(plan.ranges), filter: within(subset, plan.filter) };
}

/** What passes the filter among the cells of the view. */
function within({ filter: view }: TableSubset, filter: Filter | undefined): Filter {
  if (filter === undefined) return view;
  // Flat, because depth is limited; a chain of fewer than two filters stays one, to be refused.
  if (filter.kind === 'chain' && filter.filters.length > 1)
    return { kind: 'chain', filters: [view, ...filter.filters] };
  return { kind: 'chain', filters: [view, filter] };
}

function viewWrite<R extends Exclude<WriteRequest, { kind: 'mutateRows' }>>(
  request: R,
  view: TableView,
): R {
  switch (request.kind) {
    case 'mutateRow':
      assertRow(request.row.key, request.row.mutations, view);
      return request;
    case 'checkAndMutateRow': {
      const { key, onTrue = [], onFalse = [], predicate } = request.check;
      // Both branches: which of them is taken must not tell what the view does not show.
      assertRow(key, [...onTrue, ...onFalse], view);
      const check = { ...request.check, predicate: within(view.subset, predicate) };
      return { ...request, check };
    }
    case 'readModifyWriteRow':
      assertRow(request.key, request.rules, view);
      return request;
    case 'dropRowRange':
      throw view.refused({ key: noBytes });
  }
}

function rowError(row: RowMutation, view: TableView): RowsmithError | undefined {
  const outside = firstOutside(row.key, row.mutations, view.subset);
  return outside && view.refused(outside);
}

function assertRow(
  key: Uint8Array,
  changes: readonly (Mutation | ReadModifyWriteRule)[],
  view: TableView,
): void {
  const outside = firstOutside(key, changes, view.subset);
  if (outside !== undefined) throw view.refused(outside);
}

function firstOutside(
  key: Uint8Array,
  changes: readonly (Mutation | ReadModifyWriteRule)[],
  subset: TableSubset,
): OutsideWrite | undefined {
  if (!subset.hasKey(key)) return { key };
  for (const change of changes) {
    switch (change.kind) {
      case 'deleteFromRow':
        if (!subset.hasAllColumns) return { key };
        break;
      case 'deleteFromFamily':
        if (!subset.hasFamily(change.family)) return { key, family: change.family };
        break;
      default:
        if (!subset.hasColumn(change.family, change.qualifier))
          return { key, family: change.family, qualifier: change.qualifier };
    }
  }
  return undefined;
}

/** The keys within the ranges of the view, and the end of each range. */
function viewSamples({ ranges }: TableSubset, samples: readonly SampledKey[]): SampledKey[] {
  const found: SampledKey[] = [];
  let next = 0;
  for (const { start, end } of ranges) {
    const isBefore = (key: Uint8Array, bound: Uint8Array) =>
      key.length > 0 && compareBytes(key, bound) < 0;
    while (next < samples.length && !isBefore(start, samples[next].key)) {
      if (samples[next].key.length === 0) break;
      next++;
    }
    while (next < samples.length && samples[next].key.length > 0) {
      if (end !== undefined && !isBefore(samples[next].key, end)) break;
      found.push(samples[next++]);
    }
    const offsetBytes = (samples[next] ?? samples.at(-1))?.offsetBytes ?? 0;
    found.push({ key: end ?? noBytes, offsetBytes });
  }
  return found;
}
