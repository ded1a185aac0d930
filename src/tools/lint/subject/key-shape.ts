/** How the leading segments of a key spread its writes. */
import type { ShardSpec } from '../../../data/key/index.js';
import type { EntityModel, SegmentModel } from '../../../entities/model/index.js';
import { type Following, namesSequence } from './names/ids.js';
import { namesObjectId, namesTime, namesTimeUuid } from './names/times.js';
import { namesFewValues } from './names/values.js';
import {
  isValidatedAs,
  type LintSubject,
  rulesOf,
  validatedMembers,
  validatedNumber,
} from './subject.js';

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
  /** Whether declarations show it; false if a name such as `status` suggests few values. */
  readonly counted: boolean;
}

/** Rules of class-validator for times as text. */
export const dateRules = new Set(['isDateString', 'isIso8601', 'isRFC3339']);
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
  return type.floor !== undefined || type.precision === 'day' ? 'a time bucket' : 'a time';
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
  const isEndless = isInteger && distinctValues({ property, type }, subject) === undefined;
  if (isEndless && namesSequence(property, followingOf(property, subject)))
    return { kind: 'sequence', certain: false, text: 'a sequential id, to judge by its name' };
  if (isSizedAsObjectId(type) && namesObjectId(property))
    return { kind: 'time', certain: false, text: 'an ObjectId, which starts with its time' };
  return undefined;
}

/** 12 bytes, or their 24 hexadecimal digits. */
function isSizedAsObjectId({ kind, maxLength }: SegmentModel['type']): boolean {
  return (kind === 'bytes' && maxLength === 12) || (kind === 'string' && maxLength === 24);
}

/** What is behind a segment of the key of the entity. */
function followingOf(property: string, { model }: LintSubject): Following {
  const index = model.segments.findIndex((segment) => segment.property === property);
  const next = model.segments.at(index + 1);
  if (index < 0 || next === undefined) return 'nothing';
  // The time of its creation says that the row is what the id counts.
  if (/^(created|inserted|registered)/i.test(next.property)) return 'other';
  return timeKinds.has(next.type.kind) || namesTime(next.property) ? 'time' : 'other';
}

const timeKinds = new Set(['timestamp', 'micros', 'isoDate', 'ulid']);

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
  if (expected !== undefined) return expected;
  const nulls = type.nullable === true ? 1 : 0;
  const members = listedValues(property, type, subject);
  if (members !== undefined) return members + nulls;
  const { min, max } = boundsOf(property, type, subject);
  if (max === undefined || max >= maxFewValues) return undefined;
  if (type.kind === 'uint' || type.kind === 'reversedId') return max - (min ?? 0) + 1 + nulls;
  return type.kind === 'int' ? max - (min ?? -max) + 1 + nulls : undefined;
}

/** Up to so many values of an integer are counted; more are enough for every cluster. */
const maxFewValues = 1_000;

function listedValues(
  property: string,
  { kind, values }: SegmentModel['type'],
  subject: LintSubject,
): number | undefined {
  if (kind === 'bool') return 2;
  if (kind === 'enum') return new Set(values).size;
  const { oneOf } = rulesOf(subject, property);
  return oneOf === undefined ? validatedMembers(subject, property) : new Set(oneOf).size;
}

function boundsOf(
  property: string,
  { max, width }: SegmentModel['type'],
  subject: LintSubject,
): { readonly min?: number | undefined; readonly max?: number | undefined } {
  const rules = rulesOf(subject, property);
  const number = (bound: number | bigint | undefined): number | undefined =>
    bound === undefined ? undefined : Number(bound);
  return {
    min: number(rules.min) ?? validatedNumber(subject, property, 'min'),
    max:
      max ??
      number(rules.max) ??
      validatedNumber(subject, property, 'max') ??
      (width === undefined ? undefined : 10 ** width - 1),
  };
}

/** Values that a name such as `status` or `country` counts as: most rows have one of so many. */
const assumedFewValues = 5;

/** The number of values that most rows have, also to judge by the name of the segment. */
export function commonValues(segment: SegmentModel, subject: LintSubject): number | undefined {
  const values = distinctValues(segment, subject);
  if (values !== undefined) return values;
  const { kind } = segment.type;
  const isPlain = kind === 'string' || kind === 'uint' || kind === 'int';
  return isPlain && namesFewValues(segment.property) ? assumedFewValues : undefined;
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
  let fronts = 1;
  let counted = true;
  const before: SegmentModel[] = [];
  for (const segment of segments) {
    const advance = advanceOf(segment, subject);
    if (advance !== undefined) {
      // A shard follows from what it hashes: only the segments behind add to the places.
      if (shards !== undefined)
        fronts *= shardsInUse(segments.slice(before.length), subject, shards);
      return { segment, advance, before, fronts, counted };
    }
    const values = commonValues(segment, subject);
    if (values === undefined) return undefined;
    if (distinctValues(segment, subject) === undefined) counted = false;
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
    if (!by.includes(segment.property) || isBucket(segment)) continue;
    const values = commonValues(segment, subject);
    if (values === undefined) return count;
    hashed *= values;
  }
  return Math.min(count, hashed);
}

/** Whether a time is the same for all rows of an interval. */
export function isBucket({ type: { floor, precision } }: SegmentModel): boolean {
  return floor !== undefined || precision === 'day';
}

/** Whether a segment has so many values at any time that rows behind it are spread. */
export function isSpreading(segment: SegmentModel, subject: LintSubject): boolean {
  return advanceOf(segment, subject) === undefined && commonValues(segment, subject) === undefined;
}

/** The declaration of a key with its segments in this order, literals first. */
export function rowKeyText({ key }: EntityModel, names: readonly string[]): string {
  const literals = key.spec.parts
    .filter((part) => part.kind === 'literal')
    .map(({ text }) => `literal('${text}')`);
  return `rowKey(${[...literals, ...names.map((name) => `'${name}'`)].join(', ')})`;
}
