/** The designs of a simulation as heat maps of a page. */
import { printable } from '../../base/index.js';
import {
  type DesignReport,
  needsText,
  type SimulationOptions,
  type SimulationReport,
} from '../simulate/index.js';
import { type HeatMap, heatMaps } from './heat-map.js';
import type { PageConclusion } from './heat-page.js';

/** A map of each design, the declared one first. */
export function designMaps({ workloads, options }: SimulationReport): readonly HeatMap[] {
  return workloads.flatMap(({ designs }) => designs.flatMap((each) => mapsOfDesign(each, options)));
}

/** The recommendation. */
export function conclusionOf({ recommendation }: SimulationReport): PageConclusion {
  const { design = 'none of these designs', reasons } = recommendation;
  return { verdict: design, reasons };
}

/** The maps of one design: of one table. */
export function mapsOfDesign(
  design: DesignReport,
  { storage }: Pick<SimulationOptions, 'storage'>,
): readonly HeatMap[] {
  const { name, model, access, findings, scale, needs, storedBytes, exampleKeys } = design;
  const example = exampleKeys.slice(0, 1).map((key) => `Keys such as ${printable(key)}`);
  const about = [...example, `${needsText(needs[storage], storage, storedBytes)}.`].join('; ');
  return heatMaps({ access, findings, models: [model], scale }).map((map) => ({
    ...map,
    name,
    about,
    // All keys are of one entity, also where a scan begins before all rows.
    table: {
      ...map.table,
      buckets: map.table.buckets.map((each) => ({ ...each, entity: model.name })),
    },
  }));
}
