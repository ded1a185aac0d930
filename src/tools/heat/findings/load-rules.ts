/** Load that comes and goes, and rows that are too large. */
import { latin1Text, spanText, type FaultTexts } from '../../../base/index.js';
import type { TableAccess } from '../access-log.js';
import type { KeyNames } from '../key-names.js';
import { type FindingPlace, heatLimits, type HeatFinding } from './finding.js';

/** Before and after all keys that tables have. */
const wholeTable = { first: new Uint8Array(0), last: new Uint8Array(8).fill(0xff) };

/** Periods that must be seen for load to be periodic. */
const minPeriods = 3;

/** Bursts at regular intervals. */
export function periodicLoad(
  { table, windows }: TableAccess,
  windowMs: number,
): readonly HeatFinding[] {
  const loads = loadSeries(windows, windowMs);
  const mean = loads.reduce((sum, load) => sum + load, 0) / loads.length;
  const peak = loads.reduce((most, load) => Math.max(most, load), 0);
  if (loads.length < 2 * minPeriods || peak < heatLimits.periodicPeak * mean) return [];
  const period = periodOf(loads, mean);
  if (period === undefined) return [];
  const minutes = (period.lag * windowMs) / 60_000;
  const bursts = windows.filter(({ reads, writes }) => (reads + writes) * 2 >= peak);
  return [
    {
      kind: 'periodicLoad',
      level: 'info',
      table,
      places: bursts.map(({ start }) => ({ start, ...wholeTable })),
      figures: { periodMinutes: minutes, correlation: period.correlation, peak: peak / mean },
      ...faults.burstyLoad(minutes, (peak / mean).toFixed(1)),
    },
  ];
}

/** Operations of each window, 0 where there were none; at most a week of minutes. */
function loadSeries(windows: TableAccess['windows'], windowMs: number): readonly number[] {
  const maxWindows = 10_080;
  if (windows.length === 0) return [];
  const end = windows[windows.length - 1].start / windowMs;
  const start = Math.max(windows[0].start / windowMs, end - maxWindows + 1);
  const loads = new Array<number>(end - start + 1).fill(0);
  for (const window of windows) {
    const index = window.start / windowMs - start;
    if (index >= 0) loads[index] = window.reads + window.writes;
  }
  return loads;
}

/** The shortest lag at which the series resembles itself. */
function periodOf(
  loads: readonly number[],
  mean: number,
): { readonly lag: number; readonly correlation: number } | undefined {
  const deviations = loads.map((load) => load - mean);
  const variance = deviations.reduce((sum, each) => sum + each * each, 0);
  if (variance === 0) return undefined;
  const longest = Math.floor(loads.length / minPeriods);
  const correlations = Array.from({ length: longest + 2 }, (_, lag) => {
    let sum = 0;
    for (let i = lag; i < deviations.length; i++) sum += deviations[i] * deviations[i - lag];
    // The series is shorter by the lag.
    return (sum / variance) * (loads.length / (loads.length - lag));
  });
  let least = correlations[1];
  for (let lag = 2; lag <= longest; lag++) {
    const correlation = correlations[lag];
    const isPeak = correlation > correlations[lag - 1] && correlation >= correlations[lag + 1];
    // Load that only drifts resembles itself at all short lags.
    const isDistinct = correlation - least >= heatLimits.periodicContrast;
    if (isPeak && isDistinct && correlation >= heatLimits.periodicCorrelation)
      return { lag, correlation };
    least = Math.min(least, correlation);
  }
  return undefined;
}

/** Rows with large reads or writes. */
export function largeRows(
  { table, windows }: TableAccess,
  names: KeyNames,
): readonly HeatFinding[] {
  const largest = new Map<string, { key: Uint8Array; bytes: number; places: FindingPlace[] }>();
  for (const { start, largest: found } of windows) {
    if (found === undefined || found.bytes < heatLimits.largeRowWarning) continue;
    const text = latin1Text(found.key);
    const row = largest.get(text) ?? { key: found.key, bytes: 0, places: [] };
    largest.set(text, row);
    row.bytes = Math.max(row.bytes, found.bytes);
    row.places.push({ start, first: row.key, last: row.key });
  }
  return [...largest.values()].map(({ key, bytes, places }) => {
    const model = names.modelOf(key);
    return {
      kind: 'largeRow',
      level: bytes > heatLimits.largeRowError ? 'error' : 'warning',
      table,
      entity: model?.name,
      segment: model?.segments.at(-1)?.property,
      key: names.text(key),
      windows: places.length,
      judged: windows.length,
      places,
      figures: { bytes },
      ...faults.rowTooLarge(Math.round(bytes / 2 ** 20), names.text(key)),
    };
  });
}

const faults = {
  burstyLoad: (minutes: number, shown: string) => ({
    problem:
      `load comes in bursts every ${spanText(minutes * 60)}: the greatest is ` +
      `${shown} times the mean`,
    fix: 'start periodic jobs at different times or limit their rate; otherwise nodes are needed for the bursts',
  }),
  rowTooLarge: (round: number, text: string) => ({
    problem:
      `${round} MiB of one row were read or written at a time: ` +
      `${text}; Bigtable recommends 100 MB at most, and cannot read more than 256 MB`,
    fix: 'divide the row by a further segment (a day, a part number), or limit versions and age of its cells',
  }),
} satisfies FaultTexts;
