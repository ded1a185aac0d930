/** The recorded operations on a table, by the entities of their keys. */
import type { EntityModel } from '../../../entities/model/index.js';
import type { KeySample, TableAccess } from '../access-log.js';
import { Buckets } from '../grid/buckets.js';
import type { KeyNames } from '../key-names.js';
import { heatLimits } from './finding.js';
import { type Rates, recordedRates } from './rates.js';
import { KeyExtremes, windowFigures, type WindowFigures } from './window-figures.js';

/** A window of one entity. */
export interface EntityWindow {
  readonly start: number;
  readonly samples: readonly KeySample[];
  readonly figures: WindowFigures;
  /** Nodes that its operations keep busy, and those that its writes do. */
  readonly load: number;
  readonly writeLoad: number;
}

/** The operations on the rows of one entity, or on rows that no entity decodes. */
export interface EntityTraffic {
  readonly table: string;
  readonly model: EntityModel | undefined;
  readonly buckets: Buckets;
  readonly windows: readonly EntityWindow[];
  /** Those with enough samples. */
  readonly judged: readonly EntityWindow[];
}

/** The traffic of each entity of the table, most operations first. */
export function entityTraffic(
  { table, windows }: TableAccess,
  names: KeyNames,
  rates: Rates = recordedRates(),
): readonly EntityTraffic[] {
  const groups = new Map<EntityModel | undefined, WindowPart[]>();
  for (const window of windows) {
    const { start } = window;
    for (const [model, samples] of byModel(window.samples, names)) {
      const group = groups.get(model) ?? [];
      groups.set(model, group);
      const load = rates.load(window, samples);
      const writes = samples.filter(({ kind }) => kind === 'write');
      group.push({ start, samples, load, writeLoad: rates.load(window, writes) });
    }
  }
  return [...groups]
    .map(([model, own]) => trafficOf(table, model, own))
    .sort((a, b) => sampleCount(b) - sampleCount(a));
}

/** The operations of a window on the rows of one entity. */
type WindowPart = Omit<EntityWindow, 'figures'>;

function byModel(
  samples: readonly KeySample[],
  names: KeyNames,
): ReadonlyMap<EntityModel | undefined, KeySample[]> {
  const groups = new Map<EntityModel | undefined, KeySample[]>();
  for (const sample of samples) {
    const model = names.modelOf(sample.key);
    const group = groups.get(model);
    if (group === undefined) groups.set(model, [sample]);
    else group.push(sample);
  }
  return groups;
}

function trafficOf(
  table: string,
  model: EntityModel | undefined,
  windows: readonly WindowPart[],
): EntityTraffic {
  const buckets = Buckets.of(windows.flatMap(({ samples }) => samples.map(({ key }) => key)));
  const extremes = new KeyExtremes();
  const measured = windows.map((window) => ({
    ...window,
    figures: windowFigures(window.samples, buckets, extremes),
  }));
  const judged = measured.filter(({ samples }) => samples.length >= heatLimits.minSamples);
  return { table, model, buckets, windows: measured, judged };
}

function sampleCount({ windows }: EntityTraffic): number {
  return windows.reduce((sum, { samples }) => sum + samples.length, 0);
}
