/** How the leading segments of a key spread its writes. */
import type { ShardSpec } from '../../../data/key/index.js';
import type { EntityModel, SegmentModel } from '../../../entities/model/index.js';
import { namesSequence, namesTime, namesTimeUuid } from './names.js';
import { isValidatedAs, type LintSubject, validatedMembers, validatedNumber } from './subject.js';

/** Values of a segment that only grow, or only fall: new rows are next to each other. */
export interface Advance {
  readonly kind: 'time' | 'sequence';
  /** False if only the name shows it. */
  readonly certain: boolean;
  /** `a reversed time`. */
  readonly text: string;
}

/** Where writes go: the first segment that only grows, and the places that it grows at. */
export interface WriteFront {
  readonly segment: SegmentModel;
  readonly advance: Advance;
  /** The segments before it. */
  readonly before: readonly SegmentModel[];
  /** At how many keys rows are added at a time. */
  readonly fronts: number;
}

const dateRules = new Set(['isDateString', 'isIso8601', 'isRFC3339']);
const timeIdRules = new Set(['isULID', 'isMongoId']);

/** Whether the values of a segment only grow or fall; undefined if not. */
export function advanceOf(segment: SegmentModel, subject: LintSubject): Advance | undefined {
  const { property, type } = segment;
  const { sequential } = subject.expect(property);
  // Also of times that are not the times of the writes, such as birth dates.
  if (sequential === false) return undefined;
  switch (type.kind) {
    case 'timestamp':
    case 'micros':
    case 'isoDate':
      return { kind: 'time', certain: true, text: timeText(segment) };
    case 'ulid':
      return { kind: 'time', certain: true, text: 'a ULID, which starts with its time' };
    case 'reversedId':
      return undefined;
    default:
      if (sequential === true)
        return { kind: 'sequence', certain: true, text: 'issued in order (lint.expect)' };
      return guessedAdvance(segment, subject);
  }
}

function timeText({ type }: SegmentModel): string {
  if (type.order === 'desc') return 'a reversed time';
  if (type.floor !== undefined || type.precision === 'day') return 'a time bucket';
  return 'a time';
}

function guessedAdvance(
  { property, type }: SegmentModel,
  subject: LintSubject,
): Advance | undefined {
  if (type.kind === 'bool' || type.kind === 'enum' || type.kind === 'domain') return undefined;
  if (type.kind === 'uuid') return uuidAdvance(property, subject);
  if (isValidatedAs(subject, property, dateRules))
    return { kind: 'time', certain: true, text: 'a time as text (class-validator)' };
  if (isValidatedAs(subject, property, timeIdRules))
    return { kind: 'time', certain: true, text: 'an id that starts with its time' };
  if (namesTime(property))
    return { kind: 'time', certain: false, text: 'a time, to judge by its name' };
  const isInteger = type.kind === 'uint' || type.kind === 'int' || type.kind === 'bigint';
  if (isInteger && namesSequence(property))
    return { kind: 'sequence', certain: false, text: 'a sequential id, to judge by its name' };
  return undefined;
}

function uuidAdvance(property: string, subject: LintSubject): Advance | undefined {
  const rule = subject.validation(property).find(({ name }) => name === 'isUuid');
  const version = Number(rule?.constraints[0]);
  if (version === 1 || version === 6 || version === 7)
    return { kind: 'time', certain: true, text: `a UUID of version ${version}, made of a time` };
  if (!namesTimeUuid(property)) return undefined;
  return { kind: 'time', certain: false, text: 'a UUID made of a time, to judge by its name' };
}

/** The number of different values of a segment; undefined if it is unknown. */
export function distinctValues(
  { property, type }: SegmentModel,
  subject: LintSubject,
): number | undefined {
  const expected = subject.expect(property).values;
  const nulls = type.nullable === true ? 1 : 0;
  if (expected !== undefined) return expected;
  if (type.kind === 'bool') return 2 + nulls;
  if (type.kind === 'enum') return (type.values?.length ?? 1) + nulls;
  const members = validatedMembers(subject, property);
  if (members !== undefined) return members + nulls;
  const max = maxInteger(type) ?? validatedNumber(subject, property, 'max');
  if (max === undefined || max >= maxFewValues) return undefined;
  if (type.kind === 'uint' || type.kind === 'reversedId') return max + 1 + nulls;
  return type.kind === 'int' ? 2 * max + 1 + nulls : undefined;
}

/** Up to so many values of an integer are counted; more are enough for every cluster. */
const maxFewValues = 1_000;

function maxInteger({ max, width }: SegmentModel['type']): number | undefined {
  return max ?? (width === undefined ? undefined : 10 ** width - 1);
}

/**
 * Where rows with these segments are added; undefined if they are spread over more keys than are
 * known.
 */
export function writeFront(
  segments: readonly SegmentModel[],
  subject: LintSubject,
  shards?: ShardSpec,
): WriteFront | undefined {
  let fronts = shards === undefined ? 1 : shardsInUse(segments, subject, shards);
  const before: SegmentModel[] = [];
  for (const segment of segments) {
    const advance = advanceOf(segment, subject);
    if (advance !== undefined) return { segment, advance, before, fronts };
    const values = distinctValues(segment, subject);
    if (values === undefined) return undefined;
    fronts *= values;
    before.push(segment);
  }
  return undefined;
}

/** How many shards get rows at a time: a hash of one hour is one shard for an hour. */
export function shardsInUse(
  segments: readonly SegmentModel[],
  subject: LintSubject,
  { count, by }: ShardSpec,
): number {
  let hashed = 1;
  for (const segment of segments) {
    if (!by.includes(segment.property)) continue;
    const { floor, precision } = segment.type;
    if (floor !== undefined || precision === 'day') continue;
    const values = distinctValues(segment, subject);
    if (values === undefined) return count;
    hashed *= values;
  }
  return Math.min(count, hashed);
}

/** The declaration of a key with its segments in this order, literals first. */
export function rowKeyText({ key }: EntityModel, names: readonly string[]): string {
  const literals = key.spec.parts
    .filter((part) => part.kind === 'literal')
    .map(({ text }) => `literal('${text}')`);
  return `rowKey(${[...literals, ...names.map((name) => `'${name}'`)].join(', ')})`;
}
