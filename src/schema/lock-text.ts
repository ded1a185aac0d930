/**
 * The text of `rowsmith.lock.json`: sorted, one thing a line, so that two branches that add
 * different things merge by themselves.
 */
import { RowsmithError } from '../errors.js';
import { type Lock, type LockedColumn, type LockedEntity, lockVersion } from './lock.js';

type Lines = readonly string[];

/** The text of a lock, ending with a line break. The same lock gives the same text. */
export function lockText(lock: Lock): string {
  const body = object([
    ['rowsmith-lock', [String(lock.version)]],
    [
      'tables',
      map(lock.tables, ({ families, entities }) =>
        object([
          ['families', map(families, one)],
          ['entities', map(entities, entityLines)],
        ]),
      ),
    ],
    [
      'messages',
      map(lock.messages, ({ fields, reserved }) =>
        object([
          ['fields', map(fields, one)],
          ...(reserved === undefined ? [] : [['reserved', map(reserved, one)] as const]),
        ]),
      ),
    ],
    [
      'enums',
      map(lock.enums, ({ values, reserved }) =>
        object([
          ['values', byNumber(values)],
          ...(reserved === undefined ? [] : [['reserved', byNumber(reserved)] as const]),
        ]),
      ),
    ],
  ]);
  return `${body.join('\n')}\n`;
}

/** A value on one line: `{ "name": "firmware", "type": "string" }`. */
function one(value: unknown): Lines {
  return [oneLine(value)];
}

function oneLine(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(oneLine).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const entries = Object.entries(value)
    .filter(([, inner]) => inner !== undefined)
    .map(([name, inner]) => `${JSON.stringify(name)}: ${oneLine(inner)}`);
  return entries.length === 0 ? '{}' : `{ ${entries.join(', ')} }`;
}

function entityLines({ removed, key, marker, columns }: LockedEntity): Lines {
  return object([
    ...(removed === undefined ? [] : [['removed', ['true']] as const]),
    [
      'key',
      object([
        ['format', one(key.format)],
        ...(key.shards === undefined ? [] : [['shards', one(key.shards)] as const]),
        ['parts', list(key.parts.map(one))],
      ]),
    ],
    ...(marker === undefined ? [] : [['marker', one(marker)] as const]),
    ['columns', list([...columns].sort(byPlace).map(one))],
  ]);
}

function byPlace(a: LockedColumn, b: LockedColumn): number {
  if (a.family !== b.family) return a.family < b.family ? -1 : 1;
  return (a.qualifier ?? '') < (b.qualifier ?? '') ? -1 : 1;
}

function object(entries: readonly (readonly [string, Lines])[]): Lines {
  return braced(
    '{',
    '}',
    entries.map(([name, [first, ...rest]]) => [`${JSON.stringify(name)}: ${first}`, ...rest]),
  );
}

/** An object whose names are data: sorted, numbers as numbers. */
function map<T>(values: Readonly<Record<string, T>>, lines: (value: T) => Lines): Lines {
  const numeric = (name: string): boolean => /^\d+$/.test(name);
  const entries = Object.entries(values).sort(([a], [b]) =>
    numeric(a) && numeric(b) ? Number(a) - Number(b) : a < b ? -1 : 1,
  );
  return object(entries.map(([name, value]) => [name, lines(value)]));
}

function byNumber(values: Readonly<Record<string, number>>): Lines {
  return object(
    Object.entries(values)
      .sort(([a, m], [b, n]) => (m === n ? (a < b ? -1 : 1) : m - n))
      .map(([name, number]) => [name, [String(number)]]),
  );
}

function list(items: readonly Lines[]): Lines {
  return braced('[', ']', items);
}

function braced(open: string, close: string, items: readonly Lines[]): Lines {
  if (items.length === 0) return [open + close];
  const inner = items.flatMap((lines, i) =>
    lines.map((line, j) => `  ${line}${j === lines.length - 1 && i < items.length - 1 ? ',' : ''}`),
  );
  return [open, ...inner, close];
}

/**
 * The lock that a text holds. Throws FILE_FAILED for merge conflicts, damage, entries that stand
 * twice, and a lock by a newer version. `file` is for the errors.
 */
