/** What a recording or a storage layout shows, in words and figures. */
import { nodeShares } from '../node-profiles.js';

/** The patterns that are looked for. */
export type HeatFindingKind =
  | 'sequentialWrites'
  | 'writeFronts'
  | 'hotRow'
  | 'hotRange'
  | 'periodicLoad'
  | 'largeRow'
  | 'tabletSkew'
  | 'hotTablet';

/** How grave a finding is. */
export type FindingLevel = 'error' | 'warning' | 'info';

/** Keys of a window that show a pattern. */
export interface FindingPlace {
  /** Beginning of the window, in milliseconds since 1970. */
  readonly start: number;
  readonly first: Uint8Array;
  readonly last: Uint8Array;
}

/** One pattern. */
export interface HeatFinding {
  readonly kind: HeatFindingKind;
  readonly level: FindingLevel;
  readonly table: string;
  /**
   * The entity with the keys that show it; undefined if no entity decodes them, or for whole
   * tables.
   */
  readonly entity?: string | undefined;
  /** The segment of the key to change. */
  readonly segment?: string | undefined;
  /** A row or the start of a range, decoded if an entity has such keys. */
  readonly key?: string | undefined;
  /** Windows that show it, and windows with enough operations to judge; undefined for storage. */
  readonly windows?: number | undefined;
  readonly judged?: number | undefined;
  /** Where it is seen in a recording. */
  readonly places?: readonly FindingPlace[] | undefined;
  /**
   * What was measured, by name; shares are from 0 to 1. `load` is the part of what a node serves
   * that the place takes in the busiest window: a finding with a `load` below 0.3 is no error.
   */
  readonly figures: Readonly<Record<string, number>>;
  /** What is wrong, as a sentence. */
  readonly problem: string;
  /** What to change, as a sentence. */
  readonly fix: string;
}

/** Thresholds of the findings. */
export const heatLimits = Object.freeze({
  /** Samples below which a window is not judged. */
  minSamples: 200,
  /** Sampled writes below which a window does not show whether writes are sequential. */
  minWrites: 50,
  /** Buckets below which ranges are not judged. */
  minBuckets: 100,
  /** Rank correlation and append share from which writes are sequential. */
  sequentialRho: 0.9,
  sequentialAppend: 0.5,
  /** Rank correlation from which writes are sequential that are a little out of order. */
  sequentialLateRho: 0.7,
  /** Share of the buckets up to which the places of a window can be distinguished ... */
  placesActive: 0.3,
  /** ... and share of the operations that as many of the busiest places have, if all are alike. */
  placesCovered: 0.85,
  /** Places below which writes are in one. */
  onePlace: 1.5,
  /**
   * Windows in which keys without a time must grow: fewer are a bulk load in the order of the keys.
   */
  growthWindows: 10,
  /** Windows below which places say nothing, and share of the judged ones that must show them. */
  placeWindows: 4,
  placeShare: 0.5,
  /** Share of a window on one row: from the first a warning, from the second an error. */
  hotRowWarning: 0.01,
  hotRowError: 0.05,
  /** Operations on a row in a window below which it is not hot. */
  hotRowOperations: 20,
  /**
   * Operations on a row, in operations on the mean row, below which it takes its share of few rows.
   */
  hotRowOfMean: 3,
  /** Share of the busiest 5 % of the buckets above which ranges are hot ... */
  busiest: 0.6,
  /** ... unless more writes than this share append: then they are fronts. */
  lowAppend: 0.01,
  /** Bytes of one row read or written at a time: warning and error. */
  largeRowWarning: 100 * 1024 * 1024,
  largeRowError: 256 * 1024 * 1024,
  /** Largest section of a table, in medians. */
  tabletSkew: 5,
  /** Bytes below which a section is not too large, whatever other sections have. */
  skewedBytes: 1024 * 1024,
  /** Autocorrelation, and greatest load in means, from which load is periodic. */
  periodicCorrelation: 0.6,
  /** How much more the load resembles itself after a period than at some time before that. */
  periodicContrast: 0.5,
  periodicPeak: 2,
});

/** The level of a pattern at a load, which is in nodes. */
export function levelAt(pattern: FindingLevel, load: number): FindingLevel {
  if (load < nodeShares.warning) return 'info';
  return load < nodeShares.error && pattern === 'error' ? 'warning' : pattern;
}

/** `1.2 %`, `45 %`, `1,200 %`. */
export function percentText(share: number): string {
  const percent = share * 100;
  if (percent >= 10 || percent === 0) return `${Math.round(percent).toLocaleString('en')} %`;
  return percent < 0.1 ? 'less than 0.1 %' : `${percent.toFixed(1)} %`;
}

/** `up to 36 % of what it can serve`. */
export function loadText(load: number): string {
  return `${load < 0.001 ? '' : 'up to '}${percentText(load)} of what a node can serve`;
}

/** `in 58 of 60 windows`. */
export function windowsText(windows: number, judged: number): string {
  return `in ${windows} of ${judged} ${judged === 1 ? 'window' : 'windows'}`;
}
