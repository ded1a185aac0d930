/** Checks the types of a filter's properties, which only JavaScript gets wrong. */
import {
  invalidArgument,
  maxFilterDepth,
  valueText,
  type FaultTexts,
} from '../../../base/index.js';
import type { Filter } from '../filter.js';

/** Checks a property of a filter at a depth of nesting; `where` is its path. */
type Check = (value: unknown, where: string, depth: number) => void;
type Checks = Readonly<Record<string, Check>>;

/** A check of one type; `expected` names it. */
function typed(expected: string, isValid: (value: unknown) => boolean): Check {
  return (value, where) => {
    if (!isValid(value)) throw shapeError(where, value, expected);
  };
}

const text = typed('a string', (value) => typeof value === 'string');
const flag = typed('true or false', (value) => typeof value === 'boolean');
const count = typed('a number', (value) => typeof value === 'number');
const bytes = typed('a Uint8Array', (value) => value instanceof Uint8Array);
const micros = typed('a bigint or a safe integer', (value) =>
  typeof value === 'bigint' ? true : Number.isSafeInteger(value),
);

function optional(check: Check): Check {
  return (value, where, depth) => {
    if (value !== undefined) check(value, where, depth);
  };
}

function list(check: Check): Check {
  return (value, where, depth) => {
    if (!Array.isArray(value)) throw shapeError(where, value, 'an array');
    for (let i = 0; i < value.length; i++) check(value[i], where, depth);
  };
}

function object(checks: Checks): Check {
  const entries = Object.entries(checks);
  return (value, where, depth) => {
    if (typeof value !== 'object' || value === null) throw shapeError(where, value, 'an object');
    for (const [name, check] of entries)
      check((value as Readonly<Record<string, unknown>>)[name], `${where}.${name}`, depth);
  };
}

const nested: Check = (value, where, depth) => checkNested(value, where, depth + 1);
const qualifiers: Check = (value, where, depth) => {
  if (value !== 'all') list(bytes)(value, where, depth);
};
const qualifierBound = optional(object({ qualifier: bytes, inclusive: flag }));
const valueBound = optional(object({ value: bytes, inclusive: flag }));
const none = object({});

const checksByKind: Readonly<Record<Filter['kind'], Check>> = {
  chain: object({ filters: list(nested) }),
  interleave: object({ filters: list(nested) }),
  condition: object({ predicate: nested, onTrue: optional(nested), onFalse: optional(nested) }),
  families: object({ families: list(text) }),
  columns: object({ columns: list(object({ family: text, qualifiers })) }),
  cellsPerColumn: object({ count }),
  cellsPerRow: object({ count }),
  cellsPerRowOffset: object({ count }),
  rowSample: object({ probability: count }),
  rowKeyRegex: object({ pattern: bytes }),
  familyRegex: object({ pattern: text }),
  qualifierRegex: object({ pattern: bytes }),
  valueRegex: object({ pattern: bytes }),
  columnRange: object({ family: text, start: qualifierBound, end: qualifierBound }),
  valueRange: object({ start: valueBound, end: valueBound }),
  valueBitmask: object({ mask: bytes }),
  timestampRange: object({ start: optional(micros), end: optional(micros) }),
  valueEquals: object({ value: bytes }),
  label: object({ label: text }),
  sink: none,
  stripValue: none,
  passAll: none,
  blockAll: none,
};

/** Frozen filters that were checked: repositories use one for all reads of a query. */
const checked = new WeakSet<object>();

/** Throws INVALID_ARGUMENT for what is no filter; `property` is the argument's name. */
export function checkFilterShape(filter: Filter, property: string): void {
  if (checked.has(filter)) return;
  checkNested(filter, property, 1);
  if (Object.isFrozen(filter)) checked.add(filter);
}

function checkNested(filter: unknown, where: string, depth: number): void {
  if (depth > maxFilterDepth) throw invalidArgument('filter', faults.nestedTooDeep);
  const kind: unknown = (filter as { readonly kind?: unknown } | null | undefined)?.kind;
  if (typeof kind !== 'string') throw shapeError(where, filter, "a filter: { kind: 'passAll' }");
  if (!Object.hasOwn(checksByKind, kind)) throw invalidArgument(where, faults.unknownKind(kind));
  checksByKind[kind as Filter['kind']](filter, where, depth);
}

function shapeError(where: string, value: unknown, expected: string) {
  return invalidArgument(where, faults.wrongType(value, expected));
}

const faults = {
  nestedTooDeep: {
    problem: `filters are nested deeper than ${maxFilterDepth} levels`,
    fix: 'flatten the filter: a chain or an interleave takes any number of filters',
  },
  unknownKind: (kind: string) => ({
    problem: `unknown kind '${kind}'`,
    fix: 'use one of the kinds of its type',
  }),
  wrongType: (value: unknown, expected: string) => ({
    problem: `it is ${valueText(value)}`,
    fix: `give ${expected}`,
  }),
} satisfies FaultTexts;
