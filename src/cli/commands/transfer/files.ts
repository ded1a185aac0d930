/** What import and export share: the format of a file, and its options. */
import type { FaultTexts } from '../../../base/index.js';
import { formatOfName, type RowFormat } from '../../../tools/transfer/index.js';
import { choice, parsed, UsageError } from '../../command.js';

/** Options of the form of a file. */
export const fileOptions = {
  format: choice('FORMAT', 'jsonl or csv. Default: by the file name (.jsonl, .ndjson, .csv)', [
    'jsonl',
    'csv',
  ]),
  delimiter: parsed(
    'CHAR',
    'CSV: the character between fields, or the word tab. Default: a comma',
    delimiterOf,
  ),
};

/** A shell does not pass a tab easily. */
function delimiterOf(text: string, flag: string): string {
  if (text === 'tab' || text === '\\t') return '\t';
  if (text.length === 1) return text;
  throw new UsageError(faults.notADelimiter(flag, text));
}

/**
 * The format and compression that options give, or else the name of the file. `streamFormat` is the
 * default for standard input or output, `-`.
 */
export function chooseFormat(
  file: string,
  options: { readonly format: RowFormat | undefined; readonly gzip: boolean },
  streamFormat?: RowFormat,
): { readonly format: RowFormat; readonly gzip: boolean } {
  const named = formatOfName(file);
  const format = options.format ?? named.format ?? (file === '-' ? streamFormat : undefined);
  if (format !== undefined) return { format, gzip: options.gzip || named.gzip };
  const what = file === '-' ? 'standard input' : file;
  throw new UsageError(faults.unknownFormat(what));
}

const faults = {
  notADelimiter: (flag: string, text: string) => ({
    problem: `${flag} takes one character or the word tab, not '${text}'`,
  }),
  unknownFormat: (what: string) => ({
    problem: `the format of ${what} is unknown`,
    fix: 'add --format jsonl or --format csv',
  }),
} satisfies FaultTexts;
