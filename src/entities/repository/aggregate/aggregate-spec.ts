/** Aggregates as plain data, checked: the argument of `aggregate()`. */
import { queryError } from '../../query/index.js';
import { nearestName, quotedList, valueText, type FaultTexts } from '../../../base/index.js';
import type { EntityModel } from '../../model/index.js';

export type AggregateKind = 'count' | 'sum' | 'avg' | 'min' | 'max' | 'first' | 'last';

/** One aggregate of a call. */
export interface AggregateSpec {
  /** The name of the result. */
  readonly name: string;
  readonly kind: AggregateKind;
  /** Undefined for the number of rows. */
  readonly property?: string;
  /** Values are decimal text. */
  readonly decimal: boolean;
}

const kinds: readonly string[] = ['count', 'sum', 'avg', 'min', 'max', 'first', 'last'];
const decimalKinds: readonly string[] = ['sum', 'min', 'max'];

/** Checks the aggregates of a call. Throws INVALID_QUERY. */
export function checkAggregates(model: EntityModel, values: unknown): readonly AggregateSpec[] {
  if (typeof values !== 'object' || values === null || Array.isArray(values))
    throw queryError(model, 'aggregate', faults.wrongValues(values));
  const entries = Object.entries(values);
  if (entries.length === 0) throw queryError(model, 'aggregate', faults.emptyAggregate);
  if (Object.hasOwn(values, '__proto__')) throw queryError(model, '__proto__', faults.reservedName);
  return entries.map(([name, value]) => checkAggregate(model, name, value));
}

function checkAggregate(model: EntityModel, name: string, value: unknown): AggregateSpec {
  if (value === 'count') return { name, kind: 'count', decimal: false };
  const given = typeof value === 'object' && value !== null ? Object.keys(value) : [];
  const [kind, ...others] = given.filter((key) => key !== 'as');
  if (!kinds.includes(kind) || others.length > 0)
    throw queryError(model, name, faults.unknownAggregate(name));
  const { [kind]: property, as } = value as Record<string, unknown>;
  checkAggregated(model, kind, property);
  if (as !== undefined && (as !== 'decimal' || !decimalKinds.includes(kind)))
    throw queryError(model, name, faults.unsupportedAs(name, valueText(as)));
  const decimal = as === 'decimal' || kindOf(model, property) === 'decimal';
  checkKind(model, kind, property, decimal);
  return { name, kind: kind as AggregateKind, property, decimal };
}

/** Kinds of segments and columns that `sum` and `avg`, or `min` and `max`, cannot take. */
const notNumbers = new Set(
  'string bytes bool date json timestamp enum isoDate uuid ulid'.split(' '),
);
const notOrdered = new Set(['bool', 'json']);

/** The kind of a segment, or of the values of a column; a column may have a custom codec. */
export function kindOf(model: EntityModel, property: string): string | undefined {
  const segment = model.segments.find((each) => each.property === property);
  if (segment !== undefined) return segment.type.kind;
  return model.columns.find((each) => each.property === property)?.codec.kind;
}

function checkKind(model: EntityModel, kind: string, property: string, decimal: boolean): void {
  const stored = kindOf(model, property) ?? '';
  if (decimal && (stored === 'decimal' || stored === 'string') && decimalKinds.includes(kind))
    return;
  const adds = kind === 'sum' || kind === 'avg';
  const compares = kind === 'min' || kind === 'max';
  const refused =
    (adds && (decimal || notNumbers.has(stored))) ||
    (compares && (decimal || notOrdered.has(stored)));
  if (!refused) return;
  const does = adds ? 'added' : 'ordered';
  throw queryError(model, property, faults.unsupportedKind(kind, property, stored, does));
}

function fixFor(kind: string, property: string, stored: string): string {
  if (kind === 'sum' && stored === 'string')
    return `for decimal text write { sum: '${property}', as: 'decimal' }`;
  if (stored === 'decimal') return 'compute it of sum and count: a quotient may have no end';
  return 'take count, first or last of it';
}

function checkAggregated(
  model: EntityModel,
  kind: string,
  property: unknown,
): asserts property is string {
  const column = checkProperty(model, `${kind} of`, property);
  if (['count', 'first', 'last'].includes(kind)) return;
  if (column === undefined || column.kind === 'column' || column.kind === 'counter') return;
  throw queryError(model, column.property, faults.notASingleValue(kind, column.property));
}

/** Checks the name of a segment or column; returns the column. Throws INVALID_QUERY. */
export function checkProperty(
  model: EntityModel,
  use: string,
  property: unknown,
): EntityModel['columns'][number] | undefined {
  if (typeof property === 'string' && model.key.names.includes(property)) return undefined;
  const column = model.columns.find((each) => each.property === property);
  if (column !== undefined) return column;
  const known = [...model.key.names, ...model.columns.map((each) => each.property)];
  const nearest = nearestName(property, known);
  throw queryError(
    model,
    typeof property === 'string' ? property : 'aggregate',
    faults.unknownProperty(use, property, nearest, known),
  );
}

const faults = {
  wrongValues: (values: unknown) => ({
    problem: `aggregate() takes an object of values to compute, not ${valueText(values)}`,
    fix: "write aggregate({ n: 'count' })",
  }),
  emptyAggregate: {
    problem: 'aggregate() needs at least one value to compute',
    fix: "write aggregate({ n: 'count' })",
  },
  reservedName: {
    problem: "a result cannot be named '__proto__', which is the prototype of objects",
    fix: 'give the value another name',
  },
  unknownAggregate: (name: string) => ({
    problem: `'${name}' is not count, sum, avg, min, max, first or last`,
    fix: "write 'count', or for example { sum: 'property' }",
  }),
  unsupportedAs: (name: string, given: string) => ({
    problem: `'${name}' is computed as ${given}`,
    fix: "use as: 'decimal' with sum, min and max only, or leave it out",
  }),
  unsupportedKind: (kind: string, property: string, stored: string, does: string) => ({
    problem: `${kind} of '${property}': values of kind ${stored} cannot be ${does}`,
    fix: fixFor(kind, property, stored),
  }),
  notASingleValue: (kind: string, property: string) => ({
    problem: `${kind} of '${property}', which is not a single value`,
    fix: 'take count, first or last of it',
  }),
  unknownProperty: (
    use: string,
    property: unknown,
    nearest: undefined | string,
    known: readonly string[],
  ) => ({
    problem: `${use} ${valueText(property)}, which is not a mapped property`,
    fix: nearest === undefined ? `use some of ${quotedList(known)}` : `did you mean '${nearest}'?`,
  }),
} satisfies FaultTexts;
