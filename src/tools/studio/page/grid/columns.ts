/** Columns of the table: those of the query, with the fields of messages unfolded. */
import type { Cut, JsonValue } from '../../protocol/json.js';
import type { RowView } from '../../protocol/query.js';
import type { ColumnInfo, MessageInfo } from '../../protocol/schema.js';
import { bytesText, grouped } from '../format/numbers.js';
import { clipped, isNumeric, isTime, valueText, visible } from '../format/value.js';

export interface GridColumn {
  readonly id: string;
  readonly label: string;
  readonly kind: string;
  readonly info: ColumnInfo;
  /** Position among the values of a row, and the way into the value. */
  readonly at: number;
  readonly path: readonly string[];
}

/** What a cell of the table shows. */
export interface CellText {
  readonly text: string;
  /** `none`: no value; `empty`: text without characters; `cut`: more is stored than is shown. */
  readonly look?: 'none' | 'empty' | 'cut' | undefined;
  readonly note?: string | undefined;
}

const unfoldedDepth = 2;
const textLength = 300;

/** The columns of a result; without `unfold` a message is one column. */
export function gridColumns(
  columns: readonly ColumnInfo[],
  messages: readonly MessageInfo[],
  unfold: boolean,
): readonly GridColumn[] {
  return columns.flatMap((info, at): readonly GridColumn[] => {
    const { name, kind } = info;
    const whole = { id: name, label: name, kind, info, at, path: [] };
    if (!unfold || info.message === undefined || isRepeated(info)) return [whole];
    return unfolded(whole, info.message, messages, unfoldedDepth);
  });
}

const isRepeated = ({ role }: ColumnInfo): boolean => role === 'columnMap' || role === 'versions';

function unfolded(
  parent: GridColumn,
  message: string,
  messages: readonly MessageInfo[],
  depth: number,
): readonly GridColumn[] {
  const found = messages.find(({ name }) => name === message);
  if (found === undefined || found.fields.length === 0 || depth === 0) return [parent];
  return found.fields.flatMap(({ name, type }) => {
    const id = `${parent.id}.${name}`;
    const column = { ...parent, id, label: id, kind: type, path: [...parent.path, name] };
    return unfolded(column, type, messages, depth - 1);
  });
}

/** The text of a cell. */
export function cellText(row: RowView, column: GridColumn, zone: string): CellText {
  const value = valueAt(row.values[column.at] ?? null, column.path);
  if (value === null) return { text: '', look: 'none' };
  if (value === '') return { text: '""', look: 'empty' };
  const cut = cutOf(row.cuts, column);
  const note = cut === undefined ? undefined : sizeText(cut);
  const look = cut === undefined ? undefined : 'cut';
  if (column.path.length === 0 && column.info.role === 'versions')
    return { ...versionsText(value, column, zone), look };
  if (column.path.length === 0 && column.info.role === 'columnMap')
    return { ...mapText(value, column, zone), look };
  return { text: clipped(lineOf(value, column.kind, zone), textLength), note, look };
}

/** A value as one line; fields of messages without the quotes of JSON. */
function lineOf(value: JsonValue, kind: string, zone: string): string {
  if (typeof value !== 'object' || value === null) return valueText(value, kind, zone);
  if (Array.isArray(value)) return `[${value.map((each) => quoted(each as JsonValue)).join(', ')}]`;
  return Object.entries(value)
    .map(([name, each]) => `${visible(name)}: ${quoted(each)}`)
    .join(', ');
}

function quoted(value: JsonValue): string {
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return `{ ${lineOf(value, 'message', 'UTC')} }`;
  return visible(JSON.stringify(value));
}

function versionsText(value: JsonValue, column: GridColumn, zone: string): CellText {
  const versions = value as readonly { readonly at: string; readonly value: JsonValue }[];
  if (versions.length === 0) return { text: '', look: 'none' };
  const text = clipped(lineOf(versions[0].value, column.kind, zone), textLength);
  return { text, note: versions.length > 1 ? `${versions.length} versions` : undefined };
}

function mapText(value: JsonValue, column: GridColumn, zone: string): CellText {
  const entries = Object.entries(value as Readonly<Record<string, JsonValue>>);
  const shown = entries
    .slice(0, 12)
    .map(([key, each]) => `${visible(key)}: ${lineOf(each, column.kind, zone)}`);
  return { text: clipped(shown.join(', '), textLength), note: `${grouped(entries.length)}` };
}

export const sizeText = (cut: Cut): string =>
  cut.kind === 'bytes' || cut.kind === 'text' ? bytesText(cut.size) : grouped(cut.size);

function cutOf(cuts: readonly Cut[] | undefined, column: GridColumn): Cut | undefined {
  const way = [column.info.name, ...column.path];
  return cuts?.find(({ path }) => way.every((part, i) => path[i] === part));
}

/** The value of a field; null if a message on the way is absent. */
function valueAt(value: JsonValue, path: readonly string[]): JsonValue {
  let found: JsonValue | undefined = value;
  for (const name of path) {
    if (typeof found !== 'object' || found === null) return null;
    found = (found as Readonly<Record<string, JsonValue>>)[name];
  }
  return found ?? null;
}

function widthLimits(kind: string): readonly [number, number] {
  if (isNumeric(kind)) return [6, 22];
  // A uuid has 36 characters, and a cell two of margin.
  return [8, kind === 'message' ? 72 : 38];
}

/** Width in characters that suits the first rows. */
export function widthOf(column: GridColumn, rows: readonly RowView[], zone: string): number {
  const [least, most] = widthLimits(column.kind);
  if (isTime(column.kind)) return Math.max(21, column.label.length + 3);
  const lengths = rows.map((row) => {
    const { text, note } = cellText(row, column, zone);
    return text.length + (note === undefined ? 0 : note.length + 3);
  });
  const needed = Math.max(column.label.length + 3, ...lengths.map((length) => length + 2));
  return Math.min(most, Math.max(least, needed));
}
