/** What kind of segment wrote these bytes. */
import type { KeyFormat, SegmentType } from '../../../key/index.js';
import { isPlausibleMoment } from './moment.js';
import { readAll } from './probe.js';

/** A probable segment. */
export interface SegmentGuess {
  readonly type: SegmentType;
  /** What a person should look at. */
  readonly note?: string;
  /** What it read from the sample; without the empty ones. */
  readonly values: readonly unknown[];
}

interface Candidate {
  readonly type: SegmentType;
  /** What the bytes must look like before they are read; as text. */
  readonly looks?: (texts: readonly string[]) => boolean;
  /** What the values must be for the kind to be meant. */
  readonly means?: (values: readonly unknown[]) => boolean;
  readonly note?: string;
}

const moments = (values: readonly unknown[]): boolean => values.every(isPlausibleMoment);
const micros = (values: readonly unknown[]): boolean =>
  values.every((value) => isPlausibleMoment(Number(value as bigint) / 1000));
const match =
  (pattern: RegExp) =>
  (texts: readonly string[]): boolean =>
    texts.every((text) => pattern.test(text));

/** Every form of a moment as a number. */
const times: readonly Candidate[] = [
  { type: { kind: 'timestamp', floor: 'day' }, means: moments },
  { type: { kind: 'timestamp', floor: 'hour' }, means: moments },
  // Milliseconds are what is meant without a unit.
  ...([{}, { unit: 's' }, { unit: 'us' }, { unit: 'ns' }] as const).flatMap((unit): Candidate[] => [
    { type: { kind: 'timestamp', ...unit }, means: moments },
    { type: { kind: 'timestamp', ...unit, order: 'desc' }, means: moments },
    { type: { kind: 'timestamp', ...unit, order: 'desc', reverseFrom: 'long' }, means: moments },
  ]),
  { type: { kind: 'micros' }, means: micros },
  { type: { kind: 'micros', order: 'desc' }, means: micros },
  { type: { kind: 'micros', order: 'desc', reverseFrom: 'long' }, means: micros },
];

const topDomain = /^(com|org|net|edu|gov|io|dev|app|info|[a-z]{2})\.[a-z0-9-]/;

const named: readonly Candidate[] = [
  // The version and variant digits tell a UUID from any other 32 hexadecimal digits.
  { type: { kind: 'uuid' }, looks: match(/^.{14}[1-8].{4}[89ab]/) },
  { type: { kind: 'uuid', dashes: false }, looks: match(/^.{12}[1-8].{3}[89ab]/) },
  // The first characters are the time: 00 to 03 until 2109.
  { type: { kind: 'ulid' }, looks: match(/^0[0-3]/) },
  { type: { kind: 'isoDate' } },
  { type: { kind: 'isoDate', precision: 'day' } },
  ...times,
  { type: { kind: 'domain' }, looks: match(topDomain) },
];

/** Numbers of one width. */
function numbers(texts: readonly string[]): Candidate[] {
  const width = texts[0].replace(/^[-:]/, '').length;
  if (!texts.every((text) => /^[-:]?\d+$/.test(text) && text.replace(/^[-:]/, '').length === width))
    return [];
  if (texts.some((text) => text.startsWith('-')))
    return width <= 16 ? [{ type: { kind: 'int', width } }] : [{ type: { kind: 'bigint', width } }];
  if (texts.some((text) => text.startsWith(':')))
    return [{ type: { kind: 'int', width, order: 'desc' } }];
  if (width === 1)
    return texts.every((text) => text === '0' || text === '1') && new Set(texts).size === 2
      ? [{ type: { kind: 'bool' }, note: 'or a number of one digit' }]
      : [];
  const all = (pattern: RegExp): boolean => width >= 6 && match(pattern)(texts);
  // Small numbers, padded, begin with zeros; reversed, they end with them.
  if (all(/00$/) && !texts.every((text) => text.startsWith('00')))
    return [
      {
        type: { kind: 'reversedId', width },
        note: 'the digits look reversed; uint if they are not',
      },
    ];
  if (width > 16) return [{ type: { kind: 'bigint', width } }];
  if (all(/^99/))
    return [
      { type: { kind: 'uint', width, order: 'desc' }, note: 'read as all nines minus the number' },
    ];
  return [{ type: { kind: 'uint', width } }];
}

const sizes = (values: readonly unknown[]): boolean =>
  values.every(
    (value) =>
      value === 0 || (Math.abs(value as number) > 1e-6 && Math.abs(value as number) < 1e12),
  );
const hex: readonly Candidate[] = [
  { type: { kind: 'float' }, means: sizes },
  {
    type: { kind: 'bytes' },
    looks: (texts) =>
      texts.every((text) => text.length >= 8) && texts.some((text) => /[a-f]/.test(text)),
  },
];

/** In the binary format each kind is told by its bytes alone. */
const binary: readonly Candidate[] = [
  {
    type: { kind: 'string' },
    means: (values) => values.every((value) => isPrintable(String(value))),
  },
  {
    type: { kind: 'uuid' },
    means: (values) => values.every((value) => /^.{14}[1-8].{4}[89ab]/.test(String(value))),
  },
  { type: { kind: 'timestamp' }, means: moments },
  { type: { kind: 'timestamp', order: 'desc' }, means: moments },
  { type: { kind: 'micros' }, means: micros },
  { type: { kind: 'micros', order: 'desc' }, means: micros },
  {
    type: { kind: 'int' },
    means: (values) => values.every((value) => Math.abs(value as number) < 2 ** 40),
  },
  { type: { kind: 'int' } },
  { type: { kind: 'bytes' } },
];

/** Text without control characters. */
export function isPrintable(text: string): boolean {
  return !/[\0-\x1f\x7f]/.test(text);
}

/**
 * The most probable segment for these parts of keys (in the bytes of the format); undefined where
 * no kind reads them all.
 */
export function guessSegment(
  format: KeyFormat,
  parts: readonly Uint8Array[],
): SegmentGuess | undefined {
  const filled = parts.filter((part) => part.length > 0);
  const nullable = filled.length < parts.length && format !== 'ordered';
  if (filled.length === 0) return undefined;
  const texts = filled.map((part) => Buffer.from(part).toString('latin1'));
  const candidates = format === 'ordered' ? binary : [...named, ...numbers(texts), ...hex];
  for (const { type, looks, means, note } of candidates) {
    if (looks?.(texts) === false) continue;
    const values = readAll(format, type, filled);
    if (values === undefined || means?.(values) === false) continue;
    return {
      type: nullable ? { ...type, nullable } : type,
      values,
      ...(note === undefined ? {} : { note }),
    };
  }
  if (format === 'ordered') return undefined;
  const values = readAll(format, { kind: 'string' }, filled);
  return values === undefined
    ? undefined
    : {
        type: nullable ? { kind: 'string', nullable } : { kind: 'string' },
        values,
        ...textNote(values as string[]),
      };
}

function textNote(values: readonly string[]): { readonly note?: string } {
  const distinct = [...new Set(values)];
  if (distinct.length === 1 && values.length > 1)
    return {
      note: `always ${JSON.stringify(distinct[0])} in the sample: a literal, if it names the kind of row`,
    };
  if (distinct.every((value) => /^\d+$/.test(value)))
    return { note: 'numbers without padding sort as text: 10 before 9' };
  if (distinct.length <= 8 && values.length >= 5 * distinct.length)
    return {
      note: `only ${distinct.map((value) => JSON.stringify(value)).join(', ')} in the sample: perhaps an enum`,
    };
  return {};
}
