/** Formats plain objects as a text table. */

type Values = Readonly<Record<string, unknown>>;

interface Column {
  readonly name: string;
  readonly texts: readonly string[];
  readonly right: boolean;
  readonly width: number;
}

/** Characters of one cell; longer texts end with an ellipsis. */
const maxCellChars = 60;

/**
 * The lines of a table: a heading, then the rows. Its columns are the properties for which any row
 * has a value; numbers are aligned to the right.
 */
export function textTable(rows: readonly object[]): string[] {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))].filter((name) =>
    rows.some((row) => (row as Values)[name] !== undefined),
  );
  const columns = names.map((name): Column => {
    const values = rows.map((row) => (row as Values)[name]);
    const texts = values.map(cellText);
    return {
      name,
      texts,
      right: values.every(isNumeric),
      width: Math.max(name.length, ...texts.map((text) => text.length)),
    };
  });
  const line = (textOf: (column: Column) => string) =>
    columns
      .map((column) => aligned(textOf(column), column))
      .join('  ')
      .trimEnd();
  return [line(({ name }) => name), ...rows.map((_, i) => line(({ texts }) => texts[i]))];
}

function aligned(text: string, { right, width }: Column): string {
  if (right) return text.padStart(width);
  return text.padEnd(width);
}

function isNumeric(value: unknown): boolean {
  return value === undefined || typeof value === 'number' || typeof value === 'bigint';
}

function cellText(value: unknown): string {
  const text = valueText(value);
  if (text.length <= maxCellChars) return text;
  return `${text.slice(0, maxCellChars - 1)}…`;
}

function valueText(value: unknown): string {
  if (value === undefined) return '';
  if (value instanceof Date) return minuteText(value);
  if (typeof value === 'object') return JSON.stringify(value);
  return String(value);
}

/** `2001-03-31 22:27`. */
export function minuteText(time: Date): string {
  return time.toISOString().slice(0, 16).replace('T', ' ');
}
