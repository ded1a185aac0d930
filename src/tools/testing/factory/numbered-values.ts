/** The values of a property by number: different numbers have different values. */
import { dayMs } from '../../../base/index.js';
import {
  type ColumnModel,
  idMakers,
  type SegmentModel,
  type ValueRules,
} from '../../../entities/model/index.js';
import { type Random, segmentValues } from '../../values/index.js';

/** What values are made of, besides the property. */
export interface Source {
  /** The number of the row, from 1. */
  readonly n: number;
  /** Milliseconds since 1970: times begin here. */
  readonly now: number;
  /** Random numbers, the same for each property of a row in every run. */
  readonly random: (property: string) => Random;
  /** The source of the rows of another entity. */
  readonly of: (entity: string) => Source;
}

/** Values by number. */
export interface Numbered {
  /** Number of different values. */
  readonly count: number;
  /** The value of a number of at least 0 and below `count`. */
  readonly at: (index: number) => unknown;
}

const minuteMs = 60_000;

/** Letters of the name and the number from 1: `device7`. Nothing that a key would escape. */
export function numberedText(
  property: string,
  { minLength = 0, maxLength = Infinity }: Pick<ValueRules, 'minLength' | 'maxLength'>,
): Numbered {
  // Without digits, so that the number of a shortened text is unambiguous.
  const name = property.toLowerCase().replace(/[^a-z]/g, '') || 'x';
  if (maxLength < 1) return ofList(['']);
  return {
    count: maxLength < 16 ? 10 ** maxLength - 1 : Number.MAX_SAFE_INTEGER,
    at(index) {
      const digits = String(index + 1);
      const letters = name.slice(0, Math.max(0, maxLength - digits.length));
      return letters.padEnd(minLength - digits.length, 'x') + digits;
    },
  };
}

/** The values of a segment of the key. */
export function numberedSegment(
  { property, type, rules = {}, generate }: SegmentModel,
  { now, random }: Source,
): Numbered {
  const resolution = segmentValues(property, type, 1);
  const { resolutionMs = 1 } = resolution;
  // Whole multiples of what the segment can store.
  const wholeMs = Math.max(1, resolutionMs);
  const stepMs = Math.ceil(minuteMs / wholeMs) * wholeMs;
  const first = Math.floor(now / stepMs) * stepMs;
  const timed = (ofTime: (ms: number, random: number) => unknown): Numbered => ({
    count: Number.MAX_SAFE_INTEGER,
    at: (index) => ofTime(first + index * stepMs, random(`${property}${index}`).next()),
  });
  if (generate === idMakers.ulid || generate === idMakers.uuidv7)
    return timed(idsOf(property, generate === idMakers.ulid ? 'ulid' : 'uuid').ofTime!);
  if (generate !== undefined || type.kind === 'uuid')
    return { count: 2 ** 52, at: (index) => uuidAt(property, index, random) };
  switch (type.kind) {
    case 'string':
      return numberedText(property, {
        minLength: rules.minLength,
        maxLength: Math.min(type.maxLength ?? Infinity, rules.maxLength ?? Infinity),
      });
    case 'timestamp':
    case 'isoDate':
    case 'micros':
    case 'ulid':
      return timed(resolution.ofTime!);
    case 'int':
    case 'uint': {
      const min = Number(rules.min ?? 0);
      return { count: resolution.count - min, at: (index) => min + index };
    }
    default:
      return { count: resolution.count, at: resolution.ofNumber! };
  }
}

function idsOf(property: string, kind: 'uuid' | 'ulid'): ReturnType<typeof segmentValues> {
  return segmentValues(property, { kind }, 1);
}

/** Rows of different entities, and of different seeds, have different ids. */
function uuidAt(property: string, index: number, random: Source['random']): unknown {
  const base = random('').below(2 ** 31) * 2 ** 20;
  return idsOf(property, 'uuid').ofNumber!(base + index);
}

/** The values of a column that are different: of unique indexes. Undefined: the kind has none. */
export function numberedColumn(column: ColumnModel, { now }: Source): Numbered | undefined {
  const { property, codec, rules = {} } = column;
  if (rules.oneOf !== undefined) return ofList(rules.oneOf);
  const [min, max] = bounds(codec.kind, rules);
  switch (codec.kind) {
    case 'string':
      return numberedText(property, rules);
    case 'bool':
      return ofList([false, true]);
    case 'int64': {
      const [first, last] = bigintBounds(rules);
      return { count: Number(last - first) + 1, at: (index) => first + BigInt(index) };
    }
    case 'int32':
    case 'uint32': {
      const first = Math.ceil(min);
      return { count: Math.floor(max) - first + 1, at: (index) => first + index };
    }
    case 'double':
    case 'float':
      return { count: Math.floor(max - min) + 1, at: (index) => min + index };
    case 'timestamp':
      return { count: Number.MAX_SAFE_INTEGER, at: (index) => new Date(now + index * minuteMs) };
    case 'date':
      return { count: 1e6, at: (index) => dateText(now + index * dayMs) };
    default:
      return undefined;
  }
}

function ofList(values: readonly unknown[]): Numbered {
  return { count: values.length, at: (index) => values[index] };
}

/** The smallest and the largest number of each kind; doubles count up to 2^53. */
const extremes: Readonly<Record<string, readonly [number, number]>> = {
  int32: [-(2 ** 31), 2 ** 31 - 1],
  uint32: [0, 2 ** 32 - 1],
  float: [-Infinity, 2 ** 24],
};

/** The smallest and the largest number of a column. */
export function bounds(kind: string, { min, max }: ValueRules): readonly [number, number] {
  const [smallest, largest] = extremes[kind] ?? [-Infinity, 2 ** 53 - 1];
  const last = max === undefined ? Math.max(largest, Number(min ?? 0)) : Number(max);
  if (min !== undefined) return [Number(min), last];
  // A small maximum alone: the values end with it.
  return [Math.max(smallest, Math.min(0, last - 1_000)), last];
}

/** The same of int64. */
export function bigintBounds({ min, max }: ValueRules): readonly [bigint, bigint] {
  const last = max === undefined ? 2n ** 63n - 1n : BigInt(max);
  let first = 0n;
  if (min !== undefined) first = BigInt(min);
  else if (last < 0n) first = last - 1_000n;
  return [first < -(2n ** 63n) ? -(2n ** 63n) : first, last];
}

/** `2026-01-31`. */
export function dateText(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

/** The numbers of row `k`, from 0, for several properties: different rows differ in one. */
export function numbersOf(k: number, parts: readonly Numbered[]): readonly number[] {
  let rest = k;
  return parts.map(({ count }) => {
    // A property with a value for each row leaves no digit to the properties after it.
    if (count > 1e9) return k;
    const digit = rest % count;
    rest = Math.floor(rest / count);
    return digit;
  });
}
