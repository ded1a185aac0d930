/** Writes the values of one column as mutations, compiled once per column. */
import { isDate, type FaultTexts } from '../../../base/index.js';
import { CodecError, indexPath, within } from '../../../data/cell/index.js';
import { type ColumnModel, qualifiersOf, type Version } from '../../model/index.js';
import type { Micros, Mutation } from '../../../data/store/index.js';
import { mapWriter } from './map-writer.js';
import { encodeAt, nextMillisecond, type WriteValue, wrongFormError } from './write-value.js';

/**
 * Appends deletions to `out`. They leave cells that are newer than the write, as its values do:
 * otherwise a write that arrives late would delete some columns and lose in other columns.
 */
type DeleteColumn = (timestamp: Micros, out: Mutation[]) => void;

/** The writer of one column. */
export interface ColumnWriter {
  readonly column: ColumnModel;
  readonly write: WriteValue;
  /** Appends the deletion of the column, including its earlier qualifiers, up to a timestamp. */
  readonly deleteAll: DeleteColumn;
  /** Appends the deletion of the earlier qualifiers, which would be read instead of a new value. */
  readonly deleteEarlier: DeleteColumn;
}

/**
 * Compiles the writer of a revision. It replaces newer cells, too: whatever the clocks of writers,
 * each write must change the revision that is read.
 */
export function revisionWriter(
  column: Extract<ColumnModel, { readonly kind: 'column' | 'packed' }>,
): ColumnWriter {
  const { family, qualifier } = column;
  const writer = columnWriter(column);
  return {
    ...writer,
    write(value, timestamp, replace, out) {
      out.push({ kind: 'deleteFromColumn', family, qualifier });
      writer.write(value, timestamp, replace, out);
    },
  };
}

/**
 * The writer of a column with cells that expire at a time that the row names: they replace cells
 * that would expire later, so that the last write wins.
 */
export function expiringWriter(writer: ColumnWriter): ColumnWriter {
  const { column } = writer;
  if (column.kind !== 'column' && column.kind !== 'packed') return writer;
  const { family } = column;
  const deletions = qualifiersOf(column).map((qualifier): Mutation =>
    Object.freeze({ kind: 'deleteFromColumn', family, qualifier }),
  );
  return {
    column,
    write(value, timestamp, replace, out) {
      out.push(...deletions);
      writer.write(value, timestamp, replace, out);
    },
    deleteAll: (_timestamp, out) => void out.push(...deletions),
    deleteEarlier: () => undefined,
  };
}

/** Compiles the writer of a column. */
export function columnWriter(column: ColumnModel): ColumnWriter {
  const { family } = column;
  switch (column.kind) {
    case 'columnMap':
      return {
        column,
        write: mapWriter(column),
        // Bigtable deletes families whole.
        deleteAll: (_timestamp, out) => void out.push({ kind: 'deleteFromFamily', family }),
        deleteEarlier: () => undefined,
      };
    case 'versions': {
      const { qualifier } = column;
      return {
        column,
        write: versionsWriter(column, qualifier),
        // The timestamps of versions are values, so all of them are replaced.
        deleteAll: (_timestamp, out) =>
          void out.push({ kind: 'deleteFromColumn', family, qualifier }),
        deleteEarlier: () => undefined,
      };
    }
    default: {
      const earlier = earlierQualifiers(column);
      return {
        column,
        write: valueWriter(column, column.qualifier),
        deleteAll: columnDeleter(family, [column.qualifier, ...earlier]),
        deleteEarlier: columnDeleter(family, earlier),
      };
    }
  }
}

function columnDeleter(family: string, qualifiers: readonly Uint8Array[]): DeleteColumn {
  return (timestamp, out) => {
    for (const qualifier of qualifiers)
      out.push({ kind: 'deleteFromColumn', family, qualifier, end: nextMillisecond(timestamp) });
  };
}

function earlierQualifiers(column: ColumnModel): readonly Uint8Array[] {
  if (column.kind !== 'column' && column.kind !== 'packed') return [];
  return column.alsoReads ?? [];
}

function valueWriter({ family, codec }: ColumnModel, qualifier: Uint8Array): WriteValue {
  return (value, timestamp, _replace, out) => {
    out.push({ kind: 'setCell', family, qualifier, timestamp, value: codec.encode(value) });
  };
}

function versionsWriter({ family, codec }: ColumnModel, qualifier: Uint8Array): WriteValue {
  return (value, _timestamp, replace, out) => {
    if (!Array.isArray(value)) throw wrongFormError('an array of { at, value }');
    if (replace) out.push({ kind: 'deleteFromColumn', family, qualifier });
    const times = new Set<number>();
    for (const [i, version] of (value as readonly Version<unknown>[]).entries()) {
      const ms = millisecondsOf(version?.at);
      if (!(ms >= 0))
        throw within(
          wrongFormError('a version with a valid Date since 1970 as `at`'),
          indexPath(i),
        );
      // A column has one cell per timestamp: the second version would replace the first.
      if (times.has(ms))
        throw within(
          new CodecError(faults.duplicateVersion(version.at.toISOString())),
          indexPath(i),
        );
      times.add(ms);
      out.push({
        kind: 'setCell',
        family,
        qualifier,
        timestamp: microsOf(ms),
        value: encodeAt(codec, version.value, `${indexPath(i)}.value`),
      });
    }
  };
}

/** Milliseconds since 1970 of a Date; NaN for anything else. */
export function millisecondsOf(value: unknown): number {
  if (!isDate(value)) return NaN;
  return value.getTime();
}

/** Milliseconds to microseconds; a bigint, because from 2255 on they exceed safe integers. */
export function microsOf(ms: number): bigint {
  return BigInt(ms) * 1000n;
}

const faults = {
  duplicateVersion: (time: string) => ({
    problem: `there are two versions at ${time}`,
    fix: 'give each version a different timestamp',
  }),
} satisfies FaultTexts;
