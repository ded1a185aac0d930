/** Few ranges of rows that take most of the load. */
import { latin1Text, type FaultTexts } from '../../../base/index.js';
import type { EntityTraffic, EntityWindow } from './entity-traffic.js';
import {
  heatLimits,
  levelAt,
  loadText,
  percentText,
  windowsText,
  type HeatFinding,
} from './finding.js';
import { busyPlaces } from './places.js';
import { leadingValues, spreadAdvice } from './segments.js';
import { mean, type Places } from './window-figures.js';
import { areAlike, type WritePattern } from './write-rules.js';

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
  const busiest = mean(shown.map(({ figures }) => figures.busiest));
  const load = Math.max(...shown.map((window) => window.load * window.figures.busiest));
  const active = mean(shown.map(({ figures }) => figures.active));
  const found = {
    kind: 'hotRange',
    table,
    entity: model?.name,
    segment,
    windows: shown.length,
    judged: judged.length,
    places: shown.flatMap((window) => busyPlaces(window, buckets)),
    figures: { busiest, active, load },
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
      level: levelAt('warning', load),
      ...faults.hotRanges(busiest, inWindows, most, load, segment),
    },
  ];
}

/** Whether most operations are reads in the order of the keys. */
function isScan({ figures }: EntityWindow): boolean {
  if (
    figures.scans * 2 >= figures.operations &&
    Math.abs(figures.scanRho) >= heatLimits.sequentialRho
  )
    return true;
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

const faults = {
  sequentialReads: (inWindows: string, busiest: number, spreadAdviceText: string) => ({
    problem:
      `reads follow the order of the keys ${inWindows}: 5 % of the key ranges take ` +
      `${percentText(busiest)} of the operations at a time`,
    fix:
      'none needed: a scan of the table, such as an export, reads in key order, and parallel scans of its parts ' +
      `use more nodes; for reads of the newest rows only: ${spreadAdviceText}`,
  }),
  hotRanges: (
    busiest: number,
    inWindows: string,
    most: string,
    load: number,
    segment: undefined | string,
  ) => ({
    problem:
      `5 % of the key ranges take ${percentText(busiest)} of the operations ${inWindows}, ` +
      `${loadText(load)}${most}`,
    fix: rangeAdvice(segment),
  }),
} satisfies FaultTexts;
