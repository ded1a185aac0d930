/** A heat map in text: ranges of keys from top to bottom, time from left to right. */
import type { HeatMetric } from '../../../heat/index.js';
import type { Style } from '../../terminal/style.js';
import { bucketText, type HeatTable } from './heat-table.js';

/** From nothing to the greatest value. */
const blocks = ' ░▒▓█';
const maxLines = 30;
const labelWidth = 34;

/** Lines of the picture, at most `width` columns. */
export function terminalPicture(
  table: HeatTable,
  metric: HeatMetric,
  width: number,
  style: Style,
): readonly string[] {
  const cells = Math.max(10, width - labelWidth - 2);
  const lineCount = Math.min(maxLines, table.buckets.length);
  // Few columns are drawn wider.
  const columns = Math.min(cells, table.columns);
  const repeat = Math.max(1, Math.floor(cells / columns));
  const sums = sumsOf(table, metric, lineCount, columns);
  const full = fullValue(sums, lineCount);
  const lines: string[] = [];
  let previous = '';
  for (let line = 0; line < lineCount; line++) {
    const bucket = Math.floor((line * table.buckets.length) / lineCount);
    const label = labelOf(bucketText(table.buckets[bucket]), previous);
    previous = bucketText(table.buckets[bucket]);
    let text = '';
    for (let column = 0; column < columns; column++) {
      const level = Math.min(1, sums[column * lineCount + line] / full);
      const block = blocks[Math.ceil(level * (blocks.length - 1))].repeat(repeat);
      text += level === 0 ? block : style.shade(block, level);
    }
    lines.push(`${style.dim(label)} │${text}`);
  }
  lines.push(`${''.padEnd(labelWidth)} └${'─'.repeat(columns * repeat)}`);
  lines.push(`${''.padEnd(labelWidth + 2)}${timesText(table, columns * repeat)}`);
  const scale = `${scaleText(style)} ${metric} of a cell, up to ${countOf(full)} or more`;
  lines.push(`${''.padEnd(labelWidth + 2)}${scale}`);
  return lines;
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
  for (const [index, value] of values[metric].entries()) {
    if (value === 0) continue;
    const column = Math.floor((Math.floor(index / buckets.length) * columns) / table.columns);
    const line = Math.floor(((index % buckets.length) * lines) / buckets.length);
    sums[column * lines + line] += value;
  }
  return sums;
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
  return Math.ceil(value).toLocaleString('en');
}

/** The key of a line; what it has in common with the line before is left out. */
function labelOf(text: string, previous: string): string {
  const parts = text.split(', ');
  const before = previous.split(', ');
  let same = 0;
  while (same < parts.length - 1 && parts[same] === before[same]) same++;
  const rest = `${'  '.repeat(same)}${parts.slice(same).join(', ')}`;
  if (rest.length <= labelWidth) return rest.padEnd(labelWidth);
  return `${rest.slice(0, labelWidth - 1)}…`;
}

/** First and last time, as far apart as the picture is wide. */
function timesText({ start, columnMs, columns }: HeatTable, width: number): string {
  const text = (at: number): string => new Date(at).toISOString().slice(0, 16).replace('T', ' ');
  const [first, last] = [text(start), text(start + columns * columnMs)];
  if (width < first.length + last.length + 2) return first;
  return first + last.padStart(width - first.length);
}

function scaleText(style: Style): string {
  return Array.from(blocks.slice(1), (block, i) => style.shade(block, (i + 1) / 4)).join('');
}
