/** Rows of plain objects -> an aligned table of text. */

type Values = Readonly<Record<string, unknown>>;

/** Longest text in one column; more is cut with an ellipsis. */
const widestCell = 60;

/**
 * Lines of a table: a heading, then the rows. Columns are the properties that any row has a value
 * for; numbers stand to the right.
 */
export function textTable(rows: readonly object[]): string[] {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))].filter((name) =>
    rows.some((row) => (row as Values)[name] !== undefined),
  );
  const columns = names.map((name) => {
    const values = rows.map((row) => (row as Values)[name]);
    const texts = values.map(cellText);
    return {
      name,
      texts,
      right: values.every(isNumeric),
      width: Math.max(name.length, ...texts.map((text) => text.length)),
    };
  });
  const line = (textOf: (column: (typeof columns)[number]) => string) =>
    columns
      .map((column) =>
        column.right ? textOf(column).padStart(column.width) : textOf(column).padEnd(column.width),
      )
      .join('  ')
      .trimEnd();
  return [line(({ name }) => name), ...rows.map((_, i) => line(({ texts }) => texts[i]))];
}

function isNumeric(value: unknown): boolean {
  return value === undefined || typeof value === 'number' || typeof value === 'bigint';
}

function cellText(value: unknown): string {
  const text = valueText(value);
  return text.length <= widestCell ? text : `${text.slice(0, widestCell - 1)}…`;
}

function valueText(value: unknown): string {
  if (value === undefined) return '';
  if (value instanceof Date) return minuteText(value);
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** `2001-03-31 22:27`. */
export function minuteText(moment: Date): string {
  return moment.toISOString().slice(0, 16).replace('T', ' ');
}
