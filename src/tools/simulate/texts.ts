/** What a simulation found, in the words that the command and the studio share. */
import { bytesText, countText, spanText } from '../../base/index.js';
import type { ReadCost } from './model/fan-out.js';
import { countWords, counted } from './recommend.js';
import type { WorkloadReport } from './report.js';

/** A line of a report. */
interface NamedText {
  readonly name: string;
  readonly text: string;
}

/** What holds for a table whatever its key: history, rows, storage, and what a write costs. */
export function workloadTexts({
  storage,
  historySeconds,
  writeCosts,
}: WorkloadReport): readonly NamedText[] {
  const { months, meanRowBytes, maxRowBytes, maxCellBytes, retentionSeconds } = storage;
  const kept =
    retentionSeconds === undefined
      ? 'rows are kept'
      : `rows are kept ${spanText(retentionSeconds)}`;
  return [
    { name: 'history', text: `written in ${spanText(historySeconds)}` },
    {
      name: 'rows',
      text:
        `${bytesText(meanRowBytes)} on average, the largest ${bytesText(maxRowBytes)} after a ` +
        `year; values up to ${bytesText(maxCellBytes)}`,
    },
    {
      name: 'storage',
      text: `${[0, 3, 6, 12].map((month) => storageText(months[month])).join(', ')}; ${kept}`,
    },
    ...writeCosts.map((cost) => ({
      name: cost.kind === 'row' ? 'write' : cost.kind,
      text: costText(cost),
    })),
  ];
}

type WriteCost = WorkloadReport['writeCosts'][number];

/** `byStatus: insert 1 write (90 B); update 1 read, 2 writes (120 B); 12 GiB now, ...`. */
function costText({ name, kind, insert, update, storedBytes }: WriteCost): string {
  const stored = storedBytes.map((bytes, month) => storageText({ month, bytes }));
  const what = kind === 'row' ? 'for tokens ' : '';
  return [
    `${name}: insert ${accessText(insert)}`,
    `update ${accessText(update)}`,
    ...(storedBytes.every((bytes) => bytes === 0) ? [] : [`${what}${stored[0]}, ${stored[12]}`]),
  ].join('; ');
}

function accessText({ reads, writes, writtenBytes }: WriteCost['insert']): string {
  const parts = [
    ...(reads === 0 ? [] : [counted(reads, 'read')]),
    ...(writes === 0 ? [] : [`${counted(writes, 'write')} (${bytesText(writtenBytes)})`]),
  ];
  return parts.length === 0 ? 'none' : parts.join(', ');
}

function storageText({
  month,
  bytes,
}: Pick<WorkloadReport['storage']['months'][number], 'month' | 'bytes'>): string {
  if (month === 0) return `${bytesText(bytes)} now`;
  return `${bytesText(bytes)} in ${countText(month, 'month')}`;
}

/** `1 request, 1 range, reads 60 rows (3.2 KiB) to return 60`. */
export function readCostText(read: ReadCost): string {
  const scan = read.fullScan ? ', full scan' : '';
  const filters = read.filters.length === 0 ? '' : `, filtered by ${read.filters.join(', ')}`;
  return (
    `${counted(read.shards, 'request')}, ${counted(read.ranges, 'range')}, ` +
    `reads ${counted(read.rowsRead, 'row')} (${bytesText(read.bytesRead)}) ` +
    `to return ${countWords(read.rowsReturned)}${scan}${filters}`
  );
}
