/** The nodes that a design needs, by its load and by its storage. */
import type { EntityLoad } from '../workload/entity-load.js';
import type { DerivedLoad } from './derived-cost.js';
import type { ReadCost } from './fan-out.js';
import {
  type NodeProfile,
  secondsOfAccess,
  secondsOfRead,
  secondsOfWrite,
} from '../../heat/index.js';
import { OwnedTraffic, type SizedTablets, Tablets } from './tablets.js';
import type { Traffic, TrafficOperation } from './traffic.js';

/** What a design needs of nodes with one kind of storage. */
export interface NodeNeeds {
  /** Nodes that the traffic keeps busy, now and after a year of growth. */
  readonly work: number;
  readonly workInYear: number;
  /** Of `work`, what indexes, rollups and copies cause. */
  readonly derivedWork: number;
  /** Nodes with which the busiest one stays within the target; undefined if no number does. */
  readonly forLoad: number | undefined;
  readonly forStorage: number;
}

/** Nodes for load and storage; Infinity if no number is enough. */
export function nodesOf({ forLoad = Infinity, forStorage }: NodeNeeds): number {
  return Math.max(forLoad, forStorage);
}

/** Bytes of a written row, and what follows from its write. */
export interface WrittenRow {
  readonly bytes: number;
  readonly derived: DerivedLoad;
}

/** What the operations of a design take of the time of a node. */
export class Work {
  readonly #load: EntityLoad;
  /** Of the row alone, with what indexes and rollups ask of it, and of each index or rollup. */
  readonly #plain: number;
  readonly #write: number;
  readonly #derived: readonly number[];
  /** Of the kinds of reads, in their order. */
  readonly #reads: readonly number[];

  constructor(
    load: EntityLoad,
    profile: NodeProfile,
    reads: readonly Pick<ReadCost, 'shards' | 'bytesRead'>[],
    { bytes, derived: { costs, ofRow } }: WrittenRow,
  ) {
    this.#load = load;
    this.#plain = secondsOfWrite(profile, bytes);
    this.#write = secondsOfAccess(profile, {
      reads: ofRow.reads,
      writes: 1 + ofRow.writes,
      writtenBytes: bytes + ofRow.writtenBytes,
    });
    this.#derived = costs.slice(1).map(({ write }) => secondsOfAccess(profile, write));
    this.#reads = reads.map(({ shards, bytesRead }) => secondsOfRead(profile, shards, bytesRead));
  }

  /** Nodes that the traffic keeps busy; writes grow by a factor. */
  nodes(growth = 1): number {
    const { writesPerSecond, readsPerSecond, reads } = this.#load;
    const perRead = reads.reduce((sum, { share }, i) => sum + share * this.#reads[i], 0);
    const perWrite = this.#derived.reduce((sum, each) => sum + each, this.#write);
    return writesPerSecond * growth * perWrite + readsPerSecond * perRead;
  }

  /** Of these, what indexes, rollups and copies cause. */
  derivedNodes(): number {
    const perWrite = this.#derived.reduce((sum, each) => sum + each, this.#write - this.#plain);
    return this.#load.writesPerSecond * perWrite;
  }

  tablets(traffic: readonly OwnedTraffic[], writes: number, nodes: number): Tablets {
    // Not every write has rows in every index: the operations of one stand for all of its load.
    const derived = this.#derived.map((seconds, i) => {
      const { earlier, later } = traffic[i + 1];
      return (seconds * writes) / Math.max(1, earlier.length + later.length);
    });
    const seconds = (operation: TrafficOperation): number => {
      if (operation.derived !== undefined) return derived[operation.derived];
      if (operation.read === undefined) return this.#write;
      return this.#reads[this.#load.reads.indexOf(operation.read)];
    };
    return new Tablets(traffic, seconds, nodes);
  }

  /** `storedBytes`: the most in this year. `target`: the part of a node that may be in use. */
  needs(tablets: Tablets, { stored }: NodeProfile, storedBytes: number, target: number): NodeNeeds {
    const workInYear = this.nodes(1 + Math.max(0, this.#load.growthPerYear));
    return {
      work: this.nodes(),
      workInYear,
      derivedWork: this.derivedNodes(),
      forLoad: nodesForLoad(tablets, workInYear, target),
      forStorage: Math.max(1, Math.ceil(storedBytes / (stored * target))),
    };
  }
}

/** The traffic on the rows, and on what follows from them; nothing is known of sizes there. */
export function ownedTraffic(
  bySize: SizedTablets,
  { operations, derived }: Traffic,
  names: readonly string[],
): readonly OwnedTraffic[] {
  const one = { count: 1, starts: [new Uint8Array()], sizes: [] };
  return [
    new OwnedTraffic('row', bySize, operations),
    ...derived.map((each, i) => new OwnedTraffic(names[i], one, each)),
  ];
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
