/** Rows and ranges of rows that take a large part of the load. */
import { latin1Text, type FaultTexts } from '../../../base/index.js';
import type { AccessWindow, TableAccess } from '../access-log.js';
import type { KeyNames } from '../key-names.js';
import type { EntityTraffic, EntityWindow } from './entity-traffic.js';
import { heatLimits, percentText, windowsText, type HeatFinding } from './finding.js';
import { leadingValues, spreadAdvice } from './segments.js';
import type { Places } from './window-figures.js';
import { areAlike, type WritePattern } from './write-rules.js';

/** Rows and ranges that are listed, at most. */
const maxListed = 5;

interface HotRow {
  readonly key: Uint8Array;
  windows: number;
  greatest: number;
}

/** Single rows with a large share of a window. */
export function hotRows(
  access: TableAccess,
  names: KeyNames,
  nodes: number,
): readonly HeatFinding[] {
  const judged = access.windows.filter(({ samples }) => samples.length >= heatLimits.minSamples);
  const rows = new Map<string, HotRow>();
  for (const window of judged) {
    for (const { key, share } of hotKeys(window, nodes)) {
      const text = latin1Text(key);
      const row = rows.get(text) ?? { key, windows: 0, greatest: 0 };
      rows.set(text, row);
      row.windows++;
      row.greatest = Math.max(row.greatest, share);
    }
  }
  return [...rows.values()]
    .sort((a, b) => b.greatest - a.greatest)
    .slice(0, maxListed)
    .map((row) => hotRowFinding(access.table, row, judged.length, names));
}

/**
 * Rows above the limit. If few rows are used, each has a large share, which is no fault while it is
 * about the same and fits on a node.
 */
function hotKeys(window: AccessWindow, nodes: number): { key: Uint8Array; share: number }[] {
  const operations = window.reads + window.writes;
  const rows = new Set(window.samples.map(({ key }) => latin1Text(key))).size;
  const least = Math.min(heatLimits.hotRowOfMean / rows, 1 / nodes);
  return window.top
    .map(({ key, count, error }) => ({ key, certain: count - error }))
    .filter(({ certain }) => certain >= heatLimits.hotRowOperations)
    .map(({ key, certain }) => ({ key, share: certain / operations }))
    .filter(({ share }) => share > Math.max(heatLimits.hotRowWarning, least));
}

function hotRowFinding(
  table: string,
  { key, windows, greatest }: HotRow,
  judged: number,
  names: KeyNames,
): HeatFinding {
  const model = names.modelOf(key);
  return {
    kind: 'hotRow',
    level: greatest > heatLimits.hotRowError ? 'error' : 'warning',
    table,
    entity: model?.name,
    segment: model?.segments.at(-1)?.property,
    key: names.text(key),
    windows,
    judged,
    figures: { share: greatest },
    ...faults.hotRow(greatest, windows, judged, names.text(key)),
  };
}

/** Few ranges of rows with most of the load, though writes are not sequential. */
export function hotRanges(
  { table, model, judged, buckets }: EntityTraffic,
  { sequential, few }: WritePattern,
  nodes: number,
): readonly HeatFinding[] {
  if (buckets.count < heatLimits.minBuckets) return [];
  const known = new Set([...sequential, ...few]);
  if (known.size > 0 && known.size * 2 >= judged.length) return [];
  const shown = judged.filter((window) => !known.has(window) && isHotRange(window, nodes));
  if (shown.length === 0) return [];
  const samples = shown.flatMap((window) => window.samples);
  const { segment, values } = leadingValues(model, samples);
  const busiest = average(shown.map(({ figures }) => figures.busiest));
  const active = average(shown.map(({ figures }) => figures.active));
  const found = {
    kind: 'hotRange',
    table,
    entity: model?.name,
    segment,
    windows: shown.length,
    judged: judged.length,
    figures: { busiest, active },
  } as const;
  const inWindows = windowsText(shown.length, judged.length);
  if (shown.filter(isScan).length * 2 >= shown.length)
    return [
      {
        ...found,
        level: 'info',
        ...faults.sequentialReads(inWindows, busiest, spreadAdvice(model, segment)),
      },
    ];
  const listed = values
    .slice(0, 3)
    .map(({ text, samples: own }) => `${text} (${percentText(own / samples.length)})`);
  const most = segment === undefined ? '' : `; most by '${segment}': ${listed.join(', ')}`;
  return [
    {
      ...found,
      level: 'warning',
      ...faults.hotRanges(busiest, inWindows, most, segment),
    },
  ];
}

/** Whether most operations are reads in the order of the keys. */
function isScan({ figures }: EntityWindow): boolean {
  return (
    Math.abs(figures.readRho) >= heatLimits.sequentialRho &&
    figures.writes * 2 <= figures.operations
  );
}

function isHotRange({ figures, samples }: EntityWindow, nodes: number): boolean {
  if (figures.busiest <= heatLimits.busiest) return false;
  // Ranges that are alike are fronts, and enough of them are good.
  if (areAlike(figures.places) && figures.places.count >= nodes) return false;
  if (!canTellPlaces(figures.places) && figures.excessAppend > heatLimits.lowAppend) return false;
  // A single hot row does not make a range hot: it is another finding.
  const counts = new Map<string, number>();
  for (const { key } of samples) {
    const text = latin1Text(key);
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  const hottest = Math.max(...counts.values()) / samples.length;
  return hottest < heatLimits.hotRowError || figures.busiest - hottest > heatLimits.busiest;
}

function canTellPlaces({ active }: Places): boolean {
  return active <= heatLimits.placesActive;
}

function rangeAdvice(segment: string | undefined): string {
  if (segment === undefined)
    return 'give the hot keys a prefix with several values (shards), so that they are in several ranges';
  return (
    `give the key shards by a segment after '${segment}', or keep the busiest values of ` +
    `'${segment}' in several rows`
  );
}

function average(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

const faults = {
  hotRow: (greatest: number, windows: number, judged: number, text: string) => ({
    problem:
      `one row takes up to ${percentText(greatest)} of the operations of a window, ` +
      `${windowsText(windows, judged)}: ${text}`,
    fix:
      'divide the row into several rows by a further segment, keep reads of it in a cache, or count with ' +
      'buffered counters: a row is on one node, whatever the size of the cluster',
  }),
  sequentialReads: (inWindows: string, busiest: number, spreadAdviceText: string) => ({
    problem:
      `reads follow the order of the keys ${inWindows}: 5 % of the key ranges take ` +
      `${percentText(busiest)} of the operations at a time`,
    fix:
      'none needed: a scan of the table, such as an export, reads in key order, and parallel scans of its parts ' +
      `use more nodes; for reads of the newest rows only: ${spreadAdviceText}`,
  }),
  hotRanges: (busiest: number, inWindows: string, most: string, segment: undefined | string) => ({
    problem: `5 % of the key ranges take ${percentText(busiest)} of the operations ${inWindows}${most}`,
    fix: rangeAdvice(segment),
  }),
} satisfies FaultTexts;
