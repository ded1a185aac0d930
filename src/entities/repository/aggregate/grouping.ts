/** What rows are grouped by: checked, and compiled to functions of a row. */
import {
  errorMessage,
  isBytes,
  isDate,
  quotedList,
  toHex,
  valueText,
  type FaultText,
  type FaultTexts,
  unitMs,
} from '../../../base/index.js';
import { type ScalarKind, scalarCodec } from '../../../data/cell/index.js';
import type { ColumnModel, EntityModel } from '../../model/index.js';
import { queryError } from '../../query/index.js';
import type { QuerySpec } from '../../query/index.js';
import { checkProperty, kindOf } from './aggregate-spec.js';

type Row = Readonly<Record<string, unknown>>;

/** One part of what identifies a group. */
export interface GroupPart {
  readonly property: string;
  /** Milliseconds to which times are floored; undefined for the value itself. */
  readonly width?: number;
  readonly fillGaps: boolean;
  /** For values of a custom codec: text that is equal for equal bytes only. */
  readonly encoded?: (value: unknown) => string;
}

/** The query with the rows to group. */
interface GroupedRange {
  readonly model: EntityModel;
  readonly query: QuerySpec;
  /** The query is a part of a split one. */
  readonly isPart: boolean;
  /** The properties that rows come in the order of, if they do not follow the row key. */
  readonly rowOrder?: readonly string[];
}

/** The groups of a query. */
export interface CompiledGrouping {
  readonly parts: readonly GroupPart[];
  /** True if the rows of each group come one after the other in the order of the key. */
  readonly followsKey: boolean;
}

const notGrouped = new Set(['columnMap', 'versions', 'packed']);
const timeKinds = new Set(['timestamp', 'isoDate']);

/** Checks the arguments of `groupBy`. Throws INVALID_QUERY. */
export function groupingOf(source: GroupedRange, groups: readonly unknown[]): CompiledGrouping {
  const { model, query, rowOrder = model.key.names } = source;
  if (groups.length === 0) throw queryError(model, 'groupBy', faults.emptyGroupBy);
  const parts = groups.map((group) => groupPart(model, group));
  const names = parts.map(({ property }) => property);
  const twice = names.find((name, i) => names.indexOf(name) < i);
  if (twice !== undefined) throw queryError(model, twice, faults.duplicateProperty(twice));
  const grouping = { parts, followsKey: followsKey(rowOrder, query, parts) };
  checkGaps(source, grouping);
  return grouping;
}

function groupPart(model: EntityModel, group: unknown): GroupPart {
  if (typeof group !== 'object' || group === null) {
    const column = checkProperty(model, 'groupBy()', group);
    if (column === undefined || !notGrouped.has(column.kind)) {
      const encoded = column && encoderOf(model, column);
      return { property: group as string, fillGaps: false, encoded };
    }
    throw queryError(model, column.property, faults.notASingleValue(column.property));
  }
  const { time, every, fillGaps = false, ...others } = group as Record<string, unknown>;
  const property = time as string;
  checkProperty(model, 'groupBy() floors', property);
  const [surplus] = Object.keys(others);
  if (surplus !== undefined || typeof fillGaps !== 'boolean')
    throw queryError(
      model,
      property,
      faults.unknownOption(surplus ?? `fillGaps: ${valueText(fillGaps)}`),
    );
  if (!timeKinds.has(kindOf(model, property) ?? ''))
    throw queryError(model, property, faults.notADate(property));
  return { property, width: widthOf(model, property, every), fillGaps };
}

function widthOf(model: EntityModel, property: string, every: unknown): number {
  const [, digits, unit] = /^(\d+)([smhd])$/.exec(typeof every === 'string' ? every : '') ?? [];
  const width = Number(digits) * unitMs[unit];
  // Up to ten times the range of Dates.
  if (width >= 1000 && width <= 1e17) return width;
  throw queryError(model, property, faults.notADuration(every));
}

/** The leading segments that have the same value in all rows of a query. */
export function constantSegments({ key }: QuerySpec): Readonly<Record<string, unknown>> {
  const [first = {}, ...rest] = key.prefixes;
  const isConstant = ([name, value]: [string, unknown]): boolean =>
    rest.every((prefix) => keyText(prefix[name]) === keyText(value));
  return Object.fromEntries(Object.entries(first).filter(isConstant));
}

/**
 * True if equal groups are adjacent: besides segments that have one value, the groups are the first
 * ones of the key without a gap, and only the last of them is floored.
 */
function followsKey(
  order: readonly string[],
  spec: QuerySpec,
  parts: readonly GroupPart[],
): boolean {
  const constant = constantSegments(spec);
  const left = new Map(parts.map((part) => [part.property, part]));
  for (const name of Object.keys(constant)) left.delete(name);
  for (const name of order) {
    if (left.size === 0) break;
    if (name in constant) continue;
    const part = left.get(name);
    if (part === undefined) return false;
    left.delete(name);
    if (part.width !== undefined) break;
  }
  return left.size === 0;
}

function checkGaps(
  { model, query, isPart, rowOrder }: GroupedRange,
  { parts, followsKey }: CompiledGrouping,
): void {
  const at = parts.findIndex(({ fillGaps }) => fillGaps);
  if (at < 0) return;
  const { property } = parts[at];
  const fault = ({ problem, fix }: FaultText): Error =>
    queryError(model, property, faults.unfillableGaps(problem, fix));
  if (at < parts.length - 1) throw fault(faults.notTheLastGroup(property, others(parts, at)));
  if (rowOrder !== undefined) throw fault(faults.uncoveredQuery);
  if (!followsKey || !model.key.names.includes(property))
    throw fault(faults.groupsOutOfOrder(property));
  if (isPart) throw fault(faults.timesInOtherParts);
  if (query.limit !== undefined || query.firstPer !== undefined) throw fault(faults.limitedQuery);
}

