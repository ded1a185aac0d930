/** The recorded operations on a table, by the entities of their keys. */
import type { EntityModel } from '../../../entities/model/index.js';
import type { AccessWindow, KeySample, TableAccess } from '../access-log.js';
import { Buckets } from '../grid/buckets.js';
import type { KeyNames } from '../key-names.js';
import { heatLimits } from './finding.js';
import { KeyExtremes, windowFigures, type WindowFigures } from './window-figures.js';

/** A window of one entity. */
export interface EntityWindow {
  readonly start: number;
  readonly samples: readonly KeySample[];
  readonly figures: WindowFigures;
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
): readonly EntityTraffic[] {
  const groups = new Map<EntityModel | undefined, Pick<AccessWindow, 'start' | 'samples'>[]>();
  for (const { start, samples } of windows) {
    for (const [model, own] of byModel(samples, names)) {
      const group = groups.get(model) ?? [];
      groups.set(model, group);
      group.push({ start, samples: own });
    }
  }
  return [...groups]
    .map(([model, own]) => trafficOf(table, model, own))
    .sort((a, b) => sampleCount(b) - sampleCount(a));
}

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
  windows: readonly Pick<AccessWindow, 'start' | 'samples'>[],
): EntityTraffic {
  const buckets = Buckets.of(windows.flatMap(({ samples }) => samples.map(({ key }) => key)));
  const extremes = new KeyExtremes();
  const measured = windows.map(({ start, samples }) => ({
    start,
    samples,
    figures: windowFigures(samples, buckets, extremes),
  }));
  const judged = measured.filter(({ samples }) => samples.length >= heatLimits.minSamples);
  return { table, model, buckets, windows: measured, judged };
}

function sampleCount({ windows }: EntityTraffic): number {
  return windows.reduce((sum, { samples }) => sum + samples.length, 0);
}
