/** Guesses the type of a key segment from its encoded values. */
import type { KeyFormat, SegmentType } from '../../data/key/index.js';
import { isPlausibleTimestamp } from './plausible-timestamp.js';
import { decodeAll } from './probe.js';

/** A probable segment. */
export interface SegmentGuess {
  readonly type: SegmentType;
  /** What the user should check. */
  readonly note?: string;
  /** The decoded values of the sample, without empty ones. */
  readonly values: readonly unknown[];
}

interface Candidate {
  readonly type: SegmentType;
  /** Whether the encoded values, as text, may have this type. */
  readonly matches?: (texts: readonly string[]) => boolean;
  /** Whether the decoded values are plausible for the type. */
  readonly accepts?: (values: readonly unknown[]) => boolean;
  readonly note?: string;
}

const plausibleTimestamps = (values: readonly unknown[]): boolean =>
  values.every(isPlausibleTimestamp);
const plausibleMicros = (values: readonly unknown[]): boolean =>
  values.every((value) => isPlausibleTimestamp(Number(value as bigint) / 1000));
const allMatch =
  (pattern: RegExp) =>
  (texts: readonly string[]): boolean =>
    texts.every((text) => pattern.test(text));

/** Numbers that may be timestamps. */
const timestamps: readonly Candidate[] = [
  { type: { kind: 'timestamp', floor: 'day' }, accepts: plausibleTimestamps },
  { type: { kind: 'timestamp', floor: 'hour' }, accepts: plausibleTimestamps },
  // Without a unit: milliseconds.
  ...([{}, { unit: 's' }, { unit: 'us' }, { unit: 'ns' }] as const).flatMap((unit): Candidate[] => [
    { type: { kind: 'timestamp', ...unit }, accepts: plausibleTimestamps },
    { type: { kind: 'timestamp', ...unit, order: 'desc' }, accepts: plausibleTimestamps },
    {
      type: { kind: 'timestamp', ...unit, order: 'desc', reverseFrom: 'long' },
      accepts: plausibleTimestamps,
    },
  ]),
  { type: { kind: 'micros' }, accepts: plausibleMicros },
  { type: { kind: 'micros', order: 'desc' }, accepts: plausibleMicros },
  { type: { kind: 'micros', order: 'desc', reverseFrom: 'long' }, accepts: plausibleMicros },
];

const topDomain = /^(com|org|net|edu|gov|io|dev|app|info|[a-z]{2})\.[a-z0-9-]/;

/** Types with a recognizable text form. */
const named: readonly Candidate[] = [
  // The version and variant digits distinguish a UUID from other hexadecimal digits.
  { type: { kind: 'uuid' }, matches: allMatch(/^.{14}[1-8].{4}[89ab]/) },
  { type: { kind: 'uuid', dashes: false }, matches: allMatch(/^.{12}[1-8].{3}[89ab]/) },
  // The first characters are the time: 00 to 03 until 2109.
  { type: { kind: 'ulid' }, matches: allMatch(/^0[0-3]/) },
  { type: { kind: 'isoDate' } },
  { type: { kind: 'isoDate', precision: 'day' } },
  ...timestamps,
  { type: { kind: 'domain' }, matches: allMatch(topDomain) },
];

/** Candidates for decimal numbers of one width. */
function numberCandidates(texts: readonly string[]): Candidate[] {
  const width = texts[0].replace(/^[-:]/, '').length;
  if (!texts.every((text) => /^[-:]?\d+$/.test(text) && text.replace(/^[-:]/, '').length === width))
    return [];
  if (texts.some((text) => text.startsWith('-')))
    return [{ type: { kind: width <= 16 ? 'int' : 'bigint', width } }];
  if (texts.some((text) => text.startsWith(':')))
    return [{ type: { kind: 'int', width, order: 'desc' } }];
  if (width === 1) return digitCandidates(texts);
  const long = width >= 6;
  // Padded small numbers begin with zeros; reversed ones end with zeros.
  if (long && allMatch(/00$/)(texts) && !texts.every((text) => text.startsWith('00')))
    return [
      {
        type: { kind: 'reversedId', width },
        note: 'the digits seem to be reversed; use uint if they are not',
      },
    ];
  if (width > 16) return [{ type: { kind: 'bigint', width } }];
  if (long && allMatch(/^99/)(texts))
    return [
      {
        type: { kind: 'uint', width, order: 'desc' },
        note: 'decoded as the difference to a number of nines',
      },
    ];
  return [{ type: { kind: 'uint', width } }];
}

