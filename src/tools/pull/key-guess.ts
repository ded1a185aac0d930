/** Guesses the key format of a table, and the kinds of rows that share the table. */
import { equalBytes, toHex } from '../../base/index.js';
import type { KeyFormat, KeyPart, SegmentType, ShardSpec } from '../../data/key/index.js';
import type { Row } from '../../data/store/index.js';
import { isText } from './message-guess.js';
import { uniqueName } from './names.js';
import { probeReader } from './probe.js';
import { guessSegment } from './segment-guess.js';
import { guessShards } from './shard-guess.js';
import type { PartGuess } from './part-guess.js';

/** Rows of one kind, with a key that decodes all of them. */
export interface KeyGuess {
  readonly format: KeyFormat;
  readonly parts: readonly PartGuess[];
  readonly shards?: ShardSpec;
  readonly rows: readonly Row[];
}

/** The keys of a table. */
export interface KeyGuesses {
  readonly guesses: readonly KeyGuess[];
  /** Rows with keys that match no supported format. */
  readonly unread: readonly Row[];
}

/** The most probable first: the later ones are more often part of values. */
const delimiters = ['#', '|', '~', ';', ',', '/', ':', '@', '_', '-', '.'];
/** Fraction of the keys that must contain the delimiter. */
const minKeysWithDelimiter = 0.9;
/** A key of the text format: bytes up to `$` are escaped, a single `$` is an empty text. */
const textFormat = /^(?:[^\0-$]|#|\$(?:[01][0-9A-F]|2[0-4])|\$(?=#|$))*$/;

/** The probable keys of these rows. */
export function guessKeys(rows: readonly Row[]): KeyGuesses {
  if (rows.length === 0) return { guesses: [], unread: [] };
  const layout = guessLayout(rows);
  const byLength = groupBy(rows, ({ key }) => layout.split(key).length);
  const kinds = [...byLength.values()].flatMap((group) => kindsOf(group, layout));
  const guesses: KeyGuess[] = [];
  const unread: Row[] = [];
  for (const kind of kinds) {
    const guess = guessKey(kind, layout, kinds.length > 1);
    if (guess === undefined) unread.push(...kind);
    else guesses.push(guess);
  }
  return { guesses, unread };
}

function groupBy<T>(rows: readonly Row[], groupOf: (row: Row) => T): Map<T, Row[]> {
  const groups = new Map<T, Row[]>();
  for (const row of rows) {
    const value = groupOf(row);
    const group = groups.get(value);
    if (group === undefined) groups.set(value, [row]);
    else group.push(row);
  }
  return groups;
}

/** How keys are split into parts. */
interface KeyLayout {
  readonly format: KeyFormat;
  split(key: Uint8Array): Uint8Array[];
}

function guessLayout(rows: readonly Row[]): KeyLayout {
  const keys = rows.map(({ key }) => key);
  if (!keys.every(isText)) return { format: 'ordered', split: splitOrdered };
  const texts = keys.map((key) => Buffer.from(key).toString('latin1'));
  const isTextFormat = texts.every((text) => textFormat.test(text));
  const delimiter = isTextFormat && isOneSegment(keys) ? undefined : findDelimiter(texts);
  if (delimiter === undefined) {
    const unused = delimiters.find((each) => !texts.some((text) => text.includes(each))) ?? '|';
    return {
      format: isTextFormat ? 'text' : { kind: 'delimited', delimiter: unused },
      split: (key) => [key],
    };
  }
  const isHash = delimiter === '#' && isTextFormat;
  return {
    format: isHash ? 'text' : { kind: 'delimited', delimiter },
    split: (key) => splitAt(key, delimiter.charCodeAt(0)),
  };
}

/** Whether the whole keys are segments of one type, such as UUIDs. */
function isOneSegment(keys: readonly Uint8Array[]): boolean {
  const guess = guessSegment('text', keys);
  return guess !== undefined && guess.type.kind !== 'string';
}

function findDelimiter(texts: readonly string[]): string | undefined {
  const required = minKeysWithDelimiter * texts.length;
  return delimiters.find((each) => texts.filter((text) => text.includes(each)).length >= required);
}

function splitAt(key: Uint8Array, delimiter: number): Uint8Array[] {
  const parts: Uint8Array[] = [];
  let start = 0;
  for (let at = key.indexOf(delimiter); at >= 0; at = key.indexOf(delimiter, start)) {
    parts.push(key.subarray(start, at));
    start = at + 1;
  }
  return [...parts, key.subarray(start)];
}

/** Bigtable's OrderedCodeBytes encoding: 00 01 separates the parts. */
function splitOrdered(key: Uint8Array): Uint8Array[] {
  const parts: Uint8Array[] = [];
  let start = 0;
  for (let at = 0; at < key.length - 1; at++) {
    if (key[at] !== 0) continue;
    if (key[at + 1] === 1) {
      parts.push(key.subarray(start, at));
      start = at + 2;
    }
    at++;
  }
  return [...parts, key.subarray(start)];
}

/** Values of a part that distinguishes kinds of rows. */
const maxKinds = 12;

/**
 * Splits rows with equally many parts into kinds, by a part with few values that come with
 * different columns.
 */
function kindsOf(rows: readonly Row[], layout: KeyLayout): readonly (readonly Row[])[] {
  const partCount = layout.split(rows[0].key).length;
  for (let i = 0; i < partCount; i++) {
    const byWord = groupBy(rows, ({ key }) => Buffer.from(layout.split(key)[i]).toString('latin1'));
    const words = [...byWord.keys()];
    if (words.length < 2 || words.length > maxKinds) continue;
    if (!words.every((word) => /^[A-Za-z][\w-]*$/.test(word))) continue;
    const kinds = [...byWord.values()];
    if (areDisjoint(kinds.map(columnNames))) return kinds;
  }
  return [rows];
}

function columnNames(rows: readonly Row[]): ReadonlySet<string> {
  const cells = rows.flatMap((row) => row.cells);
  return new Set(cells.map(({ family, qualifier }) => `${family}:${toHex(qualifier)}`));
}

function areDisjoint(sets: readonly ReadonlySet<string>[]): boolean {
  const total = sets.reduce((sum, set) => sum + set.size, 0);
  return new Set(sets.flatMap((set) => [...set])).size === total;
}

function guessKey(
  rows: readonly Row[],
  layout: KeyLayout,
  sharesTable: boolean,
): KeyGuess | undefined {
  const { format } = layout;
  const keys = rows.map(({ key }) => layout.split(key));
  const used = new Set<string>();
  const parts: PartGuess[] = [];
  for (let i = 0; i < keys[0].length; i++) {
    const encoded = keys.map((key) => key[i]);
    const guess = guessSegment(format, encoded);
    if (guess === undefined) return undefined;
    // If several kinds of rows share a table, a constant word distinguishes them.
    if (sharesTable && guess.type.kind === 'string' && isConstant(encoded)) {
      parts.push({ kind: 'literal', text: String(guess.values[0]) });
      continue;
    }
    const name = uniqueName(segmentName(guess.type, i, parts), used);
    parts.push({ kind: 'segment', name, ...guess });
  }
  if (!parts.some(({ kind }) => kind === 'segment')) return undefined;
  const read = probeReader(format, parts.map(keyPart));
  if (read === undefined || rows.some(({ key }) => read(key) === undefined)) return undefined;
  const [first, ...rest] = parts;
  const shards = guessShards(first, rest.map(keyPart), format, rows);
  if (shards === undefined) return { format, parts, rows };
  return { format, parts: rest, rows, shards };
}

function isConstant(values: readonly Uint8Array[]): boolean {
  const [first] = values;
  return first.length > 0 && values.length > 1 && values.every((value) => equalBytes(value, first));
}

/** The part in the form that a key codec takes. */
export function keyPart(part: PartGuess): KeyPart {
  if (part.kind === 'literal') return part;
  return { kind: 'segment', name: part.name, type: part.type };
}

/** A segment after a literal is named after it: the key `user#u1` has a segment `user`. */
function segmentName(type: SegmentType, i: number, parts: readonly PartGuess[]): string {
  if (['timestamp', 'micros', 'isoDate'].includes(type.kind)) return timestampName(type);
  const previous = parts[i - 1];
  if (previous?.kind === 'literal' && /^[a-z]\w*$/i.test(previous.text)) return previous.text;
  if (['uuid', 'ulid', 'reversedId'].includes(type.kind)) return 'id';
  if (type.kind === 'domain') return 'domain';
  return `segment${i + 1}`;
}

function timestampName({ floor, precision }: SegmentType): string {
  if (floor === 'day' || precision === 'day') return 'day';
  if (floor === 'hour') return 'hour';
  return 'at';
}
