/** Workloads: declared, simulated, and run against a database. */
export {
  type ColumnLoad,
  defineWorkload,
  isWorkload,
  type ReadLoad,
  type SegmentDistribution,
  type Workload,
  type WorkloadOptions,
} from './workload/workload.js';
export { entityClassesOf } from './workload/entity-classes.js';
export { compileWorkload } from './workload/check-workload.js';
export type { EntityLoad } from './workload/entity-load.js';
export type { Dataset } from './load/operations.js';
export { type LoadOptions, type LoadReport, runLoad } from './load/run-load.js';
export { countWords, counted, needsText, nodesText, percent } from './recommend.js';
export type { SizeFinding } from './size-findings.js';
export { simulate, simulationDefaults, type SimulationRun } from './simulate.js';
export {
  type DesignReport,
  type SimulationOptions,
  type SimulationReport,
  type WorkloadReport,
} from './report.js';
export { nodesOf } from './model/node-needs.js';
export { readCostText, workloadTexts } from './texts.js';
