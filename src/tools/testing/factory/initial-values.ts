/** The initial values of a row: those that were given, and made-up ones for the rest. */
import { dayMs, printable, type FaultTexts, type Values } from '../../../base/index.js';
import {
  argumentError,
  buildModel,
  type ColumnModel,
  type EntityModel,
  isReference,
} from '../../../entities/model/index.js';
import { columnValue, unknownValue } from './made-up-values.js';
import {
  numbersOf,
  numberedColumn,
  numberedSegment,
  type Numbered,
  type Source,
} from './numbered-values.js';

/** A function of the row's number and of random numbers, or the value itself. */
type Given = Readonly<Record<string, unknown>>;

/** Makes the initial values of the rows of an entity. */
export class InitialValues {
  readonly #model: EntityModel;
  /** The columns that values are made up for. */
  readonly #columns: readonly ColumnModel[];
  /** Properties of unique indexes, by index. */
  readonly #unique: readonly (readonly string[])[];

  /** By property, the segment of another entity that it has the value of. */
  readonly #targets: ReadonlyMap<string, Target>;

  constructor(model: EntityModel) {
    this.#model = model;
    this.#targets = targetsOf(model);
    this.#columns = model.columns.filter((column) => !isGivenByLibrary(model, column));
    this.#unique = model.indexes.filter(({ unique }) => unique).map(({ segments }) => segments);
  }