function digitCandidates(texts: readonly string[]): Candidate[] {
  if (texts.every((text) => text === '0' || text === '1') && new Set(texts).size === 2)
    return [{ type: { kind: 'bool' }, note: 'or a number of one digit' }];
  return [];
}

const plausibleFloats = (values: readonly unknown[]): boolean =>
  values.every(
    (value) =>
      value === 0 || (Math.abs(value as number) > 1e-6 && Math.abs(value as number) < 1e12),
  );
/** Types with hexadecimal digits. */
const hexadecimal: readonly Candidate[] = [
  { type: { kind: 'float' }, accepts: plausibleFloats },
  {
    type: { kind: 'bytes' },
    matches: (texts) =>
      texts.every((text) => text.length >= 8) && texts.some((text) => /[a-f]/.test(text)),
  },
];

/** Types in the binary format `ordered`, which are recognized by their values alone. */
const binary: readonly Candidate[] = [
  {
    type: { kind: 'string' },
    accepts: (values) => values.every((value) => isPrintable(String(value))),
  },
  {
    type: { kind: 'uuid' },
    accepts: (values) => values.every((value) => /^.{14}[1-8].{4}[89ab]/.test(String(value))),
  },
  { type: { kind: 'timestamp' }, accepts: plausibleTimestamps },
  { type: { kind: 'timestamp', order: 'desc' }, accepts: plausibleTimestamps },
  { type: { kind: 'micros' }, accepts: plausibleMicros },
  { type: { kind: 'micros', order: 'desc' }, accepts: plausibleMicros },
  {
    type: { kind: 'int' },
    accepts: (values) => values.every((value) => Math.abs(value as number) < 2 ** 40),
  },
  { type: { kind: 'int' } },
  { type: { kind: 'bytes' } },
];

/** Text without control characters. */
export function isPrintable(text: string): boolean {
  return !/[\0-\x1f\x7f]/.test(text);
}

/**
 * The most probable type for these encoded values (in the bytes of the format); undefined if no
 * type decodes all of them.
 */
export function guessSegment(
  format: KeyFormat,
  encoded: readonly Uint8Array[],
): SegmentGuess | undefined {
  const filled = encoded.filter((bytes) => bytes.length > 0);
  if (filled.length === 0) return undefined;
  const guess = guessFilled(format, filled);
  if (guess === undefined || filled.length === encoded.length || format === 'ordered') return guess;
  return { ...guess, type: { ...guess.type, nullable: true } };
}

function guessFilled(format: KeyFormat, filled: readonly Uint8Array[]): SegmentGuess | undefined {
  const texts = filled.map((bytes) => Buffer.from(bytes).toString('latin1'));
  for (const { type, matches, accepts, note } of candidatesFor(format, texts)) {
    if (matches?.(texts) === false) continue;
    const values = decodeAll(format, type, filled);
    if (values === undefined || accepts?.(values) === false) continue;
    return { type, values, note };
  }
  if (format === 'ordered') return undefined;
  const values = decodeAll(format, { kind: 'string' }, filled);
  if (values === undefined) return undefined;
  return { type: { kind: 'string' }, values, note: textNote(values as string[]) };
}

function candidatesFor(format: KeyFormat, texts: readonly string[]): readonly Candidate[] {
  if (format === 'ordered') return binary;
  return [...named, ...numberCandidates(texts), ...hexadecimal];
}

function textNote(values: readonly string[]): string | undefined {
  const distinct = [...new Set(values)];
  if (distinct.length === 1 && values.length > 1)
    return (
      `always ${JSON.stringify(distinct[0])} in the sample: ` +
      'a literal, if it names the kind of row'
    );
  if (distinct.every((value) => /^\d+$/.test(value)))
    return 'numbers without padding are sorted as text: 10 before 9';
  if (distinct.length <= 8 && values.length >= 5 * distinct.length) {
    const list = distinct.map((value) => JSON.stringify(value)).join(', ');
    return `only ${list} in the sample: perhaps an enum`;
  }
  return undefined;
}
