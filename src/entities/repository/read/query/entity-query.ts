/** Queries of the rows of an entity. */
import type { EntityModel } from '../../../model/index.js';
import {
  assertRows,
  checkCount,
  checkAsOf,
  fingerprintText,
  fullScan,
  planOf,
} from '../../../query/index.js';
import type { DeleteOptions, DeleteResult } from '../../types/bulk-types.js';
import type { CallOptions } from '../../types/entity-types.js';
import { deleteRows } from '../../write/delete-rows.js';
import type { ReaderContext } from '../rows/entity-pages.js';
import { EntrySeries } from '../runs/entry-series.js';
import { KeyQuery, type KeySource, storedRows } from './key-query.js';
import { type QuerySource, sourceKey } from './query-source.js';
import { splitBySamples } from '../runs/split-query.js';

interface EntitySource extends KeySource {
  readonly context: ReaderContext;
}

/** Implements RowQuery and RangeQuery. Immutable. */
export class EntityQuery extends KeyQuery<object, EntitySource> {
  /** The query without conditions, from which all other queries are built. */
  static root(context: ReaderContext, model: EntityModel): EntityQuery {
    return new EntityQuery({ ...storedRows(context, model), context }, { spec: fullScan });
  }

  /** What an export reads. */
  get [sourceKey](): QuerySource {
    const { context, model } = this.source;
    const { spec, signal } = this.state;
    return {
      engine: context.engine,
      model,
      query: spec,
      ranges: this.ranges.perShard.flat(),
      fingerprint: () => fingerprintText(model, planOf(model, spec, this.ranges)),
      signal,
      keys: (options) => this.with({ keysOnly: true }).planned.open(options),
    };
  }

  series(map: unknown, options?: unknown): EntrySeries {
    const source = (pageRows: number): this => this.with({ pageRows });
    return new EntrySeries(this.source.model, this.state.spec, source, map, options);
  }

  versions(count: unknown): this {
    const { model } = this.source;
    assertRows(model, 'versions', this.state.spec);
    return this.with({ versions: checkCount(model, 'versions', count) });
  }

  asOf(timestamp: unknown): this {
    return this.with({ asOf: checkAsOf(this.source.model, timestamp) });
  }

  async split(parts: unknown, options?: CallOptions): Promise<this[]> {
    this.checkOptions('split()', options);
    const { spec, signal } = this.state;
    const split = await splitBySamples(
      { ...this.source, spec, ranges: this.ranges },
      parts,
      options?.signal ?? signal,
    );
    const queries = split.map((ranges) => this.renewed({ ...this.state, ranges, part: true }));
    return spec.reversed ? queries.reverse() : queries;
  }

  async delete(options?: DeleteOptions): Promise<DeleteResult> {
    const { context, model } = this.source;
    const { spec, signal } = this.state;
    return deleteRows(
      {
        engine: context.engine,
        model,
        models: context.modelsOf(model.table.name),
        query: spec,
        ranges: this.ranges.perShard.flat(),
        wholeRanges:
          spec.limit === undefined && spec.firstPer === undefined && spec.where === undefined,
        signal,
        keys: (abort) => this.with({ keysOnly: true }).signal(abort),
      },
      options ?? undefined,
    );
  }
}
