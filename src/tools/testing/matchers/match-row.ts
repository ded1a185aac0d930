/** Matchers for entities and stored rows. */
import { suggestionText, type Values, type FaultTexts } from '../../../base/index.js';
import { buildModel, type EntityModel, type EntityClass } from '../../../entities/model/index.js';
import type { EntityRepository, QueryStarts } from '../../../entities/repository/index.js';
import { inspectValue, valueDifferences } from './difference.js';
import { columnDifferences, entityDifferences } from './entity-difference.js';
import { type MatchResult, misuse, result } from './match-result.js';

type Rows = Pick<EntityRepository, 'model' | 'get'> & Pick<QueryStarts, 'prefix' | 'scanAll'>;

/** Number of neighbouring rows in the message about a missing row. */
const maxNeighbours = 3;

/** See RowsmithMatchers.toHaveRow. */
export async function toHaveRow(
  received: unknown,
  key: object,
  expected?: object,
): Promise<MatchResult> {
  const repository = repositoryOf(received);
  const { model } = repository;
  checkNames(model, expected);
  const row = await repository.get(key as Values);
  const name = `${model.name} ${inspectValue({ ...key })}`;
  if (row === undefined)
    return result(false, `there is no row ${name}`, await neighbours(repository, key as Values));
  const lines = Object.entries(expected ?? {}).flatMap(([property, value]) =>
    propertyDifferences(model, property, value, (row as Values)[property]),
  );
  if (lines.length > 0) return result(false, `the row ${name} has other values`, lines);
  const suffix = expected === undefined ? '' : ' with these values';
  return result(true, `expected no row ${name}${suffix}`, ['the row is', inspectValue({ ...row })]);
}

/** See RowsmithMatchers.toEqualEntity. */
export function toEqualEntity(received: unknown, expected: unknown): MatchResult {
  const model = modelOf(expected) ?? modelOf(received);
  if (model !== undefined && received == null && isObject(expected))
    return result(false, `expected this ${model.name}, but received ${String(received)}`);
  if (model === undefined || !isObject(received) || !isObject(expected)) {
    throw misuse('toEqualEntity', faults.notAnEntity);
  }
  const other = modelOf(received);
  if (other !== undefined && other !== model)
    return result(
      false,
      `expected an instance of ${model.name}, this is an instance of ${other.name}`,
    );
  const lines = entityDifferences(model, expected, received);
  if (lines.length > 0) return result(false, `this ${model.name} is not equal`, lines);
  return result(true, `expected a ${model.name} other than`, [inspectValue({ ...expected })]);
}

function repositoryOf(received: unknown): Rows {
  const candidate = received as Partial<Rows> | null | undefined;
  if (
    typeof candidate?.get === 'function' &&
    typeof candidate.prefix === 'function' &&
    candidate.model !== undefined
  )
    return candidate as Rows;
  throw misuse('toHaveRow', faults.notARepository);
}

/**
 * A misspelt property is absent in every row: it would always equal null, and never another value,
 * without any hint.
 */
function checkNames(model: EntityModel, expected: object = {}): void {
  const known = [...model.key.names, ...model.columns.map(({ property }) => property)];
  const unknown = Object.keys(expected).find((property) => !known.includes(property));
  if (unknown === undefined) return;
  const problem = `${model.name} maps no property '${unknown}'`;
  throw misuse('toHaveRow', { problem, fix: suggestionText(unknown, known) });
}

function propertyDifferences(
  model: EntityModel,
  property: string,
  expected: unknown,
  received: unknown,
): string[] {
  const column = model.columns.find((each) => each.property === property);
  if (column === undefined) return valueDifferences(expected, received, property);
  return columnDifferences(column, expected, received);
}

/**
 * Keys of rows that share the most leading segments with the missing row: usually one segment is
 * wrong.
 */
async function neighbours(repository: Rows, key: Values): Promise<string[]> {
  const { names } = repository.model.key;
  for (let count = names.length - 1; count >= 0; count--) {
    const leading = Object.fromEntries(names.slice(0, count).map((name) => [name, key[name]]));
    const query = count === 0 ? repository.scanAll() : repository.prefix(leading);
    const found = await query
      .keysOnly()
      .limit(maxNeighbours + 1)
      .all();
    if (found.length === 0) continue;
    const title = count === 0 ? 'stored rows' : `rows of ${inspectValue(leading)}`;
    const rows = found.slice(0, maxNeighbours).map((row) => inspectValue({ ...row }));
    if (found.length > maxNeighbours) rows.push('...');
    return [`${title}:`, ...rows];
  }
  return [
    `no row of ${repository.model.name} is stored at all: was it saved, awaited, and in this database?`,
  ];
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function modelOf(value: unknown): EntityModel | undefined {
  const entityClass = (value as { constructor?: EntityClass } | null | undefined)?.constructor;
  if (typeof entityClass !== 'function' || !Array.isArray(entityClass.key)) return undefined;
  return buildModel(entityClass);
}

const faults = {
  notAnEntity: {
    problem: 'instances of an entity class are required',
    fix: 'create one with repository.create({ ... }), or compare plain objects with toEqual()',
  },
  notARepository: {
    problem: 'a repository is required',
    fix: 'write await expect(db.repository(Reading)).toHaveRow({ ... })',
  },
} satisfies FaultTexts;
