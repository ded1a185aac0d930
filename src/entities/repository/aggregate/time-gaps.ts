/** The groups without rows between those with rows, for `fillGaps`. */
import { isDate } from '../../../base/index.js';
import type { SegmentBound } from '../../../data/key/index.js';

/** The times that a query covers, floored; in the order in which rows come. */
export interface TimeSpan {
  readonly width: number;
  readonly ascending: boolean;
  /** The first time of the bound, in the order of rows; undefined if it has no such end. */
  readonly first: number | undefined;
  readonly last: number | undefined;
}

/** The span of a bound; `to` itself is not part of it. */
export function timeSpan(
  bound: SegmentBound | undefined,
  width: number,
  ascending: boolean,
): TimeSpan {
  let least: number | undefined;
  let greatest: number | undefined;
  if (bound?.kind === 'between') {
    const { from, to } = bound;
    if (isDate(from?.value)) least = floor(from.value.getTime(), width);
    if (isDate(to?.value)) greatest = floor(to.value.getTime() - 1, width);
  }
  if (ascending) return { width, ascending, first: least, last: greatest };
  return { width, ascending, first: greatest, last: least };
}

function floor(time: number, width: number): number {
  return Math.floor(time / width) * width;
}

/** The times after `from`, up to `to` and without it, in the order of the span. */
export function* timesBetween(
  { width, ascending }: TimeSpan,
  from: number,
  to: number,
): Generator<Date> {
  const step = ascending ? width : -width;
  for (let time = from + step; ascending ? time < to : time > to; time += step)
    yield new Date(time);
}

/** The times from the beginning of the span up to the first time that has rows. */
export function timesBefore(span: TimeSpan, to: number): Generator<Date> {
  const { first = to, ascending, width } = span;
  return timesBetween(span, ascending ? first - width : first + width, to);
}

/** The times after the last one that has rows, to the end of the span. */
export function timesAfter(span: TimeSpan, from: number): Generator<Date> {
  const { last = from, ascending, width } = span;
  return timesBetween(span, from, ascending ? last + width : last - width);
}
