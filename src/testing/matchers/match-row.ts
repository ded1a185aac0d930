/** Matchers of entities and of what is stored. */
import { nearestName } from '../../base/index.js';
import { buildModel, type EntityModel, type EntityClass } from '../../model/index.js';
import type { EntityRepository } from '../../repository/index.js';
import { differences, shown } from './difference.js';
import { columnDifferences, entityDifferences } from './entity-difference.js';
import { type MatchResult, misuse, result } from './match-result.js';

type Values = Readonly<Record<string, unknown>>;
type Rows = Pick<EntityRepository, 'model' | 'get' | 'prefix' | 'scanAll'>;

/** Rows beside a missing one that a message shows. */
const neighbours = 3;

/** There is a row with this key, and the properties given have these values. */
export async function toHaveRow(
  received: unknown,
  key: object,
  expected?: object,
): Promise<MatchResult> {
  const repository = repositoryOf(received);
  const { model } = repository;
  checkNames(model, expected);
  const row = await repository.get(key as Values);
  const name = `${model.name} ${shown({ ...key })}`;
  if (row === undefined)
    return result(false, `there is no row ${name}`, await beside(repository, key as Values));
  const lines = Object.entries(expected ?? {}).flatMap(([property, value]) =>
    propertyDifferences(model, property, value, (row as Values)[property]),
  );
  if (lines.length > 0) return result(false, `the row ${name} has other values`, lines);
  return result(
    true,
    `expected no row ${name}${expected === undefined ? '' : ' with these values'}`,
    ['the row is', shown({ ...row })],
  );
}

/** Mapped properties alike. */
export function toEqualEntity(received: unknown, expected: unknown): MatchResult {
  const model = modelOf(expected) ?? modelOf(received);
  if (
    model === undefined ||
    typeof received !== 'object' ||
    received === null ||
    typeof expected !== 'object' ||
    expected === null
  ) {
    if (model !== undefined && received == null)
      return result(false, `expected this ${model.name}, but there is none: ${shown(received)}`);
    throw misuse(
      'toEqualEntity',
      'entities are compared: instances of an entity class',
      'make one with repository.create({ ... }), or compare plain objects with toEqual()',
    );
  }
  const other = modelOf(received);
  if (other !== undefined && other !== model)
    return result(false, `expected an instance of ${model.name}, this is one of ${other.name}`);
  const lines = entityDifferences(model, expected, received);
  if (lines.length > 0) return result(false, `this ${model.name} is not equal`, lines);
  return result(true, `expected another ${model.name} than`, [shown({ ...expected })]);
}

function repositoryOf(received: unknown): Rows {
  const given = received as Partial<Rows> | null | undefined;
  if (
    typeof given?.get === 'function' &&
    typeof given.prefix === 'function' &&
    given.model !== undefined
  )
    return given as Rows;
  throw misuse(
    'toHaveRow',
    'a repository is needed',
    'write await expect(db.repository(Reading)).toHaveRow({ ... })',
  );
}

/**
 * A misspelt property is absent in every row: that would hold for null, and fail without a hint for
 * the rest.
 */
function checkNames(model: EntityModel, expected: object = {}): void {
  const known = [...model.key.names, ...model.columns.map(({ property }) => property)];
  for (const property of Object.keys(expected)) {
    if (known.includes(property)) continue;
    const nearest = nearestName(property, known);
    throw misuse(
      'toHaveRow',
      `${model.name} maps no property '${property}'`,
      nearest === undefined ? `use some of ${known.join(', ')}` : `did you mean '${nearest}'?`,
    );
  }
}

function propertyDifferences(
  model: EntityModel,
  property: string,
  expected: unknown,
  received: unknown,
): string[] {
  const column = model.columns.find((each) => each.property === property);
  return column === undefined
    ? differences(expected, received, property)
    : columnDifferences(column, expected, received);
}

/**
 * Keys under the longest leading segments of the missing row that have any: mostly one segment is
 * wrong.
 */
async function beside(repository: Rows, key: Values): Promise<string[]> {
  const { names } = repository.model.key;
  for (let count = names.length - 1; count >= 0; count--) {
    const leading = Object.fromEntries(names.slice(0, count).map((name) => [name, key[name]]));
    const query = count === 0 ? repository.scanAll() : repository.prefix(leading);
    const found = await query
      .keysOnly()
      .limit(neighbours + 1)
      .all();
    if (found.length === 0) continue;
    const rows = found.slice(0, neighbours).map((row) => shown({ ...row }));
    return [
      `${count === 0 ? 'rows that are stored' : `rows of ${shown(leading)}`}:`,
      ...rows,
      ...(found.length > neighbours ? ['...'] : []),
    ];
  }
  return [
    `no row of ${repository.model.name} is stored at all: was it saved, awaited, and in this database?`,
  ];
}

function modelOf(value: unknown): EntityModel | undefined {
  const entityClass = (value as { constructor?: EntityClass } | null | undefined)?.constructor;
  return typeof entityClass === 'function' && Array.isArray(entityClass.key)
    ? buildModel(entityClass)
    : undefined;
}
