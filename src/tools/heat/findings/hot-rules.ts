/** Single rows that take a large part of the load. */
import { latin1Text, type FaultTexts } from '../../../base/index.js';
import type { AccessWindow, KeySample, TableAccess } from '../access-log.js';
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
    for (const { key, text, share, load } of hotKeys(window, nodes, rates)) {
      const row = rows.get(text) ?? { key, places: [], greatest: 0, load: 0 };
      rows.set(text, row);
      row.places.push({ start: window.start, first: key, last: key });
      row.greatest = Math.max(row.greatest, share);
      row.load = Math.max(row.load, load);
    }
  }
  return [...rows.values()]
    .sort((a, b) => b.greatest - a.greatest)
    .slice(0, maxListed)
    .map((row) => hotRowFinding(access.table, row, judged.length, names));
}

/** A row in a window. */
interface HotKey extends Pick<HotRow, 'key' | 'load'> {
  readonly text: string;
  readonly share: number;
}

/**
 * Rows above the limit. If few rows are used, each has a large share, which is no fault while it is
 * about the same and fits on a node. A row that needs more than a node is hot at any share.
 */
function hotKeys(window: AccessWindow, nodes: number, rates: Rates): readonly HotKey[] {
  const operations = window.reads + window.writes;
  const samples = samplesByRow(window);
  const least = Math.min(heatLimits.hotRowOfMean / samples.size, 1 / nodes);
  return window.top
    .map(({ key, count, error }) => ({ key, certain: count - error }))
    .filter(({ certain }) => certain >= heatLimits.hotRowOperations)
    .map(({ key, certain }) => {
      const text = latin1Text(key);
      const own = samples.get(text)?.filter(({ kind }) => kind !== 'scan') ?? [];
      const load = rates.loadOf(certain, own.length > 0 ? own : window.samples);
      return { key, text, share: certain / operations, load };
    })
    .filter(({ share, load }) => share > Math.max(heatLimits.hotRowWarning, least) || load > 1);
}

function samplesByRow({ samples }: AccessWindow): ReadonlyMap<string, readonly KeySample[]> {
  const rows = new Map<string, KeySample[]>();
  for (const sample of samples) {
    const text = latin1Text(sample.key);
    const own = rows.get(text);
    if (own === undefined) rows.set(text, [sample]);
    else own.push(sample);
  }
  return rows;
}

function hotRowFinding(
  table: string,
  { key, places, greatest, load }: HotRow,
  judged: number,
  names: KeyNames,
): HeatFinding {
  const model = names.modelOf(key);
  const isError = greatest > heatLimits.hotRowError || load > 1;
  return {
    kind: 'hotRow',
    level: levelAt(isError ? 'error' : 'warning', load),
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
