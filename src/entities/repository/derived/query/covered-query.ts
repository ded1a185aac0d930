/** Queries of an index that read its entries alone. */
import type { Values } from '../../../../base/index.js';
import { type EntityModel, plainRowJson } from '../../../model/index.js';
import { explain, fullScan, planOf, type QueryPlan, type QuerySpec } from '../../../query/index.js';
import { KeyQuery, type KeySource, planReading, storedRows } from '../../read/query/key-query.js';
import { rowNotFound } from '../../row-not-found.js';
import type { CallOptions } from '../../types/entity-types.js';
import {
  assertCondition,
  coveredSpec,
  entryRange,
  explainedPlan,
  type IndexTarget,
  withHolder,
} from './index-target.js';

interface CoveredSource extends KeySource {
  readonly target: IndexTarget;
}

/** Implements what `covered()` returns. Immutable. */
export class CoveredQuery extends KeyQuery<object, CoveredSource> {
  /** The query without conditions. */
  static root(target: IndexTarget): CoveredQuery {
    return new CoveredQuery(coveredSource(target), { spec: fullScan });
  }

  async get(values: unknown, options?: CallOptions): Promise<object | undefined> {
    this.checkOptions('get()', options);
    const ranges = entryRange(this.source.target, values);
    return this.renewed({ ...this.state, ranges, scan: true }).first(options);
  }

  async getOrThrow(values: unknown, options?: CallOptions): Promise<object> {
    const found = await this.get(values, options);
    if (found !== undefined) return found;
    const { model, index } = this.source.target;
    throw rowNotFound(model, values as Values, `index '${index.name}'`);
  }
}

function coveredSource(target: IndexTarget): CoveredSource {
  const { entry, entryContext, index } = target;
  return {
    ...storedRows(entryContext, entry),
    rowsOf: target.context.rowsOf,
    whole: target.holder && wholeEntry(target),
    target,
    assertCondition: (spec) => assertCondition(target, spec),
    reading: (spec, ranges) => {
      const plan = planOfEntries(target, spec, { perShard: [ranges.perShard.flat()] });
      const reading = planReading(entryContext, entry, plan);
      return {
        ...reading,
        resultOf: reading.resultOf ?? rowKeyResult(target, spec),
        explain: () =>
          explain(entry, explainedPlan(target, plan), {
            filter: plan.selection.filter,
            index: {
              name: index.name,
              covered: true,
              notes: ['reads entries alone: they may be older or newer than the rows'],
            },
          }),
      };
    },
  };
}

/** Entries are read as plain objects: all covered columns are selected. */
function planOfEntries(
  { entry, holder, covered }: IndexTarget,
  spec: QuerySpec,
  ranges: QueryPlan['ranges'],
): QueryPlan {
  if (spec.keysOnly) return planOf(entry, spec, ranges);
  if (spec.select !== undefined) return planOf(entry, { ...spec, everyRow: true }, ranges);
  const stored = withHolder(entry, holder);
  const plan = planOf(stored, coveredSpec(stored, spec), ranges);
  return spec.where === undefined ? { ...plan, selection: covered } : plan;
}

/** The result for an entry that holds the row key: with its segments. */
function rowKeyResult(
  target: IndexTarget,
  { select, keysOnly }: QuerySpec,
): ((found: object) => object) | undefined {
  const { entry, holder, model } = target;
  if (holder === undefined || keysOnly || select !== undefined) return undefined;
  const decode = model.key.decoder();
  const addJson = plainRowJson(wholeEntry(target), entry.columns);
  return (found) => {
    const { [holder.property]: key, ...result } = found as Record<string, unknown>;
    if (key instanceof Uint8Array) decode(key, 0, key.length, result);
    addJson?.(result);
    return result;
  };
}

/** The entry of a unique index with the segments of the row key. */
function wholeEntry({ entry, model }: IndexTarget): EntityModel {
  const own = entry.segments.map(({ property }) => property);
  const others = model.segments.filter(({ property }) => !own.includes(property));
  return { ...entry, segments: [...entry.segments, ...others] };
}
