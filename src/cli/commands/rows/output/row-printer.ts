/** Prints rows: a table for people, JSON Lines for programs. */
import { countText } from '../../../../base/index.js';
import { entityJson, type EntityModel } from '../../../../entities/model/index.js';
import { escapeControls } from '../../../terminal/escape.js';
import { Table } from '../../../terminal/table.js';
import type { Terminal } from '../../../terminal/terminal.js';

/** A row as JSON, or as another plain object. */
export type PrintedRow = Readonly<Record<string, unknown>>;

/** A column of a table: a property of the rows, or what a function finds in them. */
export type TableColumn =
  string | { readonly name: string; readonly of: (row: PrintedRow) => unknown };

/** The JSON of rows, by the options that choose what is printed. */
export const rowShapes = {
  '': '{ [property: string]: unknown }',
  '--raw': `{ key: string, cells: { family: string, qualifier: string, at: string,
    value: string }[] }`,
  '--history': `{ key: { [segment: string]: unknown }, property: string, entry?: string,
    at: string, value: unknown }`,
};

/** Pads each field to its column. Storage may return pages of a single row. */
const measuredRows = 100;

/** Prints rows as they are read. Call `end` after the last one, also if the read has failed. */
export class RowPrinter {
  readonly #terminal: Terminal;
  readonly #columns: readonly TableColumn[];
  readonly #table: Table;
  #rows = 0;
  /** Rows that are not printed yet. */
  #held: PrintedRow[] = [];

  /** `columns` are for a table; JSON has all properties of the rows. */
  constructor(
    terminal: Terminal,
    columns: readonly TableColumn[],
    { wide }: { readonly wide: boolean },
  ) {
    this.#terminal = terminal;
    this.#columns = columns;
    const names = columns.map((each) => (typeof each === 'string' ? each : each.name));
    this.#table = new Table(names, {
      width: wide ? Infinity : terminal.width,
      heading: (text) => terminal.style.bold(text),
    });
  }

  print(rows: readonly PrintedRow[]): void {
    this.#rows += rows.length;
    if (!this.#terminal.isForPeople) {
      for (const row of rows) this.#terminal.writeJsonLine(row);
      return;
    }
    this.#held.push(...rows);
    if (this.#rows >= measuredRows) this.#flush();
  }

  /** What a table does not show, on standard error; `none` if there were no rows. */
  end(none = 'no rows'): void {
    if (!this.#terminal.isForPeople) return;
    this.#flush();
    const { hidden } = this.#table;
    if (this.#rows === 0) this.#terminal.note(none);
    else if (hidden.length > 0)
      this.#terminal.note(
        `${countText(hidden.length, 'column')} not shown: ${hidden.join(', ')}; --wide shows all`,
      );
  }

  #flush(): void {
    if (this.#held.length === 0) return;
    const cells = this.#held.map((row) =>
      this.#columns.map((each) => cellText(typeof each === 'string' ? row[each] : each.of(row))),
    );
    this.#held = [];
    for (const line of this.#table.lines(cells)) this.#terminal.print(line);
  }
}

/** Both columns are shown from this width on. */
const minPropertyWidth = 20;

/** One row for people: a line for each property. */
export function printProperties(
  terminal: Terminal,
  row: PrintedRow,
  { wide }: { readonly wide: boolean },
): void {
  const lines = Object.entries(row).map(([name, value]) => [name, cellText(value)]);
  const table = new Table(['property', 'value'], {
    width: wide ? Infinity : Math.max(terminal.width, minPropertyWidth),
    heading: (text) => terminal.style.bold(text),
  });
  for (const line of table.lines(lines)) terminal.print(line);
}

/** A value in a cell of a table: one line, without control characters. */
export function cellText(value: unknown): string {
  if (value === undefined) return '';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return escapeControls(text, false).replaceAll('\n', '\\n').replaceAll('\t', '\\t');
}

/** The properties of an entity in the order of a table. */
export function tableNames(model: EntityModel, select: readonly string[]): readonly string[] {
  const columns = model.columns.map(({ property }) => property);
  const wanted = select.length === 0 ? columns : columns.filter((name) => select.includes(name));
  return [...model.segments.map(({ property }) => property), ...wanted];
}

/** A row in its JSON form, with the selected properties, or all. */
export function selectedJson(
  model: EntityModel,
  select: readonly string[],
  row: object,
): PrintedRow {
  const json = entityJson(model).format(row) as Record<string, unknown>;
  if (select.length === 0) return json;
  const names = tableNames(model, select);
  return Object.fromEntries(Object.entries(json).filter(([name]) => names.includes(name)));
}
