/** Checks references of a read, and adds the rows that they lead to. */
import {
  abortable,
  checkOptions,
  invalidArgument,
  isRowsmithError,
  quotedList,
  quotedName,
  type RowsmithError,
  suggestionText,
  type Values,
  valueText,
  wrongObject,
  type FaultText,
  type FaultTexts,
} from '../../../../base/index.js';
import { type EntityModel, isReference, type Reference } from '../../../model/index.js';
import type { CallOptions } from '../../types/entity-types.js';
import { isSameRows } from '../../scope/scope-rows.js';
import type { RowsOf } from '../rows/entity-pages.js';
import { RowCache } from './request-cache.js';

/** What a read has before references are added. */
export interface IncludingRead {
  readonly model: EntityModel;
  /** Finds the repositories of the same database or scope. */
  readonly rowsOf: RowsOf | undefined;
  /** The columns that are read; undefined for all. */
  readonly select: readonly unknown[] | undefined;
}

/** One checked reference. */
interface IncludedReference {
  readonly name: string;
  readonly entity: unknown;
  /** The key of a row that it leads to; undefined if a value of it is absent. */
  readonly keyOf: (row: Values) => Values | undefined;
}

/** Adds rows that references lead to. */
export class IncludedRows {
  readonly #references: readonly IncludedReference[];
  readonly #rowsOf: RowsOf;
  readonly #cache: RowCache | undefined;

  /** Throws INVALID_ARGUMENT. */
  constructor(read: IncludingRead, references: unknown, cache: unknown) {
    const fail = failure(read.model);
    if (read.rowsOf === undefined) throw fail('include', faults.rowsWithoutDatabase);
    this.#rowsOf = read.rowsOf;
    const wrong = wrongObject(references);
    if (wrong !== undefined) throw fail('include', faults.wrongReferences(wrong.given));
    this.#references = Object.entries(references as Values).map(([name, each]) =>
      checkedReference(read, this.#rowsOf, name, each),
    );
    if (
      cache !== undefined &&
      !(cache instanceof RowCache && isSameRows(cache.rowsOf, this.#rowsOf))
    )
      throw fail('cache', faults.foreignCache);
    this.#cache = cache;
  }

  /** Sets the properties of rows; all keys that are not in the cache are read at once. */
  async addTo<R extends object>(rows: readonly R[], { signal }: CallOptions): Promise<void> {
    const cache = this.#cache ?? new RowCache(this.#rowsOf, { signal });
    const loads = rows.flatMap((row) =>
      this.#references.map(async ({ name, entity, keyOf }) => {
        const key = keyOf(row as Values);
        const value = key && (await cache.load(entity, key));
        Object.defineProperty(row, name, { value, ...plainProperty });
      }),
    );
    await abortable(Promise.all(loads), signal);
  }
}

const plainProperty = { enumerable: true, configurable: true, writable: true };

/** Checks the options of `include()`; returns the cache. */
export function cacheOf(model: EntityModel, options: unknown): unknown {
  checkOptions('include()', options, ['cache'], { entity: model.name });
  return ((options ?? {}) as { readonly cache?: unknown }).cache;
}

type Fail = (property: string, fault: FaultText) => RowsmithError;

function failure({ name }: EntityModel): Fail {
  return (property, fault) => invalidArgument(property, fault, { entity: name });
}

function checkedReference(
  read: IncludingRead,
  rowsOf: RowsOf,
  name: string,
  given: unknown,
): IncludedReference {
  const { model } = read;
  const fail = failure(model);
  if (isMapped(model, name) || name in (model.entityClass.prototype as object))
    throw fail(name, faults.nameOfProperty(name));
  if (!isReference(given)) throw fail(name, faults.notAReference(name, given));
  const entity = entityOf(given, name, fail);
  const { model: target } = rowsOf(entity);
  const by = given.by as Readonly<Record<string, unknown>>;
  const names = target.segments.map(({ property }) => property);
  const wrong =
    names.find((segment) => !Object.hasOwn(by, segment)) ??
    Object.keys(by).find((segment) => !names.includes(segment));
  if (wrong !== undefined)
    throw fail(name, faults.unfitKey(name, names.includes(wrong), wrong, target.name, names));
  for (const property of Object.values(by)) checkProperty(read, name, property, fail);
  return { name, entity, keyOf: keyReader(model, target, by as Readonly<Record<string, string>>) };
}

