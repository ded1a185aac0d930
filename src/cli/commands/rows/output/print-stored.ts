/** Prints stored rows: as cells with --raw, or a line for each version with --history. */
import type { EntityModel } from '../../../../entities/model/index.js';
import type { Row } from '../../../../data/store/index.js';
import type { Terminal } from '../../../terminal/terminal.js';
import { historyLines } from './history.js';
import { cbtLines, rawJson } from './raw-text.js';
import { type PrintedRow, RowPrinter } from './row-printer.js';

/** Prints pages of stored rows. */
export interface StoredPrinter {
  print(rows: readonly Row[]): void;
  end(none: string): void;
}

/** What of stored rows is printed. */
export interface StoredOptions {
  readonly raw: boolean;
  readonly select: readonly string[];
  readonly wide: boolean;
}

/** The printer of a read with --raw or --history. */
export function storedPrinter(
  terminal: Terminal,
  model: EntityModel,
  { raw, select, wide }: StoredOptions,
): StoredPrinter {
  if (raw) return new RawPrinter(terminal);
  const lines = historyLines(model, select);
  const hasMaps = model.columns.some(({ kind }) => kind === 'columnMap');
  const segments = model.segments.map(({ property: name }) => ({
    name,
    of: ({ key }: PrintedRow) => (key as PrintedRow)[name],
  }));
  const version = { name: 'version', of: ({ at }: PrintedRow) => at };
  const columns = [...segments, 'property', ...(hasMaps ? ['entry'] : []), version, 'value'];
  const printer = new RowPrinter(terminal, columns, { wide });
  return {
    print: (rows) => printer.print(rows.flatMap(lines)),
    end: (none) => printer.end(none),
  };
}

class RawPrinter implements StoredPrinter {
  readonly #terminal: Terminal;
  #rows = 0;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  print(rows: readonly Row[]): void {
    this.#rows += rows.length;
    for (const row of rows) {
      if (this.#terminal.isForPeople) this.#terminal.print(cbtLines(row).join('\n'));
      else this.#terminal.writeJsonLine(rawJson(row));
    }
  }

  end(none: string): void {
    if (this.#rows === 0 && this.#terminal.isForPeople) this.#terminal.note(none);
  }
}