  /**
   * The values of a row, in which `inScope` are left out, and whether a part of its key is made up.
   * Throws INVALID_ARGUMENT for a property that no value can be made up for.
   */
  of(
    given: Given,
    source: Source,
    inScope: readonly string[],
  ): { readonly init: Values; readonly hasMadeUpKey: boolean } {
    // Without a prototype: a property may be named valueOf or __proto__.
    const init = Object.create(null) as Record<string, unknown>;
    for (const [property, value] of Object.entries(given))
      init[property] = typeof value === 'function' ? called(value, property, source) : value;
    const isMissing = (property: string): boolean =>
      !(property in init) && !inScope.includes(property);
    const segments = this.#model.segments.filter(({ property }) => isMissing(property));
    const numbered = segments.map((segment) => {
      const target = this.#targets.get(segment.property);
      return target === undefined
        ? segmentOf(this.#model, segment, source)
        : keysOf(target, source);
    });
    const digits = numbersOf(source.n - 1, numbered);
    segments.forEach(({ property, rules }, i) => {
      init[property] = this.#checked(property, numbered[i].at(digits[i]), rules?.pattern);
    });
    this.#addUnique(init, source, isMissing);
    for (const column of this.#columns)
      if (isMissing(column.property)) init[column.property] = this.#valueOf(column, source);
    return { init, hasMadeUpKey: segments.length > 0 };
  }

  /** The error of a row with the key of an earlier one. */
  keyError(n: number, key: Uint8Array): Error {
    const [{ property }] = this.#model.segments;
    return argumentError(this.#model, property, faults.usedKey(n, printable(key)));
  }

  /** Different values for the properties of unique indexes. */
  #addUnique(
    init: Record<string, unknown>,
    source: Source,
    isMissing: (property: string) => boolean,
  ): void {
    for (const properties of this.#unique) {
      const columns = this.#columns.filter(
        ({ property }) => properties.includes(property) && isMissing(property),
      );
      const numbered = columns.map((column) => {
        const target = this.#targets.get(column.property);
        if (target !== undefined) return keysOf(target, source);
        return numberedColumn(column, timesOf(this.#model, column.property, source));
      });
      const known = numbered.map((each) => each ?? { count: 1, at: () => undefined });
      const digits = numbersOf(source.n - 1, known);
      columns.forEach(({ property, rules }, i) => {
        if (numbered[i] === undefined) return;
        const value = numbered[i].at(digits[i]);
        init[property] = this.#checked(property, value, rules?.pattern);
      });
    }
  }

  #valueOf(column: ColumnModel, source: Source): unknown {
    const { property, codec, rules } = column;
    const target = this.#targets.get(property);
    if (target !== undefined) {
      const { count, at } = keysOf(target, source);
      return this.#checked(property, at((source.n - 1) % count), rules?.pattern);
    }
    const value = columnValue(column, timesOf(this.#model, property, source));
    if (value === unknownValue)
      throw argumentError(
        this.#model,
        property,
        faults.unknownKind(property, codec.kind, this.#model.name),
      );
    return this.#checked(property, value, rules?.pattern);
  }

  #checked(property: string, value: unknown, pattern: RegExp | undefined): unknown {
    if (pattern === undefined || typeof value !== 'string' || pattern.test(value)) return value;
    const fault = faults.unknownPattern(property, String(pattern), this.#model.name);
    throw argumentError(this.#model, property, fault);
  }
}

/** A segment of another entity. */
interface Target {
  readonly model: EntityModel;
  readonly segment: EntityModel['segments'][number];
}

/** The values that a factory of the other entity makes up for its rows. */
function keysOf({ model, segment }: Target, source: Source): Numbered {
  return segmentOf(model, segment, source.of(model.name));
}

function segmentOf(
  model: EntityModel,
  segment: EntityModel['segments'][number],
  source: Source,
): Numbered {
  return numberedSegment(segment, timesOf(model, segment.property, source));
}

/** How long rows exist that name the time of their end: longer than any test or seed is used. */
const lifetimeMs = 36_524 * dayMs;

/** The source of a property: rows expire long after the other times. */
function timesOf({ expiresAt }: EntityModel, property: string, source: Source): Source {
  if (expiresAt?.property !== property) return source;
  return { ...source, now: source.now + lifetimeMs };
}

/** The properties that make keys of other entities, by copies and references. */
function targetsOf({ copies = [], entityClass }: EntityModel): ReadonlyMap<string, Target> {
  const keys = [
    ...copies.map(({ source, by }) => ({ model: source, by: [...by] })),
    ...Object.values(entityClass as object)
      .filter(isReference)
      .map(({ entity, by }) => ({
        model: buildModel(entity() as EntityModel['entityClass']),
        by: Object.entries(by),
      })),
  ];
  return new Map(
    keys.flatMap(({ model, by }) =>
      by.flatMap(([name, property]) => {
        const segment = model.segments.find((each) => each.property === name);
        return segment === undefined ? [] : [[property, { model, segment }] as const];
      }),
    ),
  );
}

/** Counters, copies, defaults, and what else the library sets itself. */
function isGivenByLibrary(model: EntityModel, column: ColumnModel): boolean {
  const { property, kind } = column;
  if (kind === 'counter' || (kind === 'columnMap' && column.aggregate)) return true;
  if (Object.values(model.managed ?? {}).includes(property)) return true;
  if (model.copies?.some(({ columns }) => columns.some(({ to }) => to.property === property)))
    return true;
  return 'qualifier' in column && 'default' in column
    ? (column.default ?? column.initial) !== undefined
    : 'initial' in column && column.initial !== undefined;
}

function called(make: unknown, property: string, { n, random }: Source): unknown {
  return (make as (n: number, random: unknown) => unknown)(n, random(property));
}

const faults = {
  unknownKind: (property: string, kind: string, name: string) => ({
    problem: `values of '${property}' (${kind}) cannot be made up`,
    fix: `give a value or a function, factory(${name}, { ${property}: (n) => ... }), or undefined for none`,
  }),
  unknownPattern: (property: string, pattern: string, name: string) => ({
    problem: `texts for '${property}' that match ${pattern} cannot be made up`,
    fix: `give a function: factory(${name}, { ${property}: (n) => ... })`,
  }),
  usedKey: (n: number, key: string) => ({
    problem: `row ${n} has the key of an earlier row, ${key}`,
    fix: 'give functions for the segments of the key, or call rewind() to begin again',
  }),
} satisfies FaultTexts;