function others(parts: readonly GroupPart[], at: number): string {
  return quotedList(parts.slice(at + 1).map(({ property }) => property));
}

/** Only the codec knows which values are the same: they may be instances of any class. */
function encoderOf(
  model: EntityModel,
  { property, codec }: ColumnModel,
): ((value: unknown) => string) | undefined {
  if (scalarCodec(codec.kind as ScalarKind) === codec) return undefined;
  return (value) => {
    try {
      return toHex(codec.encode(value));
    } catch (error) {
      throw queryError(model, property, faults.unencodableValue(error));
    }
  };
}

/** The values of a row's group, one for each part; floored times as Dates. */
export function groupValues({ parts }: CompiledGrouping, row: Row): unknown[] {
  return parts.map(({ property, width }) => {
    const value = row[property];
    if (width === undefined || !isDate(value)) return value;
    return new Date(floored(value, width));
  });
}

/** The first time that a Date can have, in milliseconds. */
const firstTime = -8.64e15;

function floored(time: Date, width: number): number {
  return Math.max(firstTime, Math.floor(time.getTime() / width) * width);
}

/**
 * True if a row is of the group with these values. Compares without creating objects, and may be
 * false for values of custom codecs that are in fact the same.
 */
export function isOfGroup(
  { parts }: CompiledGrouping,
  values: readonly unknown[],
  row: Row,
): boolean {
  for (let i = 0; i < parts.length; i++) {
    const { property, width, encoded } = parts[i];
    if (encoded === undefined) {
      if (!isEqual(values[i], row[property], width ?? 1)) return false;
    } else if (values[i] !== row[property]) return false;
  }
  return true;
}

function isEqual(group: unknown, value: unknown, width: number): boolean {
  if (group === value) return true;
  if (isDate(group) && isDate(value)) return group.getTime() === floored(value, width);
  if (isBytes(group) && isBytes(value)) return toHex(group) === toHex(value);
  return Number.isNaN(group) && Number.isNaN(value);
}

/** Text that is equal for equal groups only. `values` may leave out the last parts. */
export function groupText({ parts }: CompiledGrouping, values: readonly unknown[]): string {
  return JSON.stringify(
    values.map((value, i) => {
      const { encoded } = parts[i];
      if (encoded === undefined || value === undefined) return valueKey(value);
      return encoded(value);
    }),
  );
}

function keyText(value: unknown): string {
  return JSON.stringify(valueKey(value));
}

function valueKey(value: unknown): unknown {
  if (isDate(value)) return ['t', value.getTime()];
  if (isBytes(value)) return ['x', toHex(value)];
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return value;
  if (Array.isArray(value)) return ['a', value.map(valueKey)];
  if (typeof value === 'object') {
    const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
    return ['o', entries.map(([name, each]) => [name, valueKey(each)])];
  }
  // -0 and 0 are one group, as they are equal.
  return [typeof value, `${value as number | bigint | undefined}`];
}

const faults = {
  emptyGroupBy: {
    problem: 'groupBy() needs at least one property',
    fix: 'name it, or call aggregate() for all rows together',
  },
  duplicateProperty: (twice: string) => ({
    problem: `groupBy() names '${twice}' twice`,
    fix: 'name it once',
  }),
  notASingleValue: (property: string) => ({
    problem: `groupBy() cannot group by '${property}', which is not a single value`,
    fix: 'group by a segment or a plain column',
  }),
  unknownOption: (surplus: string) => ({
    problem: `groupBy() has no option '${surplus}'`,
    fix: "write { time: 'property', every: '1h', fillGaps: true }",
  }),
  notADate: (property: string) => ({
    problem: `groupBy() floors '${property}', which is not a Date`,
    fix: 'name a Date property, or group by the value itself',
  }),
  notADuration: (every: unknown) => ({
    problem: `every is ${valueText(every)}`,
    fix: "write a whole number of seconds, minutes, hours or days: '30s', '15m', '1h', '7d'",
  }),
  unfillableGaps: (problem: string, fix: string) => ({
    problem: `gaps cannot be filled: ${problem}`,
    fix,
  }),
  notTheLastGroup: (property: string, othersText: string) => ({
    problem: `'${property}' is not the last group`,
    fix: `group by it after ${othersText}`,
  }),
  uncoveredQuery: {
    problem: 'the rows are compared with their entries',
    fix: 'call covered() before groupBy()',
  },
  groupsOutOfOrder: (property: string) => ({
    problem: 'the groups do not follow the order of the key',
    fix: `group by the segments before '${property}', or leave fillGaps out`,
  }),
  timesInOtherParts: {
    problem: 'other parts of the query have rows of the same times',
    fix: 'fill them after reading',
  },
  limitedQuery: {
    problem: 'the query does not read all rows of its range',
    fix: 'leave limit() and firstPer() out',
  },
  unencodableValue: (error: unknown) => ({
    problem: `groupBy() compares values as bytes, and the codec cannot encode one: ${errorMessage(error)}`,
    fix: 'make the codec encode every value that it decodes',
  }),
} satisfies FaultTexts;
