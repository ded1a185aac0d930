/** Cells and rows that grow, and writes that read first. */
import {
  bytesText,
  dayMs,
  durationText,
  hourMs,
  maxCellBytes,
  maxRowBytes,
  quotedList,
  type FaultTexts,
} from '../../../base/index.js';
import { type ColumnModel, type EntityModel, maxAgeOf } from '../../../entities/model/index.js';
import {
  cellOverhead,
  type EntryBound,
  maxEntries,
  maxValueBytes,
} from '../subject/byte-bounds.js';
import { type LintRule, type RuleFinding, sources } from '../rule.js';
import type { LintSubject } from '../subject/subject.js';
import { versionsKept } from '../subject/versions-kept.js';

const mebibyte = 1024 * 1024;
const goodCellBytes = 10 * mebibyte;
const goodRowBytes = 100 * mebibyte;
/** Assumed for values of unknown size, if only their number is known. */
const assumedBytes = 64;

type ColumnMap = Extract<ColumnModel, { readonly kind: 'columnMap' }>;

function mapBytes(column: ColumnMap, entries: number, subject: LintSubject): number {
  const cellBytes = (maxValueBytes(column, subject) ?? assumedBytes) + cellOverhead;
  return entries * cellBytes * storedVersions(column, subject);
}

/** The number of versions that a row stores of each cell; 1 if the rule does not limit it. */
function storedVersions({ family }: ColumnModel, { model }: LintSubject): number {
  const { gc, aggregate } = model.table.families.get(family) ?? {};
  const kept = versionsKept(gc);
  return aggregate === undefined && Number.isFinite(kept) ? kept : 1;
}

const f07: LintRule = {
  id: 'F07',
  level: 'warning',
  title: 'A row can grow without a limit',
  reason:
    'Rows above 100 MB are slow, and rows above 256 MB cannot be read. Column maps, versions ' +
    'and appended values grow with each write. A time bucket in the key bounds a map: lint ' +
    'counts one entry a second, unless lint.expect gives a number.',
  source: sources.schema,
  fix: 'Put a time bucket into the key, declare a bound with lint.expect, or let entries expire.',
  check(subject) {
    return subject.model.columns.flatMap((column): readonly RuleFinding[] => {
      const { property, family } = column;
      const { gc } = subject.model.table.families.get(family) ?? {};
      const { updates, maxBytes, maxEntries: expected } = subject.expect(property);
      if (updates === 'append' && maxBytes === undefined) return [appendFinding(property, family)];
      if (column.kind === 'versions' && gc === undefined && expected === undefined)
        return [versionsFinding(property, family)];
      if (column.kind !== 'columnMap') return [];
      // A map with entries that expire is bounded by the rate at which they are written.
      if (maxAgeOf(gc) < Infinity && expected === undefined) return [];
      return mapFindings(column, subject);
    });
  },
};

function appendFinding(property: string, family: string): RuleFinding {
  return {
    property,
    family,
    ...faults.unboundedAppends(property),
  };
}

function versionsFinding(property: string, family: string): RuleFinding {
  return {
    property,
    family,
    ...faults.unboundedVersions(property, family),
  };
}

function mapFindings(column: ColumnMap, subject: LintSubject): readonly RuleFinding[] {
  const { property, family } = column;
  const bound = maxEntries(column, subject);
  if (bound === undefined) return [{ property, family, ...faults.unboundedMap(property) }];
  const bytes = mapBytes(column, bound.entries, subject);
  if (bytes <= goodRowBytes) return [];
  // Neither the number of entries nor their size is known.
  const isGuess = bound.bucketMs !== undefined && maxValueBytes(column, subject) === undefined;
  return [
    {
      property,
      family,
      ...faults.largeMap(property, bound, bytes),
      level: isGuess ? 'info' : 'warning',
    },
  ];
}

/** Lengths of time buckets that are easy to read, in milliseconds. */
const goodBuckets = [dayMs, 6 * hourMs, hourMs, hourMs / 6, hourMs / 60, 10_000];

/** What keeps a map within the size of a good row. */
function smallerMapFix(property: string, { entries, bucketMs }: EntryBound, bytes: number): string {
  const fitting = Math.max(1, Math.floor((entries * goodRowBytes) / bytes));
  const shown = fitting.toLocaleString('en');
  if (bucketMs === undefined)
    return `a row should have at most ${shown} of them: add a time bucket or a part number to the key`;
  const declared = `declare how many there are, expect: { ${property}: { maxEntries: ... } }`;
  const bucket = goodBuckets.find((each) => each <= (bucketMs * fitting) / entries);
  const shorter =
    bucket === undefined
      ? 'write a row for each entry'
      : `use buckets of ${durationText(bucket)}, floor: ${numberText(bucket)}`;
  return `${shorter}; if fewer than ${shown} are written, ${declared}`;
}

const numberText = (value: number): string => value.toLocaleString('en').replaceAll(',', '_');

const f08: LintRule = {
  id: 'F08',
  level: 'warning',
  title: 'A counter reads before it writes',
  reason:
    'Increments of plain columns read the row first, cannot be repeated safely, and fail under ' +
    'an app profile with multi-cluster routing.',
  source: sources.writes,
  fix: 'Put counters into an aggregate family: it adds to cells without reading them.',
  check({ model }, { multiCluster }) {
    const { columns, managed } = model;
    const level = multiCluster ? 'error' : 'warning';
    const findings: RuleFinding[] = columns
      .filter((column) => column.kind === 'counter' && !column.aggregate)
      .map(({ property, family }) => ({
        property,
        family,
        ...faults.counterInPlainFamily(property, family),
        level,
      }));
    if (!multiCluster) return findings;
    if (managed?.revision !== undefined)
      findings.push({
        property: managed.revision,
        ...faults.conditionalRevision(managed.revision),
        level,
      });
    for (const [property, what] of derivedRows(model))
      findings.push({
        property,
        ...faults.conditionalWrites(what),
        level,
      });
    return findings;
  },
};

