/** Rows as an aligned table, cut to the width of the terminal. */
import { cutText, textWidth } from './text-width.js';

/** How a table is laid out. */
export interface TableOptions {
  /** Maximum width of a line; Infinity cuts nothing. */
  readonly width: number;
  /** The style of the names. */
  readonly heading: (text: string) => string;
}

const gap = '  ';
/** A column that is cut keeps at least this width, unless its content is narrower. */
const minWidth = 8;

/**
 * Lays out lines of cells. The first lines give the widths, so that later ones can be
 * printed while they are read.
 */
export class Table {
  readonly #names: readonly string[];
  readonly #options: TableOptions;
  #widths: readonly number[] | undefined;

  constructor(names: readonly string[], options: TableOptions) {
    this.#names = names;
    this.#options = options;
  }

  /** Names of columns that do not fit; none before the first lines. */
  get hidden(): readonly string[] {
    return this.#names.slice(this.#widths?.length ?? this.#names.length);
  }

  /** The lines of these rows; the first call adds the names. Cells contain no line breaks. */
  lines(rows: readonly (readonly string[])[]): string[] {
    const lines = rows.map((row) => row.map((cell) => cell));
    if (this.#widths !== undefined) return lines.map((row) => this.#line(row));
    this.#widths = fit(naturalWidths([this.#names, ...lines]), this.#options.width);
    return [this.#options.heading(this.#line(this.#names)), ...lines.map((row) => this.#line(row))];
  }

  #line(cells: readonly string[]): string {
    const limited = this.#options.width !== Infinity;
    const padded = this.#widths!.map((width, i) => {
      const cell = limited ? cutText(cells[i], width) : cells[i];
      return cell + ' '.repeat(Math.max(0, width - textWidth(cell)));
    });
    return padded.join(gap).trimEnd();
  }
}

function naturalWidths(rows: readonly (readonly string[])[]): number[] {
  const [names] = rows;
  return names.map((_, i) => rows.reduce((width, row) => Math.max(width, textWidth(row[i])), 1));
}

/** The widths of as many columns as fit, the widest of them cut. */
function fit(natural: readonly number[], width: number): readonly number[] {
  const least = natural.map((each) => Math.min(each, minWidth));
  let shown = natural.length;
  while (shown > 1 && total(least.slice(0, shown)) > width) shown--;
  let low = minWidth;
  let high = Math.max(minWidth, ...natural.slice(0, shown));
  const cutAt = (limit: number): number[] =>
    natural.slice(0, shown).map((each) => Math.min(each, limit));
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (total(cutAt(middle)) <= width) low = middle;
    else high = middle - 1;
  }
  return cutAt(low);
}

function total(widths: readonly number[]): number {
  return widths.reduce((sum, width) => sum + width, 0) + gap.length * (widths.length - 1);
}
