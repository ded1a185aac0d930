/** Simulations of workloads: what a table would look like with its rows and traffic. */
import type { ErrorLine, ProgressLine } from './failure.js';
import type { Json } from './json.js';

/** A workload of the project, in the response of `session`. */
export interface WorkloadInfo {
  readonly name: string;
  readonly entity: string;
  /** As declared. */
  readonly rows: number;
}

/** Request of the stream `simulate`: a workload of the session, with other numbers if given. */
export interface SimulateRequest {
  readonly workload: string;
  /** Rows of the table; undefined: as declared. */
  readonly rows?: number | undefined;
  /** Nodes of the cluster; undefined: as the command assumes. */
  readonly nodes?: number | undefined;
  readonly storage?: 'ssd' | 'hdd' | undefined;
  /** Rows of the sample, and minutes of traffic; by default as in the command. */
  readonly sampleRows?: number | undefined;
  readonly minutes?: number | undefined;
}

/** A line of the stream `simulate`. */
export type SimulateLine =
  ProgressLine | { readonly type: 'report'; readonly report: Simulation } | ErrorLine;

/** What `rowsmith simulate` prints and draws. */
export interface Simulation {
  readonly workload: string;
  /** The nodes that were assumed, and the share of a node that may be in use. */
  readonly nodes: number;
  readonly target: number;
  /** Undefined if every design lacks an access pattern. */
  readonly recommended: string | undefined;
  /** Sentences about the table, whatever its key. */
  readonly facts: readonly { readonly name: string; readonly text: string }[];
  /** Sizes above or near a limit. */
  readonly sizes: readonly {
    readonly level: string;
    readonly problem: string;
    readonly fix: string;
  }[];
  /** The declared one first. */
  readonly designs: readonly SimulatedDesign[];
  readonly leftOut: readonly { readonly name: string; readonly pattern: string }[];
  /** The recommendation with its reasons, and a map of each design, for `tools/page/browser`. */
  readonly conclusion: { readonly verdict: string; readonly reasons: readonly string[] };
  readonly maps: readonly Json[];
}

/** A key under the workload. */
export interface SimulatedDesign {
  readonly name: string;
  /** A key of the sample, printable. */
  readonly example: string;
  /** Nodes for load and storage; undefined if no number is enough. */
  readonly nodes: number | undefined;
  readonly storedBytes: number;
  /** In the units of the recommendation: `132 GiB`. */
  readonly stored: string;
  /** Tablets by size, and the share of the load that the busiest one has. */
  readonly tablets: number;
  readonly busiestTablet: number;
  /** Load of the busiest of the given nodes; 1 is all it can serve. */
  readonly busiestNode: number;
  /** Times the traffic that the busiest tablet can take. */
  readonly growth: number;
  readonly reads: readonly { readonly name: string; readonly text: string }[];
  readonly findings: number;
}
