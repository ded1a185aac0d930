/**
 * The text of `rowsmith.lock.json`: sorted, with one entry per line, so that version control can
 * merge independent additions.
 */
import { fileFailed, isRecord, type FaultTexts } from '../../../base/index.js';
import {
  entriesByName,
  type Lock,
  type LockedColumn,
  type LockedEntity,
  type LockedEnum,
  type LockedKey,
  type LockedMessage,
  type LockedTable,
  lockVersion,
} from './lock.js';

type Lines = readonly string[];
type Entry = readonly [name: string, lines: Lines];

/** The text of a lock, with a trailing line break. The same lock has the same text. */
export function lockText(lock: Lock): string {
  const lines = objectLines([
    ['rowsmith-lock', [String(lock.version)]],
    ['tables', mapLines(lock.tables, tableLines)],
    ['messages', mapLines(lock.messages, messageLines)],
    ['enums', mapLines(lock.enums, enumLines)],
  ]);
  return `${lines.join('\n')}\n`;
}

function tableLines({ families, entities }: LockedTable): Lines {
  return objectLines([
    ['families', mapLines(families, singleLine)],
    ['entities', mapLines(entities, entityLines)],
  ]);
}

function entityLines(entity: LockedEntity): Lines {
  const { removed, key, marker, columns, indexes, rollups, copies } = entity;
  const entries: Entry[] = [];
  if (removed !== undefined) entries.push(['removed', ['true']]);
  entries.push(['key', keyLines(key)]);
  if (marker !== undefined) entries.push(['marker', singleLine(marker)]);
  entries.push(['columns', listLines([...columns].sort(byName).map(singleLine))]);
  if (indexes !== undefined) entries.push(['indexes', mapLines(indexes, singleLine)]);
  if (rollups !== undefined) entries.push(['rollups', mapLines(rollups, singleLine)]);
  if (copies !== undefined) entries.push(['copies', mapLines(copies, singleLine)]);
  return objectLines(entries);
}

function keyLines({ format, shards, parts }: LockedKey): Lines {
  const entries: Entry[] = [['format', singleLine(format)]];
  if (shards !== undefined) entries.push(['shards', singleLine(shards)]);
  entries.push(['parts', listLines(parts.map(singleLine))]);
  return objectLines(entries);
}

/** By family, then by qualifier. */
function byName(a: LockedColumn, b: LockedColumn): number {
  if (a.family !== b.family) return a.family < b.family ? -1 : 1;
  return (a.qualifier ?? '') < (b.qualifier ?? '') ? -1 : 1;
}

function messageLines({ fields, reserved }: LockedMessage): Lines {
  const entries: Entry[] = [['fields', mapLines(fields, singleLine)]];
  if (reserved !== undefined) entries.push(['reserved', mapLines(reserved, singleLine)]);
  return objectLines(entries);
}

function enumLines({ values, reserved }: LockedEnum): Lines {
  const entries: Entry[] = [['values', memberLines(values)]];
  if (reserved !== undefined) entries.push(['reserved', memberLines(reserved)]);
  return objectLines(entries);
}

/** The members of an enum, sorted by number, then by name. */
function memberLines(members: Readonly<Record<string, number>>): Lines {
  const sorted = Object.entries(members).sort(([nameA, a], [nameB, b]) => {
    if (a !== b) return a - b;
    return nameA < nameB ? -1 : 1;
  });
  return objectLines(sorted.map(([name, number]) => [name, [String(number)]]));
}

/** A value on one line: `{ "name": "firmware", "type": "string" }`. */
function singleLine(value: unknown): Lines {
  return [inlineText(value)];
}

function inlineText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(inlineText).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const entries = Object.entries(value)
    .filter(([, inner]) => inner !== undefined)
    .map(([name, inner]) => `${JSON.stringify(name)}: ${inlineText(inner)}`);
  if (entries.length === 0) return '{}';
  return `{ ${entries.join(', ')} }`;
}

function objectLines(entries: readonly Entry[]): Lines {
  return bracketed(
    '{',
    '}',
    entries.map(([name, [first, ...rest]]) => [`${JSON.stringify(name)}: ${first}`, ...rest]),
  );
}

/** An object with data as names: sorted by name, numbers numerically. */
function mapLines<T>(values: Readonly<Record<string, T>>, lines: (value: T) => Lines): Lines {
  const entries = Object.entries(values).sort(([a], [b]) => compareNames(a, b));
  return objectLines(entries.map(([name, value]) => [name, lines(value)]));
}

function compareNames(a: string, b: string): number {
  const digits = /^\d+$/;
  if (digits.test(a) && digits.test(b)) return Number(a) - Number(b);
  return a < b ? -1 : 1;
}

function listLines(items: readonly Lines[]): Lines {
  return bracketed('[', ']', items);
}

function bracketed(open: string, close: string, items: readonly Lines[]): Lines {
  if (items.length === 0) return [open + close];
  const lines = items.flatMap((item, i) => {
    const last = item.length - 1;
    const separator = i < items.length - 1 ? ',' : '';
    return [...item.slice(0, last), item[last] + separator];
  });
  return [open, ...lines.map((line) => `  ${line}`), close];
}

