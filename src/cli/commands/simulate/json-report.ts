/** The report of a simulation as JSON. */
import { printable } from '../../../base/index.js';
import { findingsJson } from '../heatmap/findings.js';
import type { SimulationReport } from '../../../tools/simulate/index.js';

/** The report without models and traffic. */
export function jsonReport({ options, workloads, recommendation }: SimulationReport): unknown {
  return {
    options,
    workloads: workloads.map((workload) => ({
      ...workload,
      designs: workload.designs.map((design) => ({
        ...design,
        exampleKeys: design.exampleKeys.map(printable),
        findings: findingsJson(design.findings),
        model: undefined,
        access: undefined,
      })),
    })),
    recommendation,
  };
}
