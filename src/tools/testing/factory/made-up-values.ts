/** Made-up values of columns and messages, which keep the declared rules. */
import { DateMap, type FieldShape, type MessageShape } from '../../../data/cell/index.js';
import type { ColumnModel, ValueRules } from '../../../entities/model/index.js';
import { type Random, segmentValues } from '../../values/index.js';
import { bigintBounds, bounds, dateText, numberedText, type Source } from './numbered-values.js';

/** Returned for a value that cannot be made up. */
export const unknownValue = Symbol('unknown value');

/** A value of a column; `unknownValue` if its kind says too little. */
export function columnValue(column: ColumnModel, source: Source): unknown {
  const value = cellValue(column, source, source.random(column.property));
  if (value === unknownValue || !isStorable(column, value)) return unknownValue;
  if (column.kind === 'versions') return [{ at: new Date(source.now), value }];
  if (column.kind !== 'columnMap') return value;
  const { property, qualifiers } = column;
  const { count, ofNumber, ofTime } = segmentValues(property, qualifiers.type, 2);
  const at = (i: number): unknown =>
    qualifiers.type.kind === 'timestamp' ? ofTime!(source.now + i * 60_000, 0) : ofNumber!(i);
  const entries = Array.from({ length: Math.min(2, count) }, (_, i) => {
    const random = source.random(`${property}/${i}`);
    return [at(i), cellValue(column, source, random)] as const;
  });
  if (qualifiers.type.kind === 'timestamp') return new DateMap(entries as [Date, unknown][]);
  return new Map(entries);
}

/** A custom codec may have any name, and throws what it likes for values it is not made for. */
function isStorable({ codec }: ColumnModel, value: unknown): boolean {
  try {
    codec.encode(value);
    return true;
  } catch {
    return false;
  }
}

/** The value of one cell. */
function cellValue(column: ColumnModel, source: Source, random: Random): unknown {
  const { property, codec, message, rules = {} } = column;
  if (message !== undefined) return messageValue(message, source, random, []);
  if (rules.oneOf !== undefined) return random.pick(rules.oneOf);
  if ('suggestions' in column && column.suggestions !== undefined)
    return random.pick(column.suggestions);
  switch (codec.kind) {
    case 'string':
      return textValue(property, rules, source);
    case 'bytes':
      return Buffer.from(textValue(property, rules, source));
    case 'bool':
      return random.next() < 0.5;
    case 'int32':
    case 'uint32':
      return integer(codec.kind, rules, random);
    case 'int64':
      return bigintValue(rules, random);
    case 'double':
      return double(rules, random);
    case 'float':
      return float(rules, random);
    case 'timestamp':
      return new Date(source.now + (source.n - 1) * 60_000);
    case 'date':
      return dateText(source.now + (source.n - 1) * 86_400_000);
    default:
      return unknownValue;
  }
}

function textValue(property: string, rules: ValueRules, { n }: Source): string {
  const { count, at } = numberedText(property, rules);
  return at((n - 1) % count) as string;
}

/** Thousand numbers from the minimum, or up to the maximum. */
function span(kind: string, rules: ValueRules): readonly [from: number, to: number] {
  const [from, last] = bounds(kind, rules);
  return [from, Math.min(last, from + 1_000)];
}

function integer(kind: string, rules: ValueRules, random: Random): number {
  const [from, to] = span(kind, rules);
  const first = Math.ceil(from);
  return first + random.below(Math.floor(to) - first + 1);
}

/** Beyond 2^53 numbers cannot count. */
function bigintValue(rules: ValueRules, random: Random): bigint {
  const [from, last] = bigintBounds(rules);
  const left = last - from;
  return from + BigInt(random.below(left < 1_000n ? Number(left) + 1 : 1_000));
}

/** A whole number, or the minimum if none is left above it. */
function float(rules: ValueRules, random: Random): number {
  const [from] = bounds('float', rules);
  return Math.max(from, Math.fround(Math.floor(double(rules, random))));
}

/** With two decimals, unless the limits are closer. */
function double(rules: ValueRules, random: Random): number {
  const [from, to] = span('double', rules);
  const value = from + random.next() * (to - from);
  const rounded = Math.round(value * 100) / 100;
  return rounded >= from && rounded <= to ? rounded : value;
}

/** A message with all fields, and one of each oneof. Messages inside themselves are left out. */
function messageValue(
  shape: MessageShape,
  source: Source,
  random: Random,
  outer: readonly MessageShape[],
): object {
  const message = shape.create() as Record<string, unknown>;
  const path = [...outer, shape];
  const chosen = new Set<string>();
  for (const field of shape.fields) {
    const { name, oneof } = field;
    if (oneof !== undefined && chosen.has(oneof)) continue;
    const value = fieldValue(field, source, random, path);
    if (value === undefined) continue;
    if (oneof !== undefined) chosen.add(oneof);
    message[name] = value;
  }
  return message;
}

function fieldValue(
  field: FieldShape,
  source: Source,
  random: Random,
  path: readonly MessageShape[],
): unknown {
  const single = (): unknown => elementValue(field, source, random, path);
  if (field.label === 'singular') return single();
  const value = single();
  if (value === undefined) return undefined;
  if (field.label === 'repeated') return [value, single()];
  return new Map([[keyValue(field, source), value]]);
}

function elementValue(
  { name, type }: FieldShape,
  source: Source,
  random: Random,
  path: readonly MessageShape[],
): unknown {
  if (type.kind === 'enum') return random.pick([...type.values.values()]);
  if (type.kind === 'message') {
    const shape = type.shape();
    if (path.some((outer) => outer.name === shape.name)) return undefined;
    return messageValue(shape, source, random, path);
  }
  switch (type.scalar) {
    case 'string':
      return textValue(name, {}, source);
    case 'bytes':
      return Buffer.from(textValue(name, {}, source));
    case 'bool':
      return random.next() < 0.5;
    case 'timestamp':
      return new Date(source.now + (source.n - 1) * 60_000);
    case 'double':
      return double({}, random);
    case 'float':
      return random.below(1_000);
    default:
      return /64$/.test(type.scalar) ? BigInt(random.below(1_000)) : random.below(1_000);
  }
}

function keyValue({ name, mapKey }: FieldShape, source: Source): unknown {
  if (mapKey === 'string') return textValue(name, {}, source);
  if (mapKey === 'bool') return true;
  return /64$/.test(mapKey!) ? BigInt(source.n) : source.n;
}
