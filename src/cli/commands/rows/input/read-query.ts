/** The query of a read: of an entity, of one of its indexes, or of an access pattern. */
import { suggestionText, type FaultTexts } from '../../../../base/index.js';
import type { EntityModel, IndexModel, PatternModel } from '../../../../entities/model/index.js';
import type { Database } from '../../../../entities/repository/index.js';
import { UsageError } from '../../../command.js';
import {
  conditionQuery,
  type UntypedQuery as Query,
  type UntypedRepository as Repository,
  repositoryOf,
} from '../../../../tools/rows/index.js';
import { keyConditions, type KeyPlace } from './key-conditions.js';
import { checkSelected, findPattern, type ReadCall, rejectOptions } from './read-call.js';
import type { Term } from './terms.js';
import { conditionsOf } from './where.js';

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
    return conditionQuery(repository.index(index), place.model, keyConditions(place, terms));
  }
  if (pattern !== undefined)
    return patternQuery(repository, model, findPattern(model, pattern, terms), terms);
  const place = keyPlace(model, call);
  return conditionQuery(repository, place.model, keyConditions(place, terms));
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
