/** What an edit changes: typed text against the values that were shown. */
import type { JsonValue } from '../../protocol/json.js';
import type { ColumnInfo } from '../../protocol/schema.js';
import { textToType, typedValue } from '../query/typed-value.js';

export type Texts = Readonly<Record<string, string | undefined>>;
export type Values = Readonly<Record<string, JsonValue>>;

export interface Changes {
  readonly set: Values;
  /** The values that were shown of what is changed. */
  readonly shown: Values;
  readonly problems: Readonly<Record<string, string>>;
}

/** Whether a property is edited as JSON. */
export const isJsonColumn = ({ role, kind }: ColumnInfo): boolean =>
  role === 'columnMap' || role === 'versions' || kind === 'message' || kind === 'json';

export const kindToType = (column: ColumnInfo): string =>
  isJsonColumn(column) ? 'json' : column.kind;

/** The text of each property; undefined for no value. */
export function textsOf(columns: readonly ColumnInfo[], values: Values, zone: string): Texts {
  const texts: Record<string, string | undefined> = {};
  for (const column of columns) {
    const value = values[column.name] ?? null;
    texts[column.name] = value === null ? undefined : textToType(value, kindToType(column), zone);
  }
  return texts;
}

/** The properties with other text than was shown. */
export function changesOf(
  columns: readonly ColumnInfo[],
  before: Texts,
  values: Values,
  after: Texts,
  zone: string,
): Changes {
  const set: Record<string, JsonValue> = {};
  const shown: Record<string, JsonValue> = {};
  const problems: Record<string, string> = {};
  for (const column of columns) {
    const { name, role } = column;
    const text = after[name];
    if (text === before[name]) continue;
    const typed = text === undefined ? { value: null } : typedValue(text, kindToType(column), zone);
    const old = values[name] ?? null;
    if ('problem' in typed) problems[name] = typed.problem;
    else if (role === 'columnMap') addEntries(name, typed.value, old, set, shown);
    else if (JSON.stringify(typed.value) !== JSON.stringify(old))
      [set[name], shown[name]] = [typed.value, old];
  }
  return { set, shown, problems };
}

/** Of a map, only the entries that differ; null deletes one. */
function addEntries(
  name: string,
  after: JsonValue,
  before: JsonValue,
  set: Record<string, JsonValue>,
  shown: Record<string, JsonValue>,
): void {
  const [next, old] = [(after ?? {}) as Values, (before ?? {}) as Values];
  const keys = new Set([...Object.keys(next), ...Object.keys(old)]);
  const changed = [...keys].filter((key) => JSON.stringify(next[key]) !== JSON.stringify(old[key]));
  if (changed.length === 0) return;
  set[name] = Object.fromEntries(changed.map((key) => [key, next[key] ?? null]));
  shown[name] = Object.fromEntries(changed.map((key) => [key, old[key] ?? null]));
}
