/** The query of a read: of an entity, of one of its indexes, or of an access pattern. */
import { suggestionText, type FaultTexts } from '../../../../base/index.js';
import type { EntityModel, IndexModel, PatternModel } from '../../../../entities/model/index.js';
import type { Explanation } from '../../../../entities/query/index.js';
import type { Database } from '../../../../entities/repository/index.js';
import { UsageError } from '../../../command.js';
import { type Bound, type KeyConditions, keyConditions, type KeyPlace } from './key-conditions.js';
import { checkSelected, findPattern, type ReadCall, rejectOptions } from './read-call.js';
import type { Term } from './terms.js';
import { conditionsOf } from './where.js';

/** The methods of queries that are used here; their types need an entity class. */
export interface Query extends AsyncIterable<object> {
  prefix(segments: object): Query;
  oneOf(segment: string, values: readonly unknown[]): Query;
  between(segment: string, from: unknown, to: unknown): Query;
  since(segment: string, value: unknown): Query;
  until(segment: string, value: unknown): Query;
  startsWith(segment: string, value: unknown): Query;
  subdomains(segment: string, value: unknown): Query;
  scanAll(): Query;
  distinct(segment: string): Query;
  where(conditions: object): Query;
  select(...names: string[]): Query;
  keysOnly(): Query;
  versions(count: number): Query;
  asOf(time: Date): Query;
  limit(rows: number): Query;
  reverse(): Query;
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
export interface Repository extends Query {
  readonly patterns: Readonly<Record<string, (values?: object) => Query>>;
  index(name: string): Query & { get(values: object): Promise<object | undefined> };
  get(key: object, options?: object): Promise<object | undefined>;
  fromJSON(value: unknown): object;
  save(entity: object): Promise<void>;
  patch(key: object, changes: object, options: object): Promise<void>;
  increment(key: object, amounts: object): Promise<unknown>;
  delete(key: object): Promise<never>;
}

/** The repository of an entity. */
export function repositoryOf(db: Database, model: EntityModel): Repository {
  return db.repository(model.entityClass as never) as unknown as Repository;
}

/** The index of a name. Throws UsageError. */
export function findIndex(model: EntityModel, name: string): IndexModel {
  const found = model.indexes.find((index) => index.name === name);
  if (found !== undefined) return found;
  const names = model.indexes.map((index) => index.name);
  if (names.length === 0) throw new UsageError(faults.noIndexes(name, model.name));
  throw new UsageError(faults.unknownIndex(name, model.name, names));
}

/** The key that the terms of a read are about. */
export function keyPlace(model: EntityModel, { index }: Pick<ReadCall, 'index'>): KeyPlace {
  if (index === undefined) return { model, name: `the key of ${model.name}` };
  const { entry } = findIndex(model, index);
  return { model: entry, name: `index '${index}' of ${model.name}` };
}

/** Everything of a read except what is shown of the rows. Throws UsageError. */
export function rangeQuery(db: Database, model: EntityModel, call: ReadCall): Query {
  const repository = repositoryOf(db, model);
  if (call.json !== undefined) throw new UsageError(faults.jsonKeyInScan);
  let query = startOf(repository, model, call);
  if (call.where.length > 0) query = query.where(conditionsOf(model, call.where));
  if (call.limit !== undefined) query = query.limit(call.limit);
  if (call.reverse) query = query.reverse();
  if (call.asOf !== undefined) query = query.asOf(call.asOf);
  return query;
}

function startOf(repository: Repository, model: EntityModel, call: ReadCall): Query {
  const { pattern, index, terms } = call;
  if (index !== undefined) {
    if (pattern !== undefined) throw new UsageError(faults.patternWithoutIndex(pattern));
    rejectIndexed(call);
    const place = keyPlace(model, call);
    return conditionQuery(repository.index(index), place, keyConditions(place, terms));
  }
  if (pattern !== undefined)
    return patternQuery(repository, model, findPattern(model, pattern, terms), terms);
  const place = keyPlace(model, call);
  return conditionQuery(repository, place, keyConditions(place, terms));
}

/** The query of conditions on a key. */
export function conditionQuery(
  root: Pick<Query, 'prefix' | 'oneOf' | 'scanAll'> & Query,
  { model }: KeyPlace,
  { fixed, bound }: KeyConditions,
): Query {
  if (fixed.length === 0 && bound === undefined) return root.scanAll();
  // prefix() takes all segments but the last; oneOf() takes any.
  const several = fixed.findIndex(({ values }) => values.length > 1);
  const leading = Math.min(several === -1 ? fixed.length : several, model.key.names.length - 1);
  let query: Query = root;
  if (leading > 0)
    query = query.prefix(
      Object.fromEntries(
        fixed.slice(0, leading).map(({ segment, values }) => [segment, values[0]]),
      ),
    );
  for (const { segment, values } of fixed.slice(leading)) query = query.oneOf(segment, values);
  return bound === undefined ? query : bounded(query, bound);
}

function bounded(query: Query, bound: Bound): Query {
  if (bound.kind === 'between') return query.between(bound.segment, bound.from, bound.to);
  return query[bound.kind](bound.segment, bound.value);
}

function patternQuery(
  repository: Repository,
  model: EntityModel,
  pattern: PatternModel,
  terms: readonly Term[],
): Query {
  const { fixed, bound } = keyConditions(keyPlace(model, { index: undefined }), terms);
  const given = fixed.map(({ segment }) => segment);
  const isExact =
    given.join() === pattern.prefix.join() &&
    fixed.every(({ values }) => values.length === 1) &&
    bound?.kind === pattern.bound?.kind &&
    bound?.segment === pattern.bound?.segment;
  if (!isExact)
    throw new UsageError(
      faults.patternArguments(pattern.name, model.name, patternArguments(pattern)),
    );
  const values: Record<string, unknown> = {};
  for (const each of fixed) values[each.segment] = each.values[0];
  if (bound?.kind === 'between') values[bound.segment] = { from: bound.from, to: bound.to };
  else if (bound !== undefined) values[bound.segment] = bound.value;
  return repository.patterns[pattern.name](values);
}

/** `tenant=VALUE --from at=VALUE`. */
export function patternArguments({ prefix, bound }: PatternModel): string {
  const parts = prefix.map((name) => `${name}=VALUE`);
  const options = {
    between: ['from', 'to'],
    since: ['from'],
    until: ['to'],
    startsWith: ['starts'],
    subdomains: ['under'],
  } as const;
  if (bound !== undefined)
    for (const option of options[bound.kind]) parts.push(`--${option} ${bound.segment}=VALUE`);
  return parts.length === 0 ? 'no values' : parts.join(' ');
}

/** The query with the properties that are wanted. Throws UsageError for an unknown one. */
export function selected(
  query: Query,
  model: EntityModel,
  { select, versions }: Pick<ReadCall, 'select' | 'versions'>,
): Query {
  let result = query;
  const names = checkSelected(model, select);
  if (select.length > 0) result = names.length === 0 ? result.keysOnly() : result.select(...names);
  if (versions !== undefined) result = result.versions(versions);
  return result;
}

/** Rejects options that reads of an index do not have. Throws UsageError. */
export function rejectIndexed(call: ReadCall): void {
  if (call.index === undefined) return;
  rejectOptions(
    call,
    ['asOf', 'versions'],
    'cannot be combined with --index, which finds rows as they are now',
  );
}

const faults = {
  noIndexes: (name: string, modelName: string) => ({
    problem: `--index ${name}: ${modelName} declares no index`,
  }),
  unknownIndex: (name: string, modelName: string, names: readonly string[]) => ({
    problem: `--index ${name}: ${modelName} has no such index`,
    fix: suggestionText(name, names, 'its indexes are'),
  }),
  jsonKeyInScan: { problem: 'a key as JSON names one row', fix: 'read it with rowsmith get' },
  patternWithoutIndex: (pattern: string) => ({
    problem: `the access pattern '${pattern}' does not read an index`,
  }),
  patternArguments: (patternName: string, modelName: string, patternArgumentsText: string) => ({
    problem: `access pattern '${patternName}' of ${modelName} takes ${patternArgumentsText}`,
  }),
} satisfies FaultTexts;
