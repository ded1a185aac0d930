/** A call in one line of text. Row keys are customer data: they are included only on request. */
import { countText, everyKey, type KeyRange, printable } from '../../base/index.js';
import type { ReadPlan } from '../../data/store/index.js';
import type { Operation } from './operation.js';

/** Ranges and keys in a line; the rest are counted. */
const maxListed = 3;

/** `readRows Reading in telemetry: 1 range, reversed, limit 100`; with keys, the ranges. */
export function requestText(operation: Operation, withKeys: boolean): string {
  const { name, entity, table } = operation;
  const subject = [entity, table].filter((part) => part !== undefined).join(' in ');
  const details = detailsText(operation, withKeys);
  if (details === '') return `${name} ${subject}`;
  return `${name} ${subject}: ${details}`;
}

/** `100 rows, 12345 bytes, 3.2 ms, 2 attempts`. */
export function outcomeText({ rows, bytes, attempts, engineMillis }: Operation): string {
  const parts = [countText(rows, 'row'), countText(bytes, 'byte'), `${engineMillis.toFixed(1)} ms`];
  if (attempts > 1) parts.push(`${attempts} attempts`);
  return parts.join(', ');
}

/** The ranges of a plan. */
export function rangesText(ranges: readonly KeyRange[]): string {
  return listText(ranges.map(rangeText));
}

function rangeText({ start, end }: KeyRange): string {
  if (end === undefined) return `[${printable(start)}, end)`;
  return `[${printable(start)}, ${printable(end)})`;
}

function detailsText({ plan, keys }: Operation, withKeys: boolean): string {
  if (plan !== undefined) return planText(plan, withKeys);
  if (withKeys && keys !== undefined) return listText(keys.map(printable));
  return '';
}

function planText({ ranges, reversed, limit, filter }: ReadPlan, withKeys: boolean): string {
  const parts = [planRangesText(ranges, withKeys)];
  if (reversed) parts.push('reversed');
  if (limit !== undefined) parts.push(`limit ${limit}`);
  if (filter !== undefined) parts.push(`filter ${filter.kind}`);
  return parts.join(', ');
}

function planRangesText(ranges: readonly KeyRange[], withKeys: boolean): string {
  const isWholeTable =
    ranges.length === 1 &&
    ranges[0].start.length === everyKey.start.length &&
    ranges[0].end === undefined;
  if (isWholeTable) return 'every row';
  if (withKeys) return rangesText(ranges);
  return countText(ranges.length, 'range');
}

function listText(texts: readonly string[]): string {
  if (texts.length <= maxListed) return texts.join(' ');
  return `${texts.slice(0, maxListed).join(' ')} and ${texts.length - maxListed} more`;
}
