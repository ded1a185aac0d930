/** Rows and ranges of rows that take a large part of the load. */
import { latin1Text } from '../../bytes/index.js';
import type { AccessWindow, TableAccess } from '../access-log.js';
import type { KeyNames } from '../key-names.js';
import type { EntityTraffic, EntityWindow } from './entity-traffic.js';
import { heatLimits, percentText, windowsText, type HeatFinding } from './finding.js';
import { leadingValues } from './segments.js';

/** Rows and ranges that are listed, at most. */
const maxListed = 5;

interface HotRow {
  readonly key: Uint8Array;
  windows: number;
  greatest: number;
}

/** Single rows with a large share of a window. */
export function hotRows(access: TableAccess, names: KeyNames): readonly HeatFinding[] {
  const judged = access.windows.filter(({ samples }) => samples.length >= heatLimits.minSamples);
  const rows = new Map<string, HotRow>();
  for (const window of judged) {
    for (const { key, share } of hotKeys(window)) {
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

function hotKeys(window: AccessWindow): { key: Uint8Array; share: number }[] {
  const operations = window.reads + window.writes;
  return window.top
    .map(({ key, count, error }) => ({ key, certain: count - error }))
    .filter(({ certain }) => certain >= heatLimits.hotRowOperations)
    .map(({ key, certain }) => ({ key, share: certain / operations }))
    .filter(({ share }) => share > heatLimits.hotRowWarning);
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
    problem:
      `one row takes up to ${percentText(greatest)} of the operations of a window, ` +
      `${windowsText(windows, judged)}: ${names.text(key)}`,
    fix:
      'a row is on one node, whatever the size of the cluster: divide it into several rows by a ' +
      'further segment, keep reads of it in a cache, or count with buffered counters',
  };
}

/** Few ranges of rows with most of the load, though writes are not sequential. */
export function hotRanges(traffic: EntityTraffic): readonly HeatFinding[] {
  const { table, model, judged, buckets } = traffic;
  if (buckets.count < heatLimits.minBuckets) return [];
  const shown = judged.filter(isHotRange);
  if (shown.length === 0) return [];
  const samples = shown.flatMap((window) => window.samples);
  const { segment, values } = leadingValues(model, samples);
  const busiest = average(shown.map(({ figures }) => figures.busiest));
  const active = average(shown.map(({ figures }) => figures.active));
  const listed = values
    .slice(0, 3)
    .map(({ text, samples: own }) => `${text} (${percentText(own / samples.length)})`);
  const most = segment === undefined ? '' : `; most by '${segment}': ${listed.join(', ')}`;
  return [
    {
      kind: 'hotRange',
      level: 'warning',
      table,
      entity: model?.name,
      segment,
      windows: shown.length,
      judged: judged.length,
      figures: { busiest, active },
      problem:
        `5 % of the key ranges take ${percentText(busiest)} of the operations ` +
        `${windowsText(shown.length, judged.length)}${most}`,
      fix: rangeAdvice(segment),
    },
  ];
}

function isHotRange({ figures, samples }: EntityWindow): boolean {
  if (figures.excessAppend > heatLimits.lowAppend) return false;
  if (figures.busiest <= heatLimits.busiest) return false;
  // A single hot row, which has a finding of its own, does not make a range hot.
  const counts = new Map<string, number>();
  for (const { key } of samples) {
    const text = latin1Text(key);
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  const hottest = Math.max(...counts.values()) / samples.length;
  return hottest < heatLimits.hotRowError || figures.busiest - hottest > heatLimits.busiest;
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
