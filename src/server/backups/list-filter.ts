/**
 * The filter and the order of ListBackups (bigtable_table_admin.proto, ListBackupsRequest):
 * `(name:daily) AND (start_time < "2026-01-01T00:00:00Z")`.
 */
import type { FaultTexts } from '../../base/index.js';
import { backupState, requestError } from '../../engines/protocol/index.js';
import type { BackupContent } from '../resources/stored-backups.js';

type Test = (backup: BackupContent) => boolean;
type Value = string | number;

const stateNames = new Map<number | undefined, string>([
  [backupState.creating, 'CREATING'],
  [backupState.ready, 'READY'],
]);
const timeOf = (time: Date | undefined): number => time?.getTime() ?? 0;

/** The fields that filters and orders name. */
const fields = new Map<string, (backup: BackupContent) => Value>([
  ['name', ({ name = '' }) => name],
  ['source_table', ({ sourceTable = '' }) => sourceTable],
  ['state', ({ state }) => stateNames.get(state) ?? ''],
  ['start_time', ({ startTime }) => timeOf(startTime)],
  ['end_time', ({ endTime }) => timeOf(endTime)],
  ['expire_time', ({ expireTime }) => timeOf(expireTime)],
  ['size_bytes', ({ sizeBytes = 0n }) => Number(sizeBytes)],
]);

const operators: Readonly<Record<string, (a: Value, b: Value) => boolean>> = {
  '<': (a, b) => a < b,
  '>': (a, b) => a > b,
  '<=': (a, b) => a <= b,
  '>=': (a, b) => a >= b,
  '!=': (a, b) => a !== b,
  '=': (a, b) => a === b,
};

/** Strings in quotes, parentheses, operators, words. */
const token = /\s*("(?:[^"\\]|\\.)*"|[()]|<=|>=|!=|[<>=:]|[^\s()<>=:!"]+)/y;
/** Parentheses inside parentheses. */
const maxDepth = 20;
const maxFilterLength = 10_000;

/** Whether a backup passes the filter; an empty one passes all. */
export function backupFilter(filter = ''): Test {
  if (filter.length > maxFilterLength) throw requestError('filter', faults.notAFilter);
  const parser = new FilterParser(tokensOf(filter));
  return filter.trim() === '' ? () => true : parser.whole();
}

function tokensOf(text: string): string[] {
  const found: string[] = [];
  const trimmed = text.trimEnd();
  token.lastIndex = 0;
  while (token.lastIndex < trimmed.length) {
    const match = token.exec(trimmed);
    if (match === null) throw requestError('filter', faults.notAFilter);
    found.push(match[1]);
  }
  return found;
}

/** OR binds closer than AND, and expressions side by side are joined by AND (aip.dev/160). */
class FilterParser {
  #at = 0;
  #depth = 0;
  readonly #tokens: readonly string[];

  constructor(tokens: readonly string[]) {
    this.#tokens = tokens;
  }

  whole(): Test {
    const test = this.#all();
    if (this.#at < this.#tokens.length) throw requestError('filter', faults.notAFilter);
    return test;
  }

  #all(): Test {
    const tests = [this.#any()];
    while (this.#at < this.#tokens.length && this.#tokens[this.#at] !== ')') {
      this.#takes('AND');
      tests.push(this.#any());
    }
    return (backup) => tests.every((test) => test(backup));
  }

  #any(): Test {
    const tests = [this.#one()];
    while (this.#takes('OR')) tests.push(this.#one());
    return (backup) => tests.some((test) => test(backup));
  }

  #one(): Test {
    const isNegated = this.#takes('NOT');
    const test = this.#takes('(') ? this.#nested() : this.#comparison();
    return isNegated ? (backup) => !test(backup) : test;
  }

  #nested(): Test {
    if (++this.#depth > maxDepth) throw requestError('filter', faults.notAFilter);
    const test = this.#all();
    if (!this.#takes(')')) throw requestError('filter', faults.notAFilter);
    this.#depth--;
    return test;
  }

  #comparison(): Test {
    const field = this.#next().toLowerCase();
    const valueOf = fields.get(field);
    if (valueOf === undefined) throw requestError('filter', faults.unknownField(field));
    const operator = this.#next();
    const raw = this.#next();
    if (operator === ':') return hasTest(field, valueOf, raw);
    const compare = operators[operator];
    if (compare === undefined) throw requestError('filter', faults.notAFilter);
    const value = valueFor(field, raw);
    return (backup) => compare(folded(valueOf(backup)), value);
  }

  #takes(word: string): boolean {
    if (this.#tokens[this.#at]?.toUpperCase() !== word) return false;
    this.#at++;
    return true;
  }

  #next(): string {
    const next = this.#tokens[this.#at++];
    if (next === undefined || next === '(' || next === ')')
      throw requestError('filter', faults.notAFilter);
    return next;
  }
}

/** `:` with a word is "contains" for texts; with a string in quotes, and for the rest, "equals". */
function hasTest(field: string, valueOf: (backup: BackupContent) => Value, raw: string): Test {
  const value = valueFor(field, raw);
  const contains = typeof value === 'string' && field !== 'state' && !raw.startsWith('"');
  if (!contains) return (backup) => folded(valueOf(backup)) === value;
  return (backup) => String(folded(valueOf(backup))).includes(value);
}

/** Filters are case insensitive. */
function folded(value: Value): Value {
  return typeof value === 'string' ? value.toLowerCase() : value;
}

function valueFor(field: string, raw: string): Value {
  const text = raw.startsWith('"') ? raw.slice(1, -1).replace(/\\(.)/g, '$1') : raw;
  let value: Value = text.toLowerCase();
  if (field.endsWith('_time')) value = Date.parse(text);
  if (field === 'size_bytes') value = text === '' ? Number.NaN : Number(text);
  if (Number.isNaN(value)) throw requestError('filter', faults.notAValue(field, text));
  return value;
}

/** Compares backups by `order_by`, and then by name. Without one, the newest comes first. */
export function backupOrder(orderBy = ''): (a: BackupContent, b: BackupContent) => number {
  const parts = orderBy.trim() === '' ? ['start_time desc'] : orderBy.split(',');
  const keys = parts.map((part) => {
    const [, field = '', direction = 'asc'] =
      /^\s*([a-z_]+)(?:\s+(asc|desc))?\s*$/i.exec(part) ?? [];
    const valueOf = fields.get(field);
    if (valueOf === undefined) throw requestError('order_by', faults.unknownOrder(part.trim()));
    return { valueOf, sign: direction.toLowerCase() === 'desc' ? -1 : 1 };
  });
  keys.push({ valueOf: fields.get('name')!, sign: 1 });
  return (a, b) => {
    for (const { valueOf, sign } of keys) {
      const [x, y] = [valueOf(a), valueOf(b)];
      if (x !== y) return x < y ? -sign : sign;
    }
    return 0;
  };
}

const faults = {
  notAFilter: {
    problem: 'The filter is not of the form FIELD OPERATOR VALUE, or several in parentheses',
  },
  unknownField: (field: string) => ({
    problem: `Backups are not filtered by '${field}'`,
  }),
  notAValue: (field: string, value: string) => ({
    problem: `'${value}' is not a value of ${field}`,
  }),
  unknownOrder: (part: string) => ({
    problem: `'${part}' is not a field of backups, with or without 'desc'`,
  }),
} satisfies FaultTexts;
