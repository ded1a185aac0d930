/** The formats of files of rows, by name. */
import { invalidArgument, literalText, type FaultTexts } from '../../../base/index.js';

/**
 * The format of a file of rows: JSON Lines (one JSON object per line) or CSV (comma-separated
 * values with a header).
 */
export type RowFormat = 'jsonl' | 'csv';

/** Rejects a format that only JavaScript can pass. */
export function checkFormat(format: unknown): void {
  if (format === 'jsonl' || format === 'csv') return;
  throw invalidArgument('format', faults.unknownFormat(format));
}

const formatsByExtension: Readonly<Record<string, RowFormat>> = {
  csv: 'csv',
  jsonl: 'jsonl',
  ndjson: 'jsonl',
  json: 'jsonl',
};

/**
 * The format and compression of a file by its extensions, in either case: `rows.csv.gz`. The format
 * is undefined if the extension is unknown.
 */
export function formatOfName(name: string): {
  readonly format: RowFormat | undefined;
  readonly gzip: boolean;
} {
  const gzip = /\.gz$/i.test(name);
  const bare = gzip ? name.slice(0, -3) : name;
  const extension = /\.(csv|jsonl|ndjson|json)$/i.exec(bare)?.[1].toLowerCase() ?? '';
  return { format: formatsByExtension[extension], gzip };
}

const faults = {
  unknownFormat: (format: unknown) => ({
    problem: `the format is ${literalText(format)}`,
    fix: "use 'jsonl' or 'csv'",
  }),
} satisfies FaultTexts;
