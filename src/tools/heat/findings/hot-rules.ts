/** Single rows that take a large part of the load. */
import { latin1Text, type FaultTexts } from '../../../base/index.js';
import type { AccessWindow, TableAccess } from '../access-log.js';
import type { KeyNames } from '../key-names.js';
import {
  type FindingPlace,
  heatLimits,
  levelAt,
  loadText,
  percentText,
  windowsText,
  type HeatFinding,
} from './finding.js';
import type { Rates } from './rates.js';

/** Rows that are listed, at most. */
const maxListed = 5;

interface HotRow {
  readonly key: Uint8Array;
  readonly places: FindingPlace[];
  greatest: number;
  /** The most of a node that it takes. */
  load: number;
}

/** Single rows with a large share of a window. */
export function hotRows(
  access: TableAccess,
  names: KeyNames,
  nodes: number,
  rates: Rates,
): readonly HeatFinding[] {
  const judged = access.windows.filter(({ samples }) => samples.length >= heatLimits.minSamples);
  const rows = new Map<string, HotRow>();
  for (const window of judged) {
    for (const { key, share, operations } of hotKeys(window, nodes)) {
      const text = latin1Text(key);
      const row = rows.get(text) ?? { key, places: [], greatest: 0, load: 0 };
      rows.set(text, row);
      row.places.push({ start: window.start, first: key, last: key });
      row.greatest = Math.max(row.greatest, share);
      row.load = Math.max(row.load, rates.loadOf(operations, samplesOf(window, text)));
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
function hotKeys(
  window: AccessWindow,
  nodes: number,
): { key: Uint8Array; share: number; operations: number }[] {
  const operations = window.reads + window.writes;
  const rows = new Set(window.samples.map(({ key }) => latin1Text(key))).size;
  const least = Math.min(heatLimits.hotRowOfMean / rows, 1 / nodes);
  return window.top
    .map(({ key, count, error }) => ({ key, certain: count - error }))
    .filter(({ certain }) => certain >= heatLimits.hotRowOperations)
    .map(({ key, certain }) => ({ key, share: certain / operations, operations: certain }))
    .filter(({ share }) => share > Math.max(heatLimits.hotRowWarning, least));
}

/** The samples of a row, or of all rows if there is none. */
function samplesOf({ samples }: AccessWindow, row: string): AccessWindow['samples'] {
  const own = samples.filter(({ key, kind }) => kind !== 'scan' && latin1Text(key) === row);
  return own.length > 0 ? own : samples;
}

function hotRowFinding(
  table: string,
  { key, places, greatest, load }: HotRow,
  judged: number,
  names: KeyNames,
): HeatFinding {
  const model = names.modelOf(key);
  return {
    kind: 'hotRow',
    level: levelAt(greatest > heatLimits.hotRowError ? 'error' : 'warning', load),
    table,
    entity: model?.name,
    segment: model?.segments.at(-1)?.property,
    key: names.text(key),
    windows: places.length,
    judged,
    places,
    figures: { share: greatest, load },
    ...faults.hotRow(greatest, places.length, judged, load, names.text(key)),
  };
}

const faults = {
  hotRow: (greatest: number, windows: number, judged: number, load: number, text: string) => ({
    problem:
      `one row takes up to ${percentText(greatest)} of the operations of a window, ` +
      `${windowsText(windows, judged)}, ${loadText(load)}: ${text}`,
    fix:
      'divide the row into several rows by a further segment, keep reads of it in a cache, or count with ' +
      'buffered counters: a row is on one node, whatever the size of the cluster',
  }),
} satisfies FaultTexts;
