/** Simulations of small samples, for tests of what they conclude. */
import type { EntityClass } from '../../../src/index.js';
import { buildModel } from '../../../src/entities/model/index.js';
import {
  compileWorkload,
  type DesignReport,
  simulate,
  type SimulationOptions,
  type SimulationReport,
  type WorkloadOptions,
} from '../../../src/tools/simulate/index.js';

/** The time of the write. */
export const time = { distribution: 'time' } as const;
/** Each new row has the next number. */
export const sequential = { distribution: 'sequential' } as const;

/** A report from a few minutes of traffic and a few thousand rows. */
export function simulated(
  entity: EntityClass,
  options: Partial<WorkloadOptions> & {
    readonly segments: WorkloadOptions<Record<string, unknown>>['segments'];
  },
  settings: Partial<SimulationOptions> = {},
): Promise<SimulationReport> {
  const workload = { rows: 10_000_000, writesPerSecond: 5_000, ...options };
  const load = compileWorkload(buildModel(entity), workload);
  return simulate([load], { minutes: 3, sampleRows: 1_000, ...settings });
}

/** The design of this name. */
export function designOf({ workloads }: SimulationReport, name: string): DesignReport {
  const all = workloads.flatMap(({ designs }) => designs);
  const found = all.find((design) => design.name === name);
  if (found !== undefined) return found;
  throw new Error(`no design ${name}, but ${all.map((design) => design.name).join('; ')}`);
}
