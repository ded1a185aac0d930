/** The options of an import that decide what its lines become: a resumed import must have them. */
import { resolve } from 'node:path';
import { compareText, literalText, RowsmithError, type FaultTexts } from '../../../base/index.js';
import type { CsvInput } from '../file/csv-input.js';
import { zoneOffset } from '../text/time-zone.js';
import type { ImportOptions } from './import-options.js';

/** Values by option, defaults included; null for none. */
export type ReadingOptions = Readonly<Record<string, unknown>>;

/** The options as they are stored. Throws INVALID_ARGUMENT for an invalid zone. */
export function readingOptions(options: ImportOptions, csv: CsvInput): ReadingOptions {
  const { format, gzip = false, ignoreUnknown = false, validate = true, rejects } = options;
  const { cellTimes = null } = options;
  return {
    format,
    gzip,
    delimiter: csv.syntax.delimiter,
    maxRecordLength: csv.syntax.maxRecordLength,
    columns: Object.fromEntries([...csv.columns].sort(([a], [b]) => compareText(a, b))),
    zone: zoneOffset(options.zone) ?? null,
    cellTimes,
    ignoreUnknown,
    validate,
    // Another file would be cut off at the length of the one that was written.
    rejects: rejects === undefined ? null : resolve(rejects),
  };
}

/** Throws FILE_FAILED, naming the first option that differs. */
export function assertSameOptions(
  file: string,
  stored: ReadingOptions,
  given: ReadingOptions,
): void {
  for (const [name, value] of Object.entries(given)) {
    const before = literalText(stored[name] ?? null);
    const now = literalText(value);
    if (before === now) continue;
    throw new RowsmithError('FILE_FAILED', {
      file,
      property: name,
      ...faults.changedOption(name, before, now),
    });
  }
}

const faults = {
  changedOption: (name: string, before: string, now: string) => ({
    problem: `the stopped import was started with another ${name}: ${before}, and now it is ${now}`,
    fix: `resume with the same ${name}, or import from the start, without resume`,
  }),
} satisfies FaultTexts;
