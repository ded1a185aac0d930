/** Writes that reach few tablets at a time. */
import { countText, type FaultTexts } from '../../../base/index.js';
import type { EntityTraffic, EntityWindow } from './entity-traffic.js';
import {
  heatLimits,
  levelAt,
  loadText,
  percentText,
  windowsText,
  type HeatFinding,
} from './finding.js';
import { followsClock } from './clock-keys.js';
import { busyPlaces, isWrite } from './places.js';
import { type LeadingValues, leadingValues, spreadAdvice, valuesText } from './segments.js';
import { mean, type Places, rankCorrelation } from './window-figures.js';

/** The windows of an entity by how many places its writes reach. */
export interface WritePattern {
  /** Windows with enough writes to judge. */
  readonly judged: readonly EntityWindow[];
  /** Keys follow the clock: one tablet takes all writes. */
  readonly sequential: readonly EntityWindow[];
  /** Writes advance in fewer places than there are nodes. */
  readonly few: readonly EntityWindow[];
}

/** How many places the writes reach. */
export function writePattern(traffic: EntityTraffic, nodes: number): WritePattern {
  const judged = traffic.judged.filter(({ figures }) => figures.writes >= heatLimits.minWrites);
  const evident = judged.filter(isSequential);
  const late = lateWindows(traffic, judged);
  const sequential = judged.filter((window) => evident.includes(window) || late.includes(window));
  const others = judged.filter(
    (window) => window.figures.writes >= heatLimits.minSamples && !sequential.includes(window),
  );
  // A recording may begin with a batch in the order of the keys, which need not be new.
  const isStart = judged.length > 1 && sequential.length === 1 && sequential[0] === judged[0];
  if (isStart) sequential.pop();
  const fewer = others.filter(({ figures }) => figures.excessAppend * nodes > 1);
  const inFew = others.filter(
    ({ figures: { writePlaces } }) => areAlike(writePlaces) && writePlaces.count < minPlaces(nodes),
  );
  // An import that writes some minutes to one range is no pattern of the keys.
  const isPattern =
    inFew.length >= heatLimits.placeWindows &&
    inFew.length >= heatLimits.placeShare * judged.length;
  if (!isPattern) return { judged, sequential, few: fewer };
  if (isMoving(traffic, inFew)) return { judged, sequential: [...sequential, ...inFew], few: [] };
  return { judged, sequential, few: [...new Set([...fewer, ...inFew])] };
}

/** Whether the operations are in places that can be distinguished and take about the same load. */
export function areAlike({ active, covered }: Places): boolean {
  return active <= heatLimits.placesActive && covered >= heatLimits.placesCovered;
}

/** One place is too few for any cluster that has several nodes. */
function minPlaces(nodes: number): number {
  return Math.max(heatLimits.onePlace, nodes * 0.9);
}

/** Whether the keys of a window's writes grow, or shrink, with time. */
function isSequential({ figures: { rho, append } }: EntityWindow): boolean {
  return Math.abs(rho) >= heatLimits.sequentialRho && append >= heatLimits.sequentialAppend;
}

/** Windows with keys that follow the time, except for writes that are a little late. */
function lateWindows(
  { model }: EntityTraffic,
  judged: readonly EntityWindow[],
): readonly EntityWindow[] {
  const late = judged.filter(
    ({ figures: { rho, beyond } }) =>
      Math.abs(rho) >= heatLimits.sequentialLateRho && beyond >= heatLimits.sequentialAppend,
  );
  return isSkewed(model, late) ? [] : late;
}

/** Whether one value of the leading segment has most writes: then its skew is the cause. */
function isSkewed(model: EntityTraffic['model'], windows: readonly EntityWindow[]): boolean {
  return topShare(leadingValues(model, writesOf(windows))) > 0.5;
}

/**
 * Whether the windows write to one place that moves through the table, which late writes and
 * updates of new rows hide within a window.
 */
function isMoving({ model }: EntityTraffic, windows: readonly EntityWindow[]): boolean {
  const places = mean(windows.map(({ figures }) => figures.writePlaces.count));
  if (places >= heatLimits.onePlace) return false;
  const middles = windows.map(({ figures }) => figures.writePlaces.middle);
  if (Math.abs(rankCorrelation(middles)) < heatLimits.sequentialRho) return false;
  return !isSkewed(model, windows);
}

/** The share of the most frequent value. */
function topShare({ values }: LeadingValues): number {
  if (values.length === 0) return 0;
  return values[0].samples / values.reduce((sum, { samples }) => sum + samples, 0);
}

function writesOf(windows: readonly EntityWindow[]): EntityWindow['samples'] {
  return windows.flatMap(({ samples }) => samples.filter(isWrite));
}

