/** How the row keys of a table are made: their format, and the kinds of rows that share it. */
import { toHex } from '../../../bytes/index.js';
import type { KeyFormat, KeyPart, ShardSpec } from '../../../key/index.js';
import type { Row } from '../../../store/index.js';
import { isText } from './message-guess.js';
import { keyReader } from './probe.js';
import { guessSegment, type SegmentGuess } from './segment-guess.js';

/** One part of a probable key. */
export type PartGuess =
  | { readonly kind: 'literal'; readonly text: string }
  | ({ readonly kind: 'segment'; readonly name: string } & SegmentGuess);

/** Rows that look alike, with the key that reads them. */
export interface KeyGuess {
  readonly format: KeyFormat;
  readonly parts: readonly PartGuess[];
  readonly shards?: ShardSpec;
  readonly rows: readonly Row[];
}

/** Rows that no key of ours reads. */
export interface KeyGuesses {
  readonly guesses: readonly KeyGuess[];
  readonly unread: readonly Row[];
}

/** In the order in which they are believed: the later ones stand in values more often. */
const delimiters = ['#', '|', '~', ';', ',', '/', ':', '@', '_', '-', '.'];
/** Share of the keys in which a delimiter must occur. */
const mostKeys = 0.9;
/** What text/1 writes: bytes up to `$` are escaped, `$` alone is an empty text. */
const textFormat = /^(?:[^\0-$]|#|\$(?:[01][0-9A-F]|2[0-4])|\$(?=#|$))*$/;

/** The probable keys of these rows. */
export function guessKeys(rows: readonly Row[]): KeyGuesses {
  if (rows.length === 0) return { guesses: [], unread: [] };
  const texts = rows.map(({ key }) => Buffer.from(key).toString('latin1'));
  const form = formOf(rows, texts);
  const groups = new Map<number, Row[]>();
  for (const row of rows) {
    const count = form.split(row.key).length;
    groups.set(count, [...(groups.get(count) ?? []), row]);
  }
  const guesses: KeyGuess[] = [];
  const unread: Row[] = [];
  const kinds = [...groups.values()].flatMap((group) => kindsOf(group, form));
  const sharing = kinds.length > 1;
  for (const kind of kinds) {
    const guess = guessKey(kind, form, sharing);
    if (guess === undefined) unread.push(...kind);
    else guesses.push(guess);
  }
  return { guesses, unread };
}

interface Form {
  readonly format: KeyFormat;
  split(key: Uint8Array): Uint8Array[];
}

function formOf(rows: readonly Row[], texts: readonly string[]): Form {
  if (!rows.every(({ key }) => isText(key))) return { format: 'ordered', split: splitOrdered };
  const asText = texts.every((text) => textFormat.test(text));
  const alone = guessSegment(
    'text',
    rows.map(({ key }) => key),
  );
  const one = asText && alone !== undefined && alone.type.kind !== 'string';
  const delimiter = one
    ? undefined
    : delimiters.find(
        (each) => texts.filter((text) => text.includes(each)).length >= mostKeys * texts.length,
      );
  if (delimiter === undefined) {
    const unused = delimiters.find((each) => !texts.some((text) => text.includes(each))) ?? '|';
    return {
      format: asText ? 'text' : { kind: 'delimited', delimiter: unused },
      split: (key) => [key],
    };
  }
  const format: KeyFormat = delimiter === '#' && asText ? 'text' : { kind: 'delimited', delimiter };
  return { format, split: (key) => splitAt(key, delimiter.charCodeAt(0)) };
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

/** Bigtable's OrderedCodeBytes: 00 01 between parts. */
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

/** Most values of a part that names kinds of rows. */
const mostKinds = 12;

/** Rows of one length in kinds: by a part whose few words go with different columns. */
function kindsOf(rows: readonly Row[], form: Form): readonly (readonly Row[])[] {
  for (let i = 0; i < form.split(rows[0].key).length; i++) {
    const byWord = new Map<string, Row[]>();
    for (const row of rows) {
      const word = Buffer.from(form.split(row.key)[i]).toString('latin1');
      byWord.set(word, [...(byWord.get(word) ?? []), row]);
      if (byWord.size > mostKinds) break;
    }
    if (
      byWord.size < 2 ||
      byWord.size > mostKinds ||
      ![...byWord.keys()].every((word) => /^[A-Za-z][\w-]*$/.test(word))
    )
      continue;
    const columns = [...byWord.values()].map(
      (kind) =>
        new Set(
          kind.flatMap(({ cells }) =>
            cells.map(({ family, qualifier }) => `${family}:${toHex(qualifier)}`),
          ),
        ),
    );
    const unlike = columns.every((one, a) =>
      columns.every((other, b) => a === b || ![...one].some((column) => other.has(column))),
    );
    if (unlike) return [...byWord.values()];
  }
  return [rows];
}

function guessKey(rows: readonly Row[], form: Form, sharing: boolean): KeyGuess | undefined {
  const split = rows.map(({ key }) => form.split(key));
  const used = new Set<string>();
  const parts: PartGuess[] = [];
  for (let i = 0; i < split[0].length; i++) {
    const texts = split.map((each) => each[i]);
    const constant =
      texts[0].length > 0 &&
      rows.length > 1 &&
      texts.every((text) => Buffer.compare(text, texts[0]) === 0);
    const guess = guessSegment(form.format, texts);
    if (guess === undefined) return undefined;
    // Where kinds of rows share a table, a word that never changes tells them apart.
    if (constant && sharing && guess.type.kind === 'string')
      parts.push({ kind: 'literal', text: String(guess.values[0]) });
    else parts.push({ kind: 'segment', name: uniqueName(nameOf(guess, i, parts), used), ...guess });
  }
  if (!parts.some(({ kind }) => kind === 'segment')) return undefined;
  const read = keyReader(form.format, parts.map(keyPart));
  if (read === undefined || rows.some(({ key }) => read(key) === undefined)) return undefined;
  return { format: form.format, parts, rows, ...shardsOf(parts, form, rows) };
}

/** The part as a key codec takes it. */
export function keyPart(part: PartGuess): KeyPart {
  return part.kind === 'literal' ? part : { kind: 'segment', name: part.name, type: part.type };
}

/** Named after what stands before it: `user#u1` is the key of a user. */
function nameOf({ type }: SegmentGuess, at: number, before: readonly PartGuess[]): string {
  const previous = before[at - 1];
  if (['timestamp', 'micros', 'isoDate'].includes(type.kind))
    return type.floor === 'day' || type.precision === 'day'
      ? 'day'
      : type.floor === 'hour'
        ? 'hour'
        : 'at';
  if (previous?.kind === 'literal' && /^[a-z]\w*$/i.test(previous.text)) return previous.text;
  return type.kind === 'uuid' || type.kind === 'ulid' || type.kind === 'reversedId'
    ? 'id'
    : type.kind === 'domain'
      ? 'domain'
      : `segment${at + 1}`;
}

function uniqueName(name: string, used: Set<string>): string {
  let unique = name;
  for (let i = 2; used.has(unique); i++) unique = `${name}${i}`;
  used.add(unique);
  return unique;
}

/** Keys that are needed before a hash that fits all of them is no accident. */
const enoughKeys = 8;
/** Segments behind a hash whose every subset is tried. */
const mostHashed = 5;

/**
 * A number in front may be a hash of segments behind it: then it is the same function of them in
 * every key.
 */
function shardsOf(
  [first, ...rest]: readonly PartGuess[],
  { format }: Form,
  rows: readonly Row[],
): { readonly shards?: ShardSpec; readonly parts?: readonly PartGuess[] } {
  const names = rest.flatMap((part) => (part.kind === 'segment' ? [part.name] : []));
  if (
    first.kind !== 'segment' ||
    !['uint', 'bool', 'string'].includes(first.type.kind) ||
    names.length === 0 ||
    names.length > mostHashed
  )
    return {};
  if (new Set(rows.map(({ key }) => toHex(key))).size < enoughKeys) return {};
  const numbers = first.values.map(Number);
  const highest = Math.max(...numbers);
  if (!numbers.every(Number.isInteger) || highest < 1 || highest > 999) return {};
  const digits = format === 'ordered' ? 0 : String(highest).length;
  const most = Math.min(1000, 10 ** Math.max(digits, first.type.width ?? digits));
  const subsets = Array.from({ length: 2 ** names.length - 1 }, (_, i) =>
    names.filter((_name, bit) => ((i + 1) >> bit) & 1),
  );
  for (let count = highest + 1; count <= most; count++) {
    for (const by of subsets) {
      const read = keyReader(format, rest.map(keyPart), { count, by });
      if (read !== undefined && rows.every(({ key }) => read(key) !== undefined))
        return { shards: { count, by }, parts: rest };
    }
  }
  return {};
}
