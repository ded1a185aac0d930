/** The nodes that a design needs, by its load and by its storage. */
import type { EntityLoad } from '../workload/entity-load.js';
import type { ReadCost } from './fan-out.js';
import { type NodeProfile, secondsOfRead, secondsOfWrite } from '../../heat/index.js';
import { type SizedTablets, Tablets } from './tablets.js';
import type { TrafficOperation } from './traffic.js';

/** What a design needs of nodes with one kind of storage. */
export interface NodeNeeds {
  /** Nodes that the traffic keeps busy, now and after a year of growth. */
  readonly work: number;
  readonly workInYear: number;
  /** Nodes of which the busiest stays within the target; undefined if no number does. */
  readonly forLoad: number | undefined;
  readonly forStorage: number;
}

/** Nodes for load and storage; Infinity if no number is enough. */
export function nodesOf({ forLoad = Infinity, forStorage }: NodeNeeds): number {
  return Math.max(forLoad, forStorage);
}

/** What the operations of a design take of the time of a node. */
export class Work {
  readonly #load: EntityLoad;
  readonly #write: number;
  /** Of the kinds of reads, in their order. */
  readonly #reads: readonly number[];

  constructor(
    load: EntityLoad,
    profile: NodeProfile,
    reads: readonly Pick<ReadCost, 'shards' | 'bytesRead'>[],
    writtenBytes: number,
  ) {
    this.#load = load;
    this.#write = secondsOfWrite(profile, writtenBytes);
    this.#reads = reads.map(({ shards, bytesRead }) => secondsOfRead(profile, shards, bytesRead));
  }

  /** Nodes that the traffic keeps busy; writes grow by a factor. */
  nodes(growth = 1): number {
    const { writesPerSecond, readsPerSecond, reads } = this.#load;
    const perRead = reads.reduce((sum, { share }, i) => sum + share * this.#reads[i], 0);
    return writesPerSecond * growth * this.#write + readsPerSecond * perRead;
  }

  tablets(bySize: SizedTablets, operations: readonly TrafficOperation[], nodes: number): Tablets {
    const seconds = ({ read }: TrafficOperation): number =>
      read === undefined ? this.#write : this.#reads[this.#load.reads.indexOf(read)];
    const loads = operations.map((operation) => ({ ...operation, seconds: seconds(operation) }));
    return new Tablets(bySize, loads, nodes);
  }

  /** `storedBytes`: the most in this year. `target`: the part of a node that may be in use. */
  needs(tablets: Tablets, { stored }: NodeProfile, storedBytes: number, target: number): NodeNeeds {
    const workInYear = this.nodes(1 + Math.max(0, this.#load.growthPerYear));
    return {
      work: this.nodes(),
      workInYear,
      forLoad: nodesForLoad(tablets, workInYear, target),
      forStorage: Math.max(1, Math.ceil(storedBytes / (stored * target))),
    };
  }
}

function nodesForLoad(tablets: Tablets, work: number, target: number): number | undefined {
  if (work * tablets.busiestTablet > target) return undefined;
  let nodes = Math.max(1, Math.ceil(work / target));
  for (;;) {
    const busiest = work * tablets.busiestNode(nodes);
    if (busiest <= target) return nodes;
    nodes += Math.max(1, Math.floor((nodes * (busiest / target - 1)) / 2));
  }
}
