/** Parses comma-separated values. */

/**
 * Records by column name. Quoted fields may contain commas, doubled quotes and line breaks (RFC
 * 4180).
 */
export function parseCsv(text: string): Record<string, string>[] {
  const [header = [], ...rows] = parseFields(text);
  return rows.map((row) => Object.fromEntries(header.map((name, i) => [name, row[i] ?? ''])));
}

function parseFields(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  // One match for each field, with the delimiter after it.
  for (const [whole, quoted, plain, end] of text.matchAll(
    /(?:"((?:[^"]|"")*)"|([^,\r\n]*))(,|\r?\n|$)/g,
  )) {
    if (whole === '' && row.length === 0) break;
    row.push(quoted?.replaceAll('""', '"') ?? plain);
    if (end === ',') continue;
    rows.push(row);
    row = [];
    if (end === '') break;
  }
  return rows;
}
