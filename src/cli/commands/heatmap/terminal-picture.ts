/** A heat map in text: ranges of keys from top to bottom, time from left to right. */
import { bytesText, durationText } from '../../../base/index.js';
import type { HeatMetric } from '../../../tools/heat/index.js';
import type { Style } from '../../terminal/style.js';
import { cutText, textWidth } from '../../terminal/text-width.js';
import { bucketText, type HeatTable } from '../../../tools/page/index.js';

/** From nothing to the greatest value. */
const blocks = ' ░▒▓█';
const maxLines = 30;
const maxLabelWidth = 34;
/** Columns of a terminal below which the picture is as wide as this. */
const minWidth = 24;
/** Columns of a terminal from which lines end with their totals. */
const minTotalsWidth = 60;

/** Lines of the picture, at most `width` columns, but not fewer than 24. */
export function terminalPicture(
  table: HeatTable,
  metric: HeatMetric,
  width: number,
  style: Style,
): readonly string[] {
  const available = Math.max(minWidth, width);
  const labelWidth = Math.min(maxLabelWidth, Math.floor(available * 0.4));
  const totals = lineTotals(table, metric);
  const totalWidth = available < minTotalsWidth ? 0 : 2 + Math.max(...totals.map(textWidth));
  const cells = available - labelWidth - 2 - totalWidth;
  const lineCount = Math.min(maxLines, table.buckets.length);
  const columns = Math.min(cells, table.columns);
  // Few columns are drawn wider.
  const widths = partSizes(cells, columns);
  const sums = sumsOf(table, metric, lineCount, columns);
  const full = fullValue(sums, lineCount);
  const lines: string[] = [];
  let previous = '';
  for (let line = 0; line < lineCount; line++) {
    const bucket = Math.floor((line * table.buckets.length) / lineCount);
    const label = labelOf(bucketText(table.buckets[bucket]), previous, labelWidth);
    previous = bucketText(table.buckets[bucket]);
    let text = '';
    for (let column = 0; column < columns; column++) {
      const level = Math.min(1, sums[column * lineCount + line] / full);
      const block = blocks[Math.ceil(level * (blocks.length - 1))].repeat(widths[column]);
      text += level === 0 ? block : style.shade(block, level);
    }
    const total = totals[line].padStart(totalWidth);
    lines.push(`${style.dim(label)} │${text}${totalWidth === 0 ? '' : style.dim(total)}`);
  }
  const indent = ''.padEnd(labelWidth + 2);
  lines.push(`${''.padEnd(labelWidth)} └${'─'.repeat(cells)}`);
  lines.push(`${indent}${timesText(table, cells)}`);
  lines.push(cutText(loadLine(table, metric), available));
  const limit = amountOf(metric, full);
  const scale = ` ${metric} of a cell, up to ${limit} or more`;
  const isWide = indent.length + blocks.length - 1 + scale.length <= available;
  const shown = cutText(scale, available - blocks.length + 1);
  lines.push(`${isWide ? indent : ''}${scaleText(style)}${shown}`);
  return lines;
}

/** What each line of the picture stands for in all columns. */
function lineTotals({ buckets, values }: HeatTable, metric: HeatMetric): readonly string[] {
  const lines = Math.min(maxLines, buckets.length);
  const sums = new Array<number>(lines).fill(0);
  for (const [index, value] of values[metric].entries())
    sums[Math.floor(((index % buckets.length) * lines) / buckets.length)] += value;
  return sums.map((sum) => amountOf(metric, sum));
}

/** `6,000 operations; at most 300 in a minute, at 2026-01-05 00:17`. */
function loadLine(table: HeatTable, metric: HeatMetric): string {
  const { buckets, columns, columnMs, start, values } = table;
  const sums = Array.from({ length: columns }, (_, column) =>
    values[metric]
      .slice(column * buckets.length, (column + 1) * buckets.length)
      .reduce((sum, value) => sum + value, 0),
  );
  const all = amountOf(
    metric,
    sums.reduce((sum, value) => sum + value, 0),
  );
  const greatest = Math.max(...sums);
  const at = new Date(start + sums.indexOf(greatest) * columnMs).toISOString();
  const time = at.slice(0, timeLength(columnMs)).replace('T', ' ');
  const unit = metric === 'bytes' ? '' : ` ${metric}`;
  return `${all}${unit}; at most ${amountOf(metric, greatest)} in ${durationText(columnMs)}, at ${time}`;
}

function amountOf(metric: HeatMetric, value: number): string {
  return metric === 'bytes' ? bytesText(value) : countOf(value);
}

/** Sums by column and line of the picture. */
function sumsOf(
  table: HeatTable,
  metric: HeatMetric,
  lines: number,
  columns: number,
): Float64Array {
  const { buckets, values } = table;
  const sums = new Float64Array(lines * columns);
  const bucketsOf = partSizes(buckets.length, lines);
  const columnsOf = partSizes(table.columns, columns);
  for (const [index, value] of values[metric].entries()) {
    if (value === 0) continue;
    const column = Math.floor((Math.floor(index / buckets.length) * columns) / table.columns);
    const line = Math.floor(((index % buckets.length) * lines) / buckets.length);
    sums[column * lines + line] += value / (bucketsOf[line] * columnsOf[column]);
  }
  // Even load looks even, though lines and columns do not stand for as many ranges and intervals.
  const area = (buckets.length / lines) * (table.columns / columns);
  return sums.map((sum) => sum * area);
}

/** How many of `count` things are in each part, as `floor(n * parts / count)` divides them. */
function partSizes(count: number, parts: number): readonly number[] {
  const sizes = new Array<number>(parts).fill(0);
  for (let n = 0; n < count; n++) sizes[Math.floor((n * parts) / count)]++;
  return sizes;
}

/**
 * The value of a full block, and of all above it: a tenth of the load of the busiest interval. It
 * depends on the load alone, so that even load looks even.
 */
function fullValue(sums: Float64Array, lines: number): number {
  let greatest = 1;
  for (let start = 0; start < sums.length; start += lines)
    greatest = Math.max(
      greatest,
      sums.subarray(start, start + lines).reduce((all, each) => all + each, 0),
    );
  return greatest * Math.min(1, Math.max(0.1, 3 / lines));
}

function countOf(value: number): string {
  return Math.round(value).toLocaleString('en');
}

/** The key of a line; what it has in common with the line before is left out. */
function labelOf(text: string, previous: string, width: number): string {
  const parts = text.split(', ');
  const before = previous.split(', ');
  let same = 0;
  while (same < parts.length - 1 && parts[same] === before[same]) same++;
  const rest = cutText(`${'  '.repeat(same)}${parts.slice(same).join(', ')}`, width);
  return rest + ' '.repeat(width - textWidth(rest));
}

/** First and last time, as far apart as the picture is wide. */
function timesText({ start, columnMs, columns }: HeatTable, width: number): string {
  const length = timeLength(columnMs);
  const text = (at: number): string =>
    new Date(at).toISOString().slice(0, length).replace('T', ' ');
  const [first, last] = [text(start), `${text(start + columns * columnMs)} UTC`];
  if (width >= first.length + last.length + 2) return first + last.padStart(width - first.length);
  return width >= length + 4 ? `${first} UTC` : cutText(first, width);
}

/** Characters of an ISO 8601 time: to the minute, or as exact as the columns are. */
function timeLength(columnMs: number): number {
  if (columnMs % 60_000 === 0) return 16;
  return columnMs % 1000 === 0 ? 19 : 23;
}

function scaleText(style: Style): string {
  return Array.from(blocks.slice(1), (block, i) => style.shade(block, (i + 1) / 4)).join('');
}