/**
 * Parses the text of a lock file. Throws FILE_FAILED for merge conflicts, damage, duplicate
 * entries, and a lock of a newer version. `file` is for the errors.
 */
export function parseLock(text: string, file = 'rowsmith.lock.json'): Lock {
  const conflict = text.split('\n').findIndex((line) => /^(<{7}|={7}|>{7}|\|{7})( |$)/.test(line));
  if (conflict >= 0) {
    throw fileFailed(file, faults.mergeConflict(conflict + 1));
  }
  let value: unknown;
  try {
    value = JSON.parse(text, withoutPrototype);
  } catch (cause) {
    throw fileFailed(file, faults.notJson((cause as Error).message), cause);
  }
  const lock = checkedLock(value, file);
  // A duplicate entry (from a merge without conflicts) disappears in JSON.parse, and an entry that
  // this version does not know disappears in lockText.
  if (contentLength(lockText(lock)) !== contentLength(text))
    throw fileFailed(file, faults.wrongEntry);
  return lock;
}

const restoreFix =
  'restore it from version control; it is written by rowsmith check --update and not by hand';

/** Length without white space: formatters and merges may move lines, but not change them. */
function contentLength(text: string): number {
  return text.replace(/\s/g, '').length;
}

function checkedLock(value: unknown, file: string): Lock {
  const {
    'rowsmith-lock': version,
    tables,
    messages,
    enums,
  } = Object(value) as Readonly<Record<string, unknown>>;
  if (typeof version === 'number' && Number.isInteger(version) && version > lockVersion) {
    throw fileFailed(file, faults.newerVersion(version));
  }
  const valid =
    version === lockVersion &&
    recordOf(tables, isTable) &&
    recordOf(messages, isMessage) &&
    recordOf(enums, isEnum);
  if (!valid) throw fileFailed(file, faults.notALock);
  return { version: lockVersion, tables, messages, enums } as unknown as Lock;
}

function withoutPrototype(_name: string, value: unknown): unknown {
  return isRecord(value) ? entriesByName(Object.entries(value)) : value;
}

type Check = (value: unknown) => boolean;

function recordOf(value: unknown, check: Check): boolean {
  return isRecord(value) && Object.values(value).every(check);
}

const isText: Check = (value) => typeof value === 'string';
const isColumn: Check = (value) =>
  isRecord(value) &&
  isText(value.family) &&
  isText(value.property) &&
  isText(value.type) &&
  (value.qualifier === undefined || isText(value.qualifier)) &&
  (value.qualifiers === undefined || (isRecord(value.qualifiers) && isText(value.qualifiers.kind)));
const isPart: Check = (value) =>
  isRecord(value) && (isText(value.literal) || (isText(value.segment) && isText(value.kind)));
const isField: Check = (value) => isRecord(value) && isText(value.name) && isText(value.type);
const isShards: Check = (value) =>
  value === undefined ||
  (isRecord(value) &&
    typeof value.count === 'number' &&
    Array.isArray(value.by) &&
    value.by.every(isText));
const isIndex: Check = (value) =>
  isRecord(value) &&
  isText(value.id) &&
  isText(value.table) &&
  Array.isArray(value.parts) &&
  value.parts.every(isPart) &&
  (value.covered === undefined || (Array.isArray(value.covered) && value.covered.every(isText)));
const isCopy: Check = (value) =>
  isRecord(value) && isText(value.entity) && isText(value.property) && recordOf(value.by, isText);
const isNumber: Check = (value) => typeof value === 'number';
const isRollup: Check = (value) =>
  isRecord(value) &&
  isText(value.table) &&
  Array.isArray(value.parts) &&
  value.parts.every(isPart) &&
  isNumber(value.seconds) &&
  Array.isArray(value.cells) &&
  value.cells.every(isText);

function isEntity(value: unknown): boolean {
  if (!isRecord(value) || !isRecord(value.key) || !Array.isArray(value.columns)) return false;
  const { format, parts, shards } = value.key;
  return (
    isText(format) &&
    Array.isArray(parts) &&
    parts.every(isPart) &&
    isShards(shards) &&
    value.columns.every(isColumn) &&
    (value.indexes === undefined || recordOf(value.indexes, isIndex)) &&
    (value.rollups === undefined || recordOf(value.rollups, isRollup)) &&
    (value.copies === undefined || recordOf(value.copies, isCopy))
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

const faults = {
  mergeConflict: (conflict: number) => ({
    problem: `line ${conflict} is a merge conflict marker`,
    fix:
      'keep the lines of both sides; if both gave one number to two fields, ' +
      'give the field of your branch another number in @Field, and run rowsmith check --update',
  }),
  notJson: (message: string) => ({ problem: `it is not JSON: ${message}`, fix: restoreFix }),
  wrongEntry: {
    problem: 'an entry is a duplicate, or was not written by rowsmith',
    fix: 'keep one of the duplicates, then run rowsmith check --update',
  },
  newerVersion: (version: number) => ({
    problem: `the lock has version ${version}, and this version of rowsmith reads up to ${lockVersion}`,
    fix: 'install the version of rowsmith that wrote it, or a newer one',
  }),
  notALock: { problem: 'it is JSON, but not a lock file of rowsmith', fix: restoreFix },
} satisfies FaultTexts;
