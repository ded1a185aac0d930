/** Values as JSON for the page: large parts are cut, and told of. */
import { latin1Text } from '../../../base/index.js';
import type { FieldShape, MessageShape } from '../../../data/cell/index.js';
import { cellTextForm, entryKeyText, segmentTextForms } from '../../../data/text/index.js';
import type { ColumnModel, SegmentModel } from '../../../entities/model/index.js';
import type { Cut, JsonValue } from '../protocol/json.js';
import { columnKind } from './schema-info.js';

/** How much of a value is shown, in the units of `Cut`. */
export interface ShownLimits {
  readonly text: number;
  readonly bytes: number;
  readonly elements: number;
  /** All text of a row together, in UTF-16 units; then each text keeps `least`. */
  readonly row: number;
}

/** In lists of rows. */
export const rowLimits: ShownLimits = { text: 2_000, bytes: 1_024, elements: 50, row: 65_536 };
/** In one row. */
export const detailLimits: ShownLimits = {
  text: 100_000,
  bytes: 65_536,
  elements: 1_000,
  row: 4_194_304,
};
/** What is left of a text when the row has no room. */
const least = 64;

type Path = readonly (string | number)[];

/** The values of one row that are shown. */
export class ShownRow {
  readonly cuts: Cut[] = [];
  #left: number;

  constructor(readonly limits: ShownLimits) {
    this.#left = limits.row;
  }

  text(value: string, path: Path): string {
    const limit = Math.min(this.limits.text, Math.max(this.#left, least));
    if (value.length <= limit) return this.#take(value);
    const shown = endsInPair(value, limit) ? limit - 1 : limit;
    this.cuts.push({ path, kind: 'text', size: value.length, shown });
    return this.#take(value.slice(0, shown));
  }

  bytes(value: Uint8Array, path: Path): string {
    // Three bytes are four characters.
    const room = Math.floor((Math.max(this.#left, least) / 4) * 3);
    const shown = Math.min(value.length, this.limits.bytes, room);
    if (shown < value.length) this.cuts.push({ path, kind: 'bytes', size: value.length, shown });
    const part = Buffer.from(value.buffer, value.byteOffset, shown);
    return this.#take(part.toString('base64'));
  }

  /** How many elements of a list, or entries of a map, are shown. */
  elements(size: number, kind: 'list' | 'map', path: Path): number {
    const shown = Math.min(size, this.#left > 0 ? this.limits.elements : 1);
    if (shown < size) this.cuts.push({ path, kind, size, shown });
    return shown;
  }

  #take(text: string): string {
    this.#left -= text.length;
    return text;
  }
}

/** Whether a cut after so many units would halve a character. */
function endsInPair(text: string, units: number): boolean {
  const last = text.charCodeAt(units - 1);
  return last >= 0xd800 && last < 0xdc00;
}

/** Shows a value of one property. */
export type ShowValue = (value: unknown, row: ShownRow) => JsonValue;

/** Shows the values of a segment, which are small. */
export function segmentShower({ type }: SegmentModel): ShowValue {
  const form = segmentTextForms[type.kind];
  return (value) =>
    value === null || value === undefined ? null : (form.format(value) as JsonValue);
}

/** Shows the values of a column; null for none. */
export function columnShower(column: ColumnModel): ShowValue {
  const { property } = column;
  const cell = cellShower(column);
  switch (column.kind) {
    case 'columnMap': {
      const name = entryKeyText(column.qualifiers);
      return (value, row) => showMap(value, row, property, name, cell);
    }
    case 'versions':
      return (value, row) => {
        if (value === undefined || value === null) return null;
        const versions = value as readonly { readonly at: Date; readonly value: unknown }[];
        const shown = row.elements(versions.length, 'list', [property]);
        return versions.slice(0, shown).map((version, i) => ({
          at: version.at.toISOString(),
          value: cell(version.value, row, [property, i, 'value']),
        }));
      };
    default:
      return (value, row) =>
        value === undefined || value === null ? null : cell(value, row, [property]);
  }
}

type ShowCell = (value: unknown, row: ShownRow, path: Path) => JsonValue;

function showMap(
  value: unknown,
  row: ShownRow,
  property: string,
  name: (key: unknown) => string,
  cell: ShowCell,
): JsonValue {
  if (value === undefined || value === null) return null;
  // What `select` returns of parts of maps.
  if (typeof value === 'number') return value;
  if (Array.isArray(value)) return value.map(name);
  const map = value as ReadonlyMap<unknown, unknown>;
  let left = row.elements(map.size, 'map', [property]);
  // Without a prototype: a qualifier may be `__proto__`.
  const output = Object.create(null) as Record<string, JsonValue>;
  for (const [key, entry] of map) {
    if (left-- === 0) break;
    const text = name(key);
    output[text] = cell(entry, row, [property, text]);
  }
  return output;
}

/** Shows the value of one cell of a column. */
export function cellShower(column: ColumnModel): ShowCell {
  const { codec, message } = column;
  const form = cellTextForm(column);
  if (message !== undefined)
    return (value, row, path) => showJson(form.format(value), row, path, message);
  switch (columnKind(column)) {
    case 'string':
      return (value, row, path) => row.text(value as string, path);
    case 'bytes':
      return (value, row, path) => row.bytes(value as Uint8Array, path);
    case 'json':
      return (value, row, path) => showJson(form.format(value), row, path);
    case 'custom':
      return (value, row, path) => row.bytes(codec.encode(value), path);
    default:
      return (value) => form.format(value) as JsonValue;
  }
}

/** Shows JSON; `shape` tells which texts are bytes. */
function showJson(value: unknown, row: ShownRow, path: Path, shape?: MessageShape): JsonValue {
  if (typeof value === 'string') return row.text(value, path);
  if (typeof value !== 'object' || value === null) return value as JsonValue;
  if (Array.isArray(value))
    return showList(value, row, path, (each, to) => showJson(each, row, to));
  const entries = Object.entries(value);
  const shown = row.elements(entries.length, 'map', path);
  const output = Object.create(null) as Record<string, JsonValue>;
  for (const [name, each] of entries.slice(0, shown)) {
    const field = shape?.fields.find((candidate) => candidate.name === name);
    const to = [...path, name];
    output[name] = field === undefined ? showJson(each, row, to) : showField(each, row, to, field);
  }
  return output;
}

function showList(
  list: readonly unknown[],
  row: ShownRow,
  path: Path,
  show: (each: unknown, path: Path) => JsonValue,
): JsonValue {
  const shown = row.elements(list.length, 'list', path);
  return list.slice(0, shown).map((each, i) => show(each, [...path, i]));
}

function showField(value: unknown, row: ShownRow, path: Path, field: FieldShape): JsonValue {
  const element = (each: unknown, to: Path): JsonValue => {
    const { type } = field;
    if (type.kind === 'message') return showJson(each, row, to, type.shape());
    if (type.kind === 'scalar' && type.scalar === 'bytes')
      return row.bytes(Buffer.from(each as string, 'base64'), to);
    return showJson(each, row, to);
  };
  switch (field.label) {
    case 'repeated':
      return showList(value as readonly unknown[], row, path, element);
    case 'map':
      // Pairs, which keep their order.
      return showList(value as readonly unknown[], row, path, (pair, to) => {
        const [key, each] = pair as [JsonValue, unknown];
        return [key, element(each, [...to, 1])];
      });
    default:
      return element(value, path);
  }
}

/** A qualifier, for maps of columns. */
export function cellColumn(family: string, qualifier: Uint8Array): string {
  return `${family}:${latin1Text(qualifier)}`;
}
