/** Rows and cells that are or become too large. */
import { durationText } from '../base/index.js';
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
      problem:
        `values of '${column.property}' have up to ${bytesText(to)}; ` +
        'Bigtable recommends 10 MB at most, and rejects more than 100 MB',
      fix: 'store the value elsewhere and its address in the cell, or split it over several rows',
    });
  }
  const { maxRowBytes, retentionSeconds, months } = storage;
  if (maxRowBytes >= warnRowBytes)
    findings.push({
      kind: 'largeRow',
      level: maxRowBytes >= limits.maxRowBytes ? 'error' : 'warning',
      entity,
      problem:
        `the largest row has ${bytesText(maxRowBytes)} after a year; ` +
        'Bigtable recommends 100 MB at most, and cannot read more than 256 MB',
      fix: 'add a time to the key, or a garbage collection rule that bounds versions and age',
    });
  if (retentionSeconds !== undefined && months[0].rows < rows * 0.95)
    findings.push({
      kind: 'rowsExpire',
      level: 'info',
      entity,
      problem:
        `of ${grouped(rows)} rows, ${grouped(months[0].rows)} are kept: ` +
        `garbage collection removes the others after ${durationText(retentionSeconds * 1000)}`,
      fix: 'lengthen maxAge if they are needed',
    });
  return findings;
}

function grouped(count: number): string {
  return Math.round(count).toLocaleString('en-US');
}

/** `12.3 MB`, in powers of 1024. */
export function bytesText(bytes: number): string {
  const units = ['B', 'KB', 'MB', 'GB', 'TB', 'PB'];
  let [value, unit] = [bytes, 0];
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1024;
    unit++;
  }
  return `${value >= 10 || unit === 0 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}