/** Writes with keys that follow the clock: one tablet takes all of them. */
export function sequentialWrites(
  { table, model, buckets }: EntityTraffic,
  { judged, sequential }: WritePattern,
  isOngoing: boolean,
): readonly HeatFinding[] {
  if (sequential.length === 0) return [];
  const { segment } = leadingValues(model, writesOf(sequential));
  const append = mean(sequential.map(({ figures }) => Math.max(figures.append, figures.beyond)));
  const middles = sequential.map(({ figures }) => figures.writePlaces.middle);
  const within = mean(sequential.map(({ figures }) => figures.rho));
  const isEvident = sequential.every(
    ({ figures: { append, beyond } }) => Math.max(append, beyond) >= heatLimits.sequentialAppend,
  );
  const rho = isEvident ? within : rankCorrelation(middles);
  const direction = rho > 0 ? 'grow' : 'shrink';
  const named = segment === undefined ? '' : ` of '${segment}'`;
  const active = mean(sequential.map(({ figures }) => figures.writePlaces.active));
  const where = isEvident
    ? `${percentText(append)} of the writes are at an end of the table`
    : `the writes of a window are in one range, of ${percentText(active)} of the keys`;
  const load = Math.max(...sequential.map(({ writeLoad }) => writeLoad));
  const found = {
    kind: 'sequentialWrites',
    table,
    entity: model?.name,
    segment,
    windows: sequential.length,
    judged: judged.length,
    places: sequential.flatMap((window) => busyPlaces(window, buckets, isWrite)),
    figures: { rho, append, fronts: isEvident ? 1 / append : 1, load },
  } as const;
  const isGrowth =
    isOngoing ||
    sequential.length >= heatLimits.growthWindows ||
    followsClock(model, segment, sequential);
  if (!isGrowth)
    return [
      { ...found, level: 'info', ...faults.bulkLoad(sequential.length, judged.length, load) },
    ];
  return [
    {
      ...found,
      level: levelAt(sequential.length * 2 >= judged.length ? 'error' : 'warning', load),
      ...faults.sequentialWrites(
        sequential.length,
        judged.length,
        direction,
        named,
        where,
        load,
        spreadAdvice(model, segment),
      ),
    },
  ];
}

/** Writes that advance in fewer places than there are nodes. */
export function writeFronts(
  { table, model, buckets }: EntityTraffic,
  { judged, few }: WritePattern,
  nodes: number,
): readonly HeatFinding[] {
  if (few.length === 0) return [];
  const append = mean(few.map(({ figures }) => figures.append));
  const fronts = Math.max(1, mean(few.map(frontsOf)));
  const leading = leadingValues(model, writesOf(few));
  // A place with most of the writes takes most of the load.
  const load = Math.max(
    ...few.map((window) => window.writeLoad * Math.max(1 / frontsOf(window), topShare(leading))),
  );
  return [
    {
      kind: 'writeFronts',
      level: levelAt('warning', load),
      table,
      entity: model?.name,
      segment: leading.segment,
      windows: few.length,
      judged: judged.length,
      places: few.flatMap((window) => busyPlaces(window, buckets, isWrite)),
      figures: { fronts, append, nodes, load },
      ...faults.tooFewPlaces(
        Math.round(fronts),
        few.length,
        judged.length,
        nodes,
        causeText(leading),
        load,
        leading.segment,
      ),
    },
  ];
}

/** Places of a window's writes, as its appends or its ranges show them. */
function frontsOf({ figures: { excessAppend, append, writePlaces } }: EntityWindow): number {
  const byAppends = excessAppend > heatLimits.lowAppend ? 1 / append : Infinity;
  return Math.min(byAppends, areAlike(writePlaces) ? writePlaces.count : Infinity);
}

/** `: 'device' has 5 values`, or the one with most of the writes. */
function causeText(leading: LeadingValues): string {
  const share = topShare(leading);
  if (share > 0.5)
    return `: ${percentText(share)} have one value of '${leading.segment}', ${leading.values[0].text}`;
  const values = valuesText(leading);
  return values === undefined ? '' : `: ${values}`;
}

function frontAdvice(segment: string | undefined, nodes: number): string {
  const where = segment === undefined ? 'the beginning of the key' : `'${segment}'`;
  return (
    `more nodes than places do not help: add a segment with many values after ${where}, ` +
    `or give the key at least ${nodes} shards`
  );
}

const faults = {
  bulkLoad: (windows: number, judged: number, load: number) => ({
    problem:
      `rows are written in the order of their keys ${windowsText(windows, judged)}, as by a bulk load: ` +
      `one node takes them all, ${loadText(load)}`,
    fix:
      'none needed for a load that ends; several loads of different ranges at a time, or rows in random order, ' +
      'use more nodes',
  }),
  sequentialWrites: (
    sequentialLength: number,
    judgedLength: number,
    direction: string,
    named: string,
    where: string,
    load: number,
    spreadAdviceText: string,
  ) => ({
    problem:
      `writes are sequential ${windowsText(sequentialLength, judgedLength)}: keys ${direction} ` +
      `with the time${named}, and ${where}, so that one node takes them all, ${loadText(load)}`,
    fix: spreadAdviceText,
  }),
  tooFewPlaces: (
    round: number,
    fewLength: number,
    judgedLength: number,
    nodes: number,
    cause: string,
    load: number,
    segment: undefined | string,
  ) => ({
    problem:
      `writes advance in about ${countText(round, 'place')} at a time ` +
      `${windowsText(fewLength, judgedLength)}, fewer than ${countText(nodes, 'node')}` +
      `${cause}; the busiest takes ${loadText(load)}`,
    fix: frontAdvice(segment, nodes),
  }),
} satisfies FaultTexts;
