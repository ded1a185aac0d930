/** A query as what is read of storage, for exports. */
import type { KeyRange } from '../../../../base/index.js';
import { declarationOf, type EntityModel } from '../../../model/index.js';
import type { QuerySpec } from '../../../query/index.js';
import type { Engine } from '../../../../data/store/index.js';
import type { Pages } from '../rows/entity-pages.js';
import type { RunOptions } from '../runs/query-run.js';

/** The rows that a query finds. */
export interface QuerySource {
  readonly engine: Engine;
  readonly model: EntityModel;
  readonly query: QuerySpec;
  /** Contain the rows, and other rows if the query does not return all rows of its ranges. */
  readonly ranges: readonly KeyRange[];
  /** Identifies the query. */
  readonly fingerprint: () => string;
  /** The signal of the query itself. */
  readonly signal: AbortSignal | undefined;
  /** Opens the keys of the rows, in the order of the query. */
  keys(options: RunOptions): Pages<object>;
}

/** Names what an export reads in the queries of all copies of the package. */
export const sourceKey = Symbol.for('rowsmith.querySource');

/**
 * What an export reads; undefined for what is not a query. Throws VERSION_MISMATCH for a query of
 * another version.
 */
export function querySource(query: unknown): QuerySource | undefined {
  if (typeof query !== 'object' || query === null) return undefined;
  const source = (query as { readonly [sourceKey]?: QuerySource })[sourceKey];
  if (source !== undefined) declarationOf(source.model.entityClass);
  return source;
}