export function parseLock(text: string, file = 'rowsmith.lock.json'): Lock {
  const conflict = text.split('\n').findIndex((line) => /^(<{7}|={7}|>{7}|\|{7})( |$)/.test(line));
  if (conflict >= 0) {
    throw refusal(
      file,
      `line ${conflict + 1} has the marks of a merge conflict`,
      'keep the lines of both sides; where both gave one number to two fields, give the field of your branch another in @Field, and run rowsmith check --update',
    );
  }
  let said: unknown;
  try {
    said = JSON.parse(text);
  } catch (cause) {
    throw refusal(file, `it is not JSON: ${(cause as Error).message}`, RESTORE, cause);
  }
  const lock = checkedLock(said, file);
  // An entry that stands twice (a merge without marks) is gone after parsing, and so is one this
  // version does not know.
  if (bare(lockText(lock)) !== bare(text))
    throw refusal(
      file,
      'an entry stands twice, or is none that rowsmith writes',
      'keep one of the two, then run rowsmith check --update',
    );
  return lock;
}

const RESTORE =
  'restore it from version control; it is written by rowsmith check --update and not by hand';

/** How much there is besides white space: formatters and merges may move lines, not change them. */
function bare(text: string): number {
  return text.replace(/\s/g, '').length;
}

function checkedLock(said: unknown, file: string): Lock {
  const {
    'rowsmith-lock': version,
    tables,
    messages,
    enums,
  } = Object(said) as Readonly<Record<string, unknown>>;
  if (typeof version === 'number' && Number.isInteger(version) && version > lockVersion) {
    throw refusal(
      file,
      `the lock has version ${version}, and this rowsmith reads up to ${lockVersion}`,
      'install the version of rowsmith that wrote it, or a newer one',
    );
  }
  const sound =
    version === lockVersion &&
    recordOf(tables, isTable) &&
    recordOf(messages, isMessage) &&
    recordOf(enums, isEnum);
  if (!sound) throw refusal(file, 'it is JSON, but not a lock of rowsmith', RESTORE);
  return { version: lockVersion, tables, messages, enums } as unknown as Lock;
}

type Check = (value: unknown) => boolean;

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function recordOf(value: unknown, check: Check): boolean {
  return isRecord(value) && Object.values(value).every(check);
}

const isText: Check = (value) => typeof value === 'string';
const isColumn: Check = (value) =>
  isRecord(value) &&
  isText(value.family) &&
  isText(value.property) &&
  isText(value.type) &&
  (value.qualifier === undefined || isText(value.qualifier));
const isPart: Check = (value) =>
  isRecord(value) && (isText(value.literal) || (isText(value.segment) && isText(value.kind)));
const isField: Check = (value) => isRecord(value) && isText(value.name) && isText(value.type);
const isShards: Check = (value) =>
  value === undefined ||
  (isRecord(value) &&
    typeof value.count === 'number' &&
    Array.isArray(value.by) &&
    value.by.every(isText));
const isNumber: Check = (value) => typeof value === 'number';

function isEntity(value: unknown): boolean {
  if (!isRecord(value) || !isRecord(value.key) || !Array.isArray(value.columns)) return false;
  const { format, parts, shards } = value.key;
  return (
    isText(format) &&
    Array.isArray(parts) &&
    parts.every(isPart) &&
    isShards(shards) &&
    value.columns.every(isColumn)
  );
}

function isTable(value: unknown): boolean {
  return isRecord(value) && recordOf(value.families, isText) && recordOf(value.entities, isEntity);
}

function isMessage(value: unknown): boolean {
  return (
    isRecord(value) &&
    recordOf(value.fields, isField) &&
    (value.reserved === undefined || recordOf(value.reserved, isField))
  );
}

function isEnum(value: unknown): boolean {
  return (
    isRecord(value) &&
    recordOf(value.values, isNumber) &&
    (value.reserved === undefined || recordOf(value.reserved, isNumber))
  );
}

function refusal(file: string, problem: string, fix: string, cause?: unknown): RowsmithError {
  return new RowsmithError('FILE_FAILED', { file, problem, fix }, { cause });
}
