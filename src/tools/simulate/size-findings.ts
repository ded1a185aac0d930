/** Rows and cells that are or become too large. */
import { bytesText, durationText, type FaultTexts } from '../../base/index.js';
import type { StorageReport } from './model/storage.js';
import type { EntityLoad } from './workload/entity-load.js';

/** A size above a limit. */
export interface SizeFinding {
  readonly kind: 'largeCell' | 'largeRow' | 'rowsExpire';
  readonly level: 'error' | 'warning' | 'info';
  readonly entity: string;
  /** The column, for cells. */
  readonly property?: string;
  readonly problem: string;
  readonly fix: string;
}

const megabyte = 1024 ** 2;
const warnCellBytes = 10 * megabyte;
const warnRowBytes = 100 * megabyte;

/** Compares sizes with Bigtable's limits and recommendations. */
export function sizeFindings(
  { model, columns, rows }: EntityLoad,
  storage: StorageReport,
  limits: { readonly maxCellBytes: number; readonly maxRowBytes: number },
): readonly SizeFinding[] {
  const findings: SizeFinding[] = [];
  const entity = model.name;
  for (const { column, to } of columns) {
    if (to < warnCellBytes) continue;
    findings.push({
      kind: 'largeCell',
      level: to >= limits.maxCellBytes ? 'error' : 'warning',
      entity,
      property: column.property,
      ...faults.valueTooLarge(column.property, to),
    });
  }
  const { maxRowBytes, retentionSeconds, months } = storage;
  if (maxRowBytes >= warnRowBytes)
    findings.push({
      kind: 'largeRow',
      level: maxRowBytes >= limits.maxRowBytes ? 'error' : 'warning',
      entity,
      ...faults.rowTooLarge(maxRowBytes),
    });
  if (retentionSeconds !== undefined && months[0].rows < rows * 0.95)
    findings.push({
      kind: 'rowsExpire',
      level: 'info',
      entity,
      ...faults.expiredRows(rows, months[0].rows, retentionSeconds * 1000),
    });
  return findings;
}

function grouped(count: number): string {
  return Math.round(count).toLocaleString('en-US');
}

const faults = {
  valueTooLarge: (property: string, to: number) => ({
    problem:
      `values of '${property}' have up to ${bytesText(to)}; ` +
      'Bigtable recommends 10 MiB at most, and rejects more than 100 MiB',
    fix: 'store the value elsewhere and its address in the cell, or split it over several rows',
  }),
  rowTooLarge: (maxRowBytes: number) => ({
    problem:
      `the largest row has ${bytesText(maxRowBytes)} after a year; ` +
      'Bigtable recommends 100 MiB at most, and cannot read more than 256 MiB',
    fix: 'add a time to the key, or a garbage collection rule that bounds versions and age',
  }),
  expiredRows: (rows: number, monthRows: number, retentionSeconds: number) => ({
    problem:
      `of ${grouped(rows)} rows, ${grouped(monthRows)} are kept: ` +
      `garbage collection removes the rest after ${durationText(retentionSeconds)}`,
    fix: 'lengthen maxAge if they are needed',
  }),
} satisfies FaultTexts;