function isMapped({ segments, columns }: EntityModel, name: unknown): boolean {
  return [...segments, ...columns].some(({ property }) => property === name);
}

function entityOf({ entity }: Reference, name: string, fail: Fail): unknown {
  let found: unknown = entity;
  try {
    found = (entity as () => unknown)();
  } catch {
    // A class, or a variable that is not initialised yet.
  }
  if (typeof found === 'function' && found !== entity) return found;
  throw fail(name, faults.notAClass(name, found));
}

function checkProperty(
  { model, select }: IncludingRead,
  name: string,
  property: unknown,
  fail: Fail,
): void {
  const known = [...model.segments, ...model.columns].map((each) => each.property);
  if (!isMapped(model, property)) throw fail(name, faults.unknownProperty(name, property, known));
  const isSegment = model.segments.some((each) => each.property === property);
  if (isSegment || select === undefined || select.includes(property)) return;
  throw fail(name, faults.propertyNotRead(name, property));
}

/** Values of segments that a scope gives are not in all rows. */
function keyReader(
  { key }: EntityModel,
  target: EntityModel,
  by: Readonly<Record<string, string>>,
): IncludedReference['keyOf'] {
  return (row) => {
    const scope = key.scope?.values();
    const made: Record<string, unknown> = {};
    for (const { property, type } of target.segments) {
      const value = row[by[property]] ?? scope?.[by[property]];
      if (value === undefined && !(row[by[property]] === null && type.nullable === true))
        return undefined;
      made[property] = value ?? null;
    }
    return isKey(target, made) ? made : undefined;
  };
}

/** Values that are no key of the entity lead to no row, and must not fail the rows beside them. */
function isKey({ key }: EntityModel, values: Values): boolean {
  try {
    key.encode(values);
    return true;
  } catch (error) {
    if (isRowsmithError(error) && error.code === 'INVALID_KEY') return false;
    throw error;
  }
}

const faults = {
  rowsWithoutDatabase: {
    problem: 'these rows belong to no database',
    fix: 'read them with a repository',
  },
  wrongReferences: (given: string) => ({
    problem: `the references are ${given}`,
    fix: 'give an object of references: { customer: Order.customer }',
  }),
  foreignCache: {
    problem: 'the cache is not one of this database or scope',
    fix: 'give what requestCache() of the same database or scope returns',
  },
  nameOfProperty: (name: string) => ({
    problem: `'${name}' is a property of the entity`,
    fix: 'give the reference another name',
  }),
  notAReference: (name: string, given: unknown) => ({
    problem: `'${name}' is ${valueText(given)}, not a reference`,
    fix: "give what reference(() => Customer, { id: 'customerId' }) returns",
  }),
  unfitKey: (
    name: string,
    includes: boolean,
    wrong: string,
    targetName: string,
    names: readonly string[],
  ) => ({
    problem: `the key of '${name}' ${includes ? 'lacks' : 'has no'} segment '${wrong}'`,
    fix: `give each segment of ${targetName} its property: ${quotedList(names)}`,
  }),
  notAClass: (name: string, found: unknown) => ({
    problem: `'${name}' refers to ${valueText(found)}, which is not a class`,
    fix: "give a function that returns it: reference(() => Customer, { id: 'customerId' })",
  }),
  unknownProperty: (name: string, property: unknown, known: readonly string[]) => ({
    problem: `'${name}' is found by ${quotedName(property)}, which is not a property of the entity`,
    fix: suggestionText(String(property), known),
  }),
  propertyNotRead: (name: string, property: unknown) => ({
    problem: `'${name}' is found by ${quotedName(property)}, which is not read`,
    fix: `select ${quotedName(property)}, too`,
  }),
} satisfies FaultTexts;
