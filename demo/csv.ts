/** Comma-separated values -> records by column name. */

/** Quoted fields may hold commas, doubled quotes and line ends (RFC 4180). */
export function parseCsv(text: string): Record<string, string>[] {
  const [header = [], ...rows] = fieldsOf(text);
  return rows.map((row) => Object.fromEntries(header.map((name, i) => [name, row[i] ?? ''])));
}

function fieldsOf(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  // One match for each field, with what ended it.
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
