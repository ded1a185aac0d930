/** The families and qualifiers of indexes, in base rows and in entries. */
import { durationText, noBytes } from '../../../../base/index.js';
import type { FamilySchema, GcRule } from '../../../../data/store/index.js';
import type { EntryColumns, OwnColumn } from '../../model.js';
import { rollupTokens } from '../../rollup-model.js';
import { deepFreeze } from '../shared/freeze.js';

const oneDayMicros = 86_400_000_000;
const newestCell: GcRule = { kind: 'maxVersions', versions: 1 };

export const oneVersion: FamilySchema = { gc: newestCell };
export const versionFamily: FamilySchema = { gc: { kind: 'maxAge', micros: oneDayMicros } };

/** Base rows: the version of the last write. It is kept for longer than a call can last. */
const version: OwnColumn = Object.freeze({ family: '_v', qualifier: noBytes });

/**
 * The columns of an index with entries that expire at this age, in microseconds; undefined if they
 * do not expire. Each age has its own families, because entities share tables.
 */
export function entryColumnsOf(age: number | undefined): EntryColumns {
  const suffix = age === undefined ? '' : `.${durationText(age / 1000)}`;
  const entries = `_e${suffix}`;
  return deepFreeze({
    tokens: `_t${suffix}`,
    token: { family: entries, qualifier: noBytes },
    holder: { family: entries, qualifier: Buffer.from('k') },
    covered: `_c${suffix}`,
  });
}

/** The version of base rows, and the columns of indexes with entries that do not expire. */
export const entryColumns: EntryColumns & { readonly version: OwnColumn } = Object.freeze({
  version,
  ...entryColumnsOf(undefined),
});

/** Families that hold the newest cell of each column, until this age. */
export function entryFamily(age: number | undefined): FamilySchema {
  if (age === undefined) return oneVersion;
  return { gc: { kind: 'union', rules: [newestCell, { kind: 'maxAge', micros: age }] } };
}

/** Whether a family of base rows is ours: the version, tokens of entries, tokens of rollups. */
export function isOwnFamily(family: string): boolean {
  if (family === version.family || family === rollupTokens) return true;
  return family === entryColumns.tokens || family.startsWith(`${entryColumns.tokens}.`);
}
