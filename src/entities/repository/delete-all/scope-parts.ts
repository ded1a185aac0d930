/** What the database stores of a scope: rows of entities, and what follows from them. */
import { isDeepStrictEqual } from 'node:util';
import {
  invalidArgument,
  isBytes,
  isDate,
  quotedList,
  RowsmithError,
  valueText,
  type FaultTexts,
} from '../../../base/index.js';
import {
  type EntityModel,
  scopedModel,
  type ScopeValues,
  segmentDesignTypes,
} from '../../model/index.js';
import type { RepositoryParts } from '../repository-parts.js';
import type { DeletedRowsOf } from '../types/delete-all-types.js';

/** Stored rows of one kind, of one entity. */
export interface ScopePart extends Pick<DeletedRowsOf, 'entity' | 'kind' | 'name' | 'table'> {
  /** The repository of the entity, without a scope. */
  readonly repository: RepositoryParts;
  /** Its rows inside the scope; undefined if they are not in ranges of the scope. */
  readonly inScope: EntityModel | undefined;
  /** Whether its rows may be deleted by themselves, because nothing outside follows from them. */
  readonly isAlone: boolean;
}

/**
 * The parts of all entities with keys that begin with the segments of the scope. Throws
 * INVALID_ARGUMENT if there is no such entity, or if a segment holds another type than the value.
 */
export function scopeParts(
  repositories: readonly RepositoryParts[],
  values: ScopeValues,
): readonly ScopePart[] {
  const names = Object.keys(values);
  const beginning = repositories.filter(({ model }) => beginsWith(model, names));
  if (beginning.length === 0) throw invalidArgument(names[0], faults.unknownSegments(names));
  const inside = beginning.flatMap((repository) => {
    const inScope = modelInScope(repository.model, values);
    return inScope === undefined ? [] : [{ repository, inScope }];
  });
  const entities = inside.map(({ repository }) => repository.model);
  return inside.flatMap(({ repository, inScope }) =>
    partsOf(repository, inScope, { values, names, entities }),
  );
}

interface ScopeOf {
  readonly values: ScopeValues;
  readonly names: readonly string[];
  /** The entities that can have rows in the scope. */
  readonly entities: readonly EntityModel[];
}

/** The rows of the entity first. */
function partsOf(
  repository: RepositoryParts,
  inScope: EntityModel,
  scope: ScopeOf,
): readonly ScopePart[] {
  const { model } = repository;
  const entity = model.name;
  const part = (
    kind: ScopePart['kind'],
    rows: EntityModel,
    isKept: boolean,
    name?: string,
  ): ScopePart => {
    const kept = isKept ? scopedModel(rows, scope.values, { wholeKey: true }) : undefined;
    const table = rows.table.name;
    return { entity, kind, name, table, repository, inScope: kept, isAlone: isKept };
  };
  const derived = [
    ...model.indexes.map(({ name, entry }) =>
      part('index', entry, beginsWith(entry, scope.names), name),
    ),
    ...model.rollups.map(({ name, rows, time }) => {
      // A bucket may also count rows at other times than the time of the scope.
      const isKept = beginsWith(rows, scope.names) && !scope.names.includes(time);
      return part('rollup', rows, isKept, name);
    }),
  ];
  if (model.copiedBy !== undefined) {
    const marks = part('marks', model.copiedBy.mark, true);
    derived.push({ ...marks, isAlone: staysInside(model, scope) });
  }
  const rows = { ...part('rows', model, false), inScope };
  return [{ ...rows, isAlone: derived.every(({ isAlone }) => isAlone) }, ...derived];
}

/** Whether all copies of rows in the scope are in the scope as well. */
function staysInside(source: EntityModel, { names, entities }: ScopeOf): boolean {
  return source.copiedBy!.targets.every((target) => {
    if (!entities.some(({ name }) => name === target.name)) return false;
    const copies = target.copies!.filter((copy) => copy.source.name === source.name);
    return copies.every(({ by }) =>
      names.every((name) => by.get(name) === name && sameSegment(source, target, name)),
    );
  });
}

function sameSegment(a: EntityModel, b: EntityModel, name: string): boolean {
  const typeOf = (model: EntityModel): unknown =>
    model.segments.find(({ property }) => property === name)?.type;
  return isDeepStrictEqual(typeOf(a), typeOf(b));
}

function beginsWith({ key }: EntityModel, names: readonly string[]): boolean {
  const leading = key.names.slice(0, names.length);
  return leading.length === names.length && leading.every((name) => names.includes(name));
}

/** The entity inside the scope; undefined if its key cannot hold the values, so it has no rows. */
function modelInScope(model: EntityModel, values: ScopeValues): EntityModel | undefined {
  try {
    return scopedModel(model, values, { wholeKey: true });
  } catch (error) {
    if (!(error instanceof RowsmithError) || error.code !== 'INVALID_KEY') throw error;
    for (const [name, value] of Object.entries(values)) assertType(model, name, value);
    return undefined;
  }
}

/** A number and its text would be two tenants: one of them would keep its rows, silently. */
function assertType(model: EntityModel, name: string, value: unknown): void {
  const { kind } = model.segments.find(({ property }) => property === name)!.type;
  if (value === null || segmentDesignTypes[kind].some((type) => isOf(value, type))) return;
  throw invalidArgument(name, faults.wrongScopeValue(name, valueText(value), model.name, kind), {
    entity: model.name,
  });
}

/** Also for values of another realm. */
function isOf(value: unknown, type: unknown): boolean {
  if (type === Date) return isDate(value);
  if (type === Uint8Array || type === Buffer) return isBytes(value);
  return typeof value === (type as { readonly name: string }).name.toLowerCase();
}

const faults = {
  unknownSegments: (names: readonly string[]) => ({
    problem: `no entity of the database has a key that begins with ${quotedList(names)}`,
    fix: 'use the first segments of a key, and open the database with all entities',
  }),
  wrongScopeValue: (name: string, given: string, modelName: string, kind: string) => ({
    problem: `the scope's '${name}' is ${given}, and ${modelName} declares ${kind}`,
    fix: `open a database without ${modelName}, and delete the rows of ${modelName} in its own scope`,
  }),
} satisfies FaultTexts;
