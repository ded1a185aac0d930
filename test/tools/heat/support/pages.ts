/** Pages of workloads, as `rowsmith heatmap` writes them. */
import { type HeatMap, heatMaps, heatPage } from '../../../../src/tools/page/index.js';
import { collectAccess, heatFindings } from '../../../../src/tools/heat/index.js';
import { busy } from './busy.js';
import { modelOf, workloads, writesOf } from './workloads.js';

/** The maps of a workload, each operation of which stands for a thousand. */
export function mapsOf(name: string, minutes = 30): readonly HeatMap[] {
  const workload = workloads().find((each) => each.name === name)!;
  const models = [modelOf(workload)];
  const access = collectAccess(writesOf(workload, minutes));
  const findings = heatFindings(access, { models, nodes: 10, secondsOf: busy(1_000) });
  return heatMaps({ access, findings, models });
}

/** The page of workloads, a map for each. */
export function pageOf(names: readonly string[], title = names.join()): string {
  const maps = names.flatMap((name) => mapsOf(name).map((map) => ({ ...map, name })));
  return heatPage({ title, source: 'a test', maps });
}
