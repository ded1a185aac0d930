/** Settings and results of a simulation, as data. */

/** Settings of a simulation. */
import type { EntityModel } from '../../entities/model/index.js';
import type { TabletReport } from './model/tablets.js';
import type { ReadCost } from './model/fan-out.js';
import type { HeatFinding, AccessLog } from '../heat/index.js';
import type { StorageReport } from './model/storage.js';
import type { SizeFinding } from './size-findings.js';
import type { WriteCost } from './model/derived-cost.js';

/** The recommended design. */
export interface Recommendation {
  readonly design: string;
  /** Why it is better than the rest, in a sentence for each. */
  readonly reasons: readonly string[];
}

export interface SimulationOptions {
  /** The same seed gives the same report. */
  readonly seed: number;
  /** Nodes of the cluster. */
  readonly nodes: number;
  /** Requests of one row that a node serves each second. */
  readonly nodeOperations: number;
  /** Size at which a tablet is split. */
  readonly tabletBytes: number;
  /** Rows in the sample. */
  readonly sampleRows: number;
  /** Minutes of traffic. */
  readonly minutes: number;
  /** Milliseconds since 1970 at which the traffic begins. */
  readonly start: number;
}

/** One key design under the workload. */
export interface DesignReport {
  readonly name: string;
  readonly entity: string;
  readonly model: EntityModel;
  /** The parts of the key with their encodings. */
  readonly key: readonly string[];
  /** Keys of the sample, as text. */
  readonly exampleKeys: readonly Uint8Array[];
  readonly meanKeyBytes: number;
  /** Shards of the key; 1 without. */
  readonly shards: number;
  readonly tablets: TabletReport;
  readonly reads: readonly ReadCost[];
  readonly findings: readonly HeatFinding[];
  /** Load of the busiest node, 1 being all it can serve. */
  readonly busiestNodeLoad: number;
  /** The traffic, for heat maps; counts are of the sample. */
  readonly access: AccessLog;
}

/** A workload that was simulated. */
export interface WorkloadReport {
  readonly name: string;
  readonly entity: string;
  /** Rows that the table holds: fewer than declared if garbage collection removes older ones. */
  readonly rows: number;
  readonly declaredRows: number;
  /** Writes that made these rows, and how long that took, in seconds. */
  readonly writes: number;
  readonly historySeconds: number;
  readonly storage: StorageReport;
  readonly sizeFindings: readonly SizeFinding[];
  readonly writeCosts: readonly WriteCost[];
  readonly designs: readonly DesignReport[];
}

/** A whole simulation. */
export interface SimulationReport {
  readonly options: SimulationOptions;
  readonly workloads: readonly WorkloadReport[];
  readonly recommendation: Recommendation;
}
