/** Queries of conditions that are known only when the program runs, without types of entities. */
import type { EntityModel } from '../../entities/model/index.js';
import type { Explanation } from '../../entities/query/index.js';
import type { Database, Page } from '../../entities/repository/index.js';

/** The methods of queries that are used here; their types need an entity class. */
export interface UntypedQuery extends AsyncIterable<object> {
  prefix(segments: object): UntypedQuery;
  oneOf(segment: string, values: readonly unknown[]): UntypedQuery;
  between(segment: string, from: unknown, to: unknown): UntypedQuery;
  since(segment: string, value: unknown): UntypedQuery;
  until(segment: string, value: unknown): UntypedQuery;
  startsWith(segment: string, value: unknown): UntypedQuery;
  subdomains(segment: string, value: unknown): UntypedQuery;
  scanAll(): UntypedQuery;
  distinct(segment: string): UntypedQuery;
  where(conditions: object): UntypedQuery;
  select(...names: string[]): UntypedQuery;
  keysOnly(): UntypedQuery;
  versions(count: number): UntypedQuery;
  asOf(time: Date): UntypedQuery;
  limit(rows: number): UntypedQuery;
  reverse(): UntypedQuery;
  signal(signal: AbortSignal): UntypedQuery;
  page(request: {
    readonly size: number;
    readonly after?: string | undefined;
  }): Promise<Page<object>>;
  first(): Promise<object | undefined>;
  count(): Promise<number>;
  pages(): AsyncIterableIterator<object[]>;
  explain(): Explanation;
  delete(options: object): Promise<{
    readonly deleted: number;
    readonly failed: number;
    readonly dropped: boolean;
    readonly failures: readonly { readonly error: unknown }[];
  }>;
}

/** The methods of repositories that are used here. */
export interface UntypedRepository extends UntypedQuery {
  readonly patterns: Readonly<Record<string, (values?: object) => UntypedQuery>>;
  index(name: string): UntypedQuery & {
    get(values: object): Promise<object | undefined>;
    covered(): UntypedQuery;
  };
  rollup(name: string): UntypedQuery;
  get(key: object, options?: object): Promise<object | undefined>;
  fromJSON(value: unknown): object;
  toJSON(row: object): object;
  insert(entity: object): Promise<void>;
  save(entity: object): Promise<void>;
  patch(key: object, changes: object, options: object): Promise<void>;
  increment(key: object, amounts: object): Promise<unknown>;
  delete(key: object, options?: object): Promise<never>;
}

/** The repository of an entity. */
export function repositoryOf(db: Database, model: EntityModel): UntypedRepository {
  return db.repository(model.entityClass as never) as unknown as UntypedRepository;
}

/** A bound on the segment after the given ones. */
export type KeyBound =
  | {
      readonly kind: 'between';
      readonly segment: string;
      readonly from: unknown;
      readonly to: unknown;
    }
  | {
      readonly kind: 'since' | 'until' | 'startsWith' | 'subdomains';
      readonly segment: string;
      readonly value: unknown;
    };

/** Conditions on the first segments of a key, without gaps. */
export interface KeyTerms {
  /** Alternatives for each of the first segments, in key order. */
  readonly fixed: readonly { readonly segment: string; readonly values: readonly unknown[] }[];
  readonly bound: KeyBound | undefined;
}

/** The query of conditions on the key of an entity, or of what is read instead. */
export function conditionQuery(
  root: Pick<UntypedQuery, 'prefix' | 'oneOf' | 'scanAll'> & UntypedQuery,
  { key }: Pick<EntityModel, 'key'>,
  { fixed, bound }: KeyTerms,
): UntypedQuery {
  if (fixed.length === 0 && bound === undefined) return root.scanAll();
  // prefix() takes all segments but the last; oneOf() takes any.
  const several = fixed.findIndex(({ values }) => values.length > 1);
  const leading = Math.min(several === -1 ? fixed.length : several, key.names.length - 1);
  let query: UntypedQuery = root;
  if (leading > 0)
    query = query.prefix(
      Object.fromEntries(
        fixed.slice(0, leading).map(({ segment, values }) => [segment, values[0]]),
      ),
    );
  for (const { segment, values } of fixed.slice(leading)) query = query.oneOf(segment, values);
  return bound === undefined ? query : bounded(query, bound);
}

function bounded(query: UntypedQuery, bound: KeyBound): UntypedQuery {
  if (bound.kind === 'between') return query.between(bound.segment, bound.from, bound.to);
  return query[bound.kind](bound.segment, bound.value);
}
