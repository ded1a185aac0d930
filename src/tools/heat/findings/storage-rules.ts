/** How the rows of a table, and the load of its nodes, are divided over tablets. */
import type { FaultTexts } from '../../../base/index.js';
import type { SampledKey } from '../../../data/store/index.js';
import type { KeyNames } from '../key-names.js';
import { nodeShares } from '../node-profiles.js';
import { heatLimits, levelAt, percentText, type HeatFinding } from './finding.js';

/** Sections below which a median means little. */
const minSections = 4;

/** A section of a table: the rows from the end of the one before up to `end`. */
export interface StorageSection {
  readonly start: Uint8Array;
  /** Empty for the end of the table. */
  readonly end: Uint8Array;
  readonly bytes: number;
}

/** The sections between sampled keys. Engines sample the keys in their order. */
export function storageSections(sampled: readonly SampledKey[]): readonly StorageSection[] {
  let start: Uint8Array = new Uint8Array(0);
  let offset = 0;
  return sampled.map(({ key, offsetBytes }) => {
    const section = { start, end: key, bytes: Math.max(0, offsetBytes - offset) };
    [start, offset] = [key, offsetBytes];
    return section;
  });
}

/** A section that is much larger than the rest. */
export function tabletSkew(
  table: string,
  sections: readonly StorageSection[],
  names: KeyNames,
): readonly HeatFinding[] {
  if (sections.length < minSections) return [];
  const ordered = sections.map(({ bytes }) => bytes).sort((a, b) => a - b);
  const median = ordered[ordered.length >> 1];
  const mean = ordered.reduce((sum, bytes) => sum + bytes, 0) / ordered.length;
  const largest = sections.reduce((most, each) => (each.bytes > most.bytes ? each : most));
  // Of a table that was split for rows to come, most sections are empty.
  const [skew, usual] =
    median === 0 ? [largest.bytes / mean, 'mean'] : [largest.bytes / median, 'median'];
  if (largest.bytes < heatLimits.skewedBytes || skew <= heatLimits.tabletSkew) return [];
  const model = names.modelOf(largest.start) ?? names.modelOf(largest.end);
  return [
    {
      kind: 'tabletSkew',
      level: 'warning',
      table,
      entity: model?.name,
      segment: model?.segments[0].property,
      key: names.text(largest.start),
      figures: { skew, largestBytes: largest.bytes, medianBytes: median },
      ...faults.largeSection(skew.toFixed(1), usual, rangeText(largest, names)),
    },
  ];
}

/** A tablet of `listHotTablets`. */
export interface HotTablet {
  readonly table: string;
  readonly startKey: Uint8Array;
  readonly endKey: Uint8Array;
  /** Share of a node's CPU from 0 to 1. */
  readonly cpu: number;
  /** Milliseconds since 1970. */
  readonly start: number;
  readonly end: number;
}

/** Tablets that use much of a node. */
export function hotTabletFindings(
  tablets: readonly HotTablet[],
  namesOf: (table: string) => KeyNames,
): readonly HeatFinding[] {
  return tablets
    .filter(({ cpu }) => cpu >= nodeShares.warning)
    .sort((a, b) => b.cpu - a.cpu)
    .map(({ table, startKey, endKey, cpu }) => {
      const names = namesOf(table);
      const model = names.modelOf(startKey) ?? names.modelOf(endKey);
      const range = rangeText({ start: startKey, end: endKey }, names);
      return {
        kind: 'hotTablet',
        level: levelAt('error', cpu),
        table,
        entity: model?.name,
        segment: model?.segments[0].property,
        key: names.text(startKey),
        figures: { cpu },
        ...faults.hotTablet(cpu, range),
      };
    });
}

function rangeText(
  { start, end }: { readonly start: Uint8Array; readonly end: Uint8Array },
  names: KeyNames,
): string {
  const from = start.length === 0 ? 'the beginning' : names.text(start);
  const to = end.length === 0 ? 'the end' : names.text(end);
  return `${from} to ${to}`;
}

const faults = {
  largeSection: (shown: string, usual: string, range: string) => ({
    problem:
      `one section of the table is ${shown} times as large as the ${usual}: the rows ` +
      `from ${range}`,
    fix: 'look for rows that grow without bound in this range; a tablet is split between rows, never within one',
  }),
  hotTablet: (cpu: number, range: string) => ({
    problem: `one tablet uses ${percentText(cpu)} of a node's CPU: the rows from ${range}`,
    fix:
      'record the access of the application and look at its heat map: it shows whether rows, ' +
      'ranges or sequential writes are hot',
  }),
} satisfies FaultTexts;
