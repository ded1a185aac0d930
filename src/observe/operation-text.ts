/**
 * A call in one line of text. Keys are data of customers: they stand in it only where that was
 * asked for.
 */
import { everyKey, type KeyRange, printable } from '../bytes/index.js';
import type { ReadPlan } from '../store/index.js';
import type { Operation } from './operation.js';

/** Ranges and keys that a line names; more are counted. */
const shown = 3;

/** `readRows Reading in telemetry: 1 range, reversed, limit 100`; with keys, the ranges. */
export function requestText(
  { name, entity, table, plan, keys }: Operation,
  withKeys: boolean,
): string {
  const subject = [entity, table].filter((part) => part !== undefined).join(' in ');
  const question =
    plan !== undefined
      ? planText(plan, withKeys)
      : withKeys && keys !== undefined
        ? list(keys.map(printable))
        : '';
  return `${name} ${subject}${question === '' ? '' : `: ${question}`}`;
}

/** `100 rows, 12345 bytes, 3.2 ms, 2 attempts`. */
export function outcomeText({ rows, bytes, attempts, engineMillis }: Operation): string {
  return `${count(rows, 'row')}, ${count(bytes, 'byte')}, ${engineMillis.toFixed(1)} ms${attempts > 1 ? `, ${attempts} attempts` : ''}`;
}

/** The ranges of a plan as text, for attributes and lines. */
export function rangesText(ranges: readonly KeyRange[]): string {
  return list(
    ranges.map(
      (range) =>
        `[${printable(range.start)}, ${range.end === undefined ? 'end' : printable(range.end)})`,
    ),
  );
}

function planText({ ranges, reversed, limit, filter }: ReadPlan, withKeys: boolean): string {
  const whole =
    ranges.length === 1 &&
    ranges[0].start.length === everyKey.start.length &&
    ranges[0].end === undefined;
  const where = whole ? 'every row' : withKeys ? rangesText(ranges) : count(ranges.length, 'range');
  return [
    where,
    reversed ? 'reversed' : '',
    limit === undefined ? '' : `limit ${limit}`,
    filter === undefined ? '' : `filter ${filter.kind}`,
  ]
    .filter((part) => part !== '')
    .join(', ');
}

function list(texts: readonly string[]): string {
  return texts.length <= shown
    ? texts.join(' ')
    : `${texts.slice(0, shown).join(' ')} and ${texts.length - shown} more`;
}

function count(n: number, unit: string): string {
  return `${n} ${unit}${n === 1 ? '' : 's'}`;
}