/** What of an entity is kept by conditional writes, with the property of the finding. */
function derivedRows({
  indexes,
  rollups,
  copiedBy,
}: EntityModel): readonly (readonly [property: string | undefined, what: string])[] {
  const listed = (each: readonly { readonly name: string }[]): string =>
    quotedList(each.map(({ name }) => name));
  const found: [string | undefined, string][] = [];
  if (indexes.length > 0) found.push(['indexes', `the indexes ${listed(indexes)}`]);
  if (rollups.length > 0) found.push(['rollups', `the rollups ${listed(rollups)}`]);
  if (copiedBy !== undefined) found.push([undefined, `copies in ${listed(copiedBy.targets)}`]);
  return found;
}

const f13: LintRule = {
  id: 'F13',
  level: 'warning',
  atOpen: true,
  title: 'A cell can be larger than 10 MB',
  reason:
    'Bigtable recommends at most 10 MB per cell, and rejects more than 100 MB. A row is read ' +
    'into memory whole.',
  source: sources.schema,
  fix: 'Store large objects elsewhere and keep their address, or split them over rows.',
  check(subject) {
    return subject.model.columns.flatMap((column): readonly RuleFinding[] => {
      const { property, family } = column;
      const bytes = maxValueBytes(column, subject) ?? 0;
      if (bytes <= goodCellBytes) return [];
      return [
        {
          property,
          family,
          ...faults.valueTooLarge(property, bytes),
          level: bytes > maxCellBytes ? 'error' : 'warning',
        },
      ];
    });
  },
};

const f14: LintRule = {
  id: 'F14',
  level: 'warning',
  atOpen: true,
  title: 'A row can be larger than 100 MB',
  reason:
    'Bigtable recommends at most 100 MB per row; rows above 256 MB cannot be read. A row is on ' +
    'one node and cannot be split.',
  source: sources.schema,
  fix: 'Split the data over several rows with a common prefix.',
  check(subject) {
    const sizes = subject.model.columns.map((column) => ({
      property: column.property,
      bytes: columnBytes(column, subject),
    }));
    const bytes = sizes.reduce((sum, each) => sum + each.bytes, 0);
    if (bytes <= goodRowBytes) return [];
    const [largest] = sizes.sort((a, b) => b.bytes - a.bytes);
    return [
      {
        property: largest.property,
        ...faults.rowTooLarge(bytes, largest.property),
        level: bytes > maxRowBytes ? 'error' : 'warning',
      },
    ];
  },
};

/** What a column adds to a row, as far as it is known; 0 for maps, which F07 looks at. */
function columnBytes(column: ColumnModel, subject: LintSubject): number {
  const value = maxValueBytes(column, subject) ?? 0;
  if (column.kind === 'columnMap') {
    const entries = maxEntries(column, subject)?.entries ?? 0;
    const bytes = mapBytes(column, entries, subject);
    return bytes <= goodRowBytes ? bytes : 0;
  }
  const versions = storedVersions(column, subject);
  if (column.kind !== 'versions') return value * versions;
  return value * (subject.expect(column.property).maxEntries ?? versions);
}

/** Rules about growth. */
export const growth: readonly LintRule[] = [f07, f08, f13, f14];

const faults = {
  unboundedAppends: (property: string) => ({
    problem: `'${property}' is appended to, without a maximum size`,
    fix:
      `declare expect: { ${property}: { updates: 'append', maxBytes: 1_000_000 } }, or write a ` +
      'row for each addition',
  }),
  unboundedVersions: (property: string, family: string) => ({
    problem: `'${property}' keeps every version, because family '${family}' has no gc rule`,
    fix: `declare families: { ${family}: { gc: maxVersions(100) } }, or maxAge(...)`,
  }),
  unboundedMap: (property: string) => ({
    problem: `the map '${property}' has no maximum number of entries`,
    fix:
      `declare it, expect: { ${property}: { maxEntries: 1_000 } }, add a time bucket to the ` +
      'key, or let entries expire with maxAge',
  }),
  largeMap: (property: string, bound: EntryBound, bytes: number) => ({
    problem:
      `the map '${property}' can have ${bound.entries.toLocaleString('en')} entries` +
      `${bound.bucketMs === undefined ? '' : ' at one a second'}, about ${bytesText(bytes)} in a row`,
    fix: smallerMapFix(property, bound, bytes),
  }),
  counterInPlainFamily: (property: string, family: string) => ({
    problem: `the counter '${property}' is in the plain family '${family}'`,
    fix: `declare an aggregate family, families: { c: aggregate('sum') }, and @Counter('c') ${property}`,
  }),
  conditionalRevision: (revision: string) => ({
    problem: `writes of an entity with the revision '${revision}' are conditional`,
    fix: 'write through an app profile with single-cluster routing and single-row transactions',
  }),
  conditionalWrites: (what: string) => ({
    problem: `${what} are kept by conditional writes`,
    fix: 'write through an app profile with single-cluster routing and single-row transactions',
  }),
  valueTooLarge: (property: string, bytes: number) => ({
    problem: `a value of '${property}' can have ${bytesText(bytes)}`,
    fix:
      'store it in Cloud Storage and keep its address here, or write parts of up to 10 ' +
      'MB as rows',
  }),
  rowTooLarge: (bytes: number, property: string) => ({
    problem: `a row can have ${bytesText(bytes)}, most of it in '${property}'`,
    fix: `write '${property}' as rows of their own, below the same key prefix`,
  }),
} satisfies FaultTexts;
