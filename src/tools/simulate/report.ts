/** Settings and results of a simulation, as data. */
import type { EntityModel } from '../../entities/model/index.js';
import type { TabletReport } from './model/tablets.js';
import type { OtherMeaning } from './model/designs.js';
import type { ReadCost } from './model/fan-out.js';
import type { NodeNeeds } from './model/node-needs.js';
import type { AccessLog, HeatFinding, StorageKind } from '../heat/index.js';
import type { StorageReport } from './model/storage.js';
import type { SizeFinding } from './size-findings.js';
import type { WriteCost } from './model/derived-cost.js';

/** The recommended design. */
export interface Recommendation {
  /** Undefined if every design lacks an access pattern. */
  readonly design: string | undefined;
  /** What it needs, and why the rest is no better: a sentence for each. */
  readonly reasons: readonly string[];
}

/** Settings of a simulation. */
export interface SimulationOptions {
  /** The same seed gives the same report. */
  readonly seed: number;
  /** Nodes of the cluster. */
  readonly nodes: number;
  readonly storage: StorageKind;
  /** The part of a node's time and storage that may be in use; the rest is headroom. */
  readonly target: number;
  /** Size at which a tablet is split. */
  readonly tabletBytes: number;
  /** Rows in the sample. */
  readonly sampleRows: number;
  /** Minutes of traffic. */
  readonly minutes: number;
  /** Milliseconds since 1970 in the middle of the traffic. */
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
  /** Access patterns that are no ranges of the key: such a design is not recommended. */
  readonly scanned: readonly string[];
  readonly findings: readonly HeatFinding[];
  /** Bytes of keys and cells: the most in this year. */
  readonly storedBytes: number;
  /** Of these, bytes of indexes and rollups. */
  readonly derivedBytes: number;
  readonly needs: Readonly<Record<StorageKind, NodeNeeds>>;
  /** Load of the busiest of the given nodes, 1 being all it can serve. */
  readonly busiestNodeLoad: number;
  /** Times this traffic with which the busiest tablet takes a node to the target. */
  readonly growth: number;
  /** The traffic, for heat maps; counts are of the sample. */
  readonly access: AccessLog;
  /** Operations for which one of the sample stands. */
  readonly scale: number;
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
  /** Empty if the entity has no indexes, rollups or copies. */
  readonly writeCosts: readonly WriteCost[];
  readonly designs: readonly DesignReport[];
  /** Keys that are not compared, because an access pattern would return something else. */
  readonly leftOut: readonly OtherMeaning[];
}

/** A whole simulation. */
export interface SimulationReport {
  readonly options: SimulationOptions;
  readonly workloads: readonly WorkloadReport[];
  readonly recommendation: Recommendation;
}
