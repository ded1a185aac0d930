/** Makes the requests of the rollup protocol to the buckets of one rollup. */
import { latin1Bytes, latin1Text, pointRange, unionRanges } from '../../../../base/index.js';
import { bucketState, rollupFamilies, type RollupModel } from '../../../model/index.js';
import {
  collectRows,
  type Engine,
  type Filter,
  type Mutation,
} from '../../../../data/store/index.js';
import type { MarkName, PlannedMark } from '../../protocol/step.js';
import { additionsOf, removalsOf } from './bucket-additions.js';
import { type BucketChange, encodeChange } from './bucket-change.js';
import { BucketQueue } from './bucket-queue.js';
import {
  deleteMark,
  deleteState,
  hasAnyMark,
  hasMarks,
  setMark,
  setState,
  stateIs,
  storedBucket,
  type StoredBucket,
} from './bucket-row.js';
import { mayBeStale } from './bucket-stale.js';

/** A mark with what it says. */
export type ChangeMark = PlannedMark & { readonly change: BucketChange };

/** Marks that share a request: their names must fit into a filter. */
const maxMarks = 100;
/** How often a mark is looked for again where a build begins or ends at the same time. */
const maxLooks = 16;

const newest: Filter = Object.freeze({ kind: 'cellsPerColumn', count: 1 });

/** The buckets of one rollup. */
export class BucketRequests {
  readonly rollup: RollupModel;
  readonly #engine: Engine;
  readonly #table: string;
  readonly #marks: BucketQueue<ChangeMark, boolean>;
  readonly #settles: BucketQueue<MarkName, undefined>;

  constructor(engine: Engine, rollup: RollupModel) {
    this.#engine = engine;
    this.rollup = rollup;
    this.#table = rollup.rows.table.name;
    this.#marks = new BucketQueue(maxMarks, (bucket, marks) => this.#markAll(bucket, marks));
    this.#settles = new BucketQueue(maxMarks, async (bucket, marks) => {
      await this.#settleAll(bucket, marks);
      return marks.map(() => undefined);
    });
  }

  /** Writes a mark; false if the row's last write has one there. */
  mark(mark: ChangeMark): Promise<boolean> {
    return this.#marks.ask(mark.bucket, mark);
  }

  /** Adds what a mark says, and removes it; nothing if it is gone. */
  settle(mark: MarkName): Promise<void> {
    return this.#settles.ask(mark.bucket, mark);
  }

  async unmark(bucket: string, tokens: readonly string[]): Promise<void> {
    const mutations = tokens.map(deleteMark);
    await this.#engine.mutateRow(this.#table, { key: latin1Bytes(bucket), mutations });
  }

  /** Marks that cannot be read say nothing. `more` is written with their deletion. */
  async removeDamaged(
    bucket: string,
    qualifiers: readonly Uint8Array[],
    more: readonly Mutation[] = [],
  ): Promise<void> {
    const { mark, log } = rollupFamilies;
    const mutations = qualifiers.flatMap((qualifier) =>
      [mark, log].map((family): Mutation => ({ kind: 'deleteFromColumn', family, qualifier })),
    );
    await this.#engine.mutateRow(this.#table, {
      key: latin1Bytes(bucket),
      mutations: [...mutations, ...more],
    });
  }

  async read(bucket: string): Promise<StoredBucket> {
    return (await this.readAll([bucket]))[0];
  }

  async readAll(buckets: readonly string[]): Promise<readonly StoredBucket[]> {
    const rows = await collectRows(
      this.#engine.readRows({
        table: this.#table,
        ranges: unionRanges(buckets.map((bucket) => pointRange(latin1Bytes(bucket)))),
        reversed: false,
        filter: newest,
      }),
    );
    const found = new Map(rows.map((row) => [Buffer.from(row.key).toString('latin1'), row.cells]));
    return buckets.map((bucket) => storedBucket(this.rollup, found.get(bucket) ?? []));
  }

  async startBuild(bucket: string, build: string): Promise<void> {
    await this.#engine.mutateRow(this.#table, {
      key: latin1Bytes(bucket),
      mutations: setState(bucketState.build, build),
    });
  }

  /** Makes the mutations and ends the build, if it still runs at this revision. */
  finishBuild(
    bucket: string,
    build: string,
    mutations: readonly Mutation[],
    since: { readonly revision: string | undefined } | undefined,
  ): Promise<boolean> {
    const { log } = rollupFamilies;
    const ours = stateIs(bucketState.build, build);
    const ends: readonly Mutation[] = [
      ...mutations,
      deleteState(bucketState.build),
      { kind: 'deleteFromFamily', family: log },
    ];
    return this.#engine.checkAndMutateRow(this.#table, {
      key: latin1Bytes(bucket),
      predicate: since === undefined ? ours : both(ours, atRevision(since.revision)),
      onTrue: ends,
    });
  }

  async #markAll(bucket: string, marks: readonly ChangeMark[]): Promise<readonly boolean[]> {
    const earlier = marks.flatMap(({ before }) => before ?? []);
    const key = latin1Bytes(bucket);
    const mutations = marks.map(({ token, change }) =>
      setMark(rollupFamilies.mark, token, encodeChange(change)),
    );
    if (earlier.length === 0) {
      await this.#engine.mutateRow(this.#table, { key, mutations });
      return marks.map(() => true);
    }
    const isBlocked = await this.#engine.checkAndMutateRow(this.#table, {
      key,
      predicate: hasAnyMark(earlier),
      onFalse: mutations,
    });
    if (!isBlocked) return marks.map(() => true);
    if (marks.length === 1) return [false];
    const results: boolean[] = [];
    for (const mark of marks) results.push(...(await this.#markAll(bucket, [mark])));
    return results;
  }

  async #settleAll(bucket: string, names: readonly MarkName[]): Promise<void> {
    let known = changesOf(names);
    let isBuilding = false;
    let stale: readonly Mutation[] = [];
    for (let look = 0; look < maxLooks; look++) {
      if (known === undefined || look > 0 || removalsOf(known).length > 0) {
        const stored = await this.read(bucket);
        const tokens = new Set(names.map(({ token }) => token));
        await this.#removeUnreadable(bucket, stored, tokens);
        const found = stored.marks.filter(({ token }) => tokens.has(token));
        if (found.length === 0) return;
        known = found.map(({ token, change }) => ({ token, ...change }));
        isBuilding = stored.build !== undefined;
        stale = mayBeStale(stored, known) ? setState(bucketState.stale, '') : [];
      }
      if (await this.#add(bucket, known, isBuilding, stale)) return;
    }
  }

  /** What damaged marks added is not known: the bucket is computed by who reads it next. */
  async #removeUnreadable(
    bucket: string,
    { damaged }: StoredBucket,
    tokens: ReadonlySet<string>,
  ): Promise<void> {
    const ours = damaged.filter((qualifier) => tokens.has(latin1Text(qualifier)));
    if (ours.length > 0) await this.removeDamaged(bucket, ours, setState(bucketState.stale, ''));
  }

  /** One request; false if a mark is gone, or a build began or ended. */
  #add(
    bucket: string,
    changes: readonly KnownChange[],
    isBuilding: boolean,
    stale: readonly Mutation[],
  ): Promise<boolean> {
    const tokens = changes.map(({ token }) => token);
    const marks = hasMarks(tokens);
    const building = stateIs(bucketState.build);
    const { log } = rollupFamilies;
    const logged = isBuilding
      ? changes.map((change) => setMark(log, change.token, encodeChange(change)))
      : [];
    return this.#engine.checkAndMutateRow(this.#table, {
      key: latin1Bytes(bucket),
      predicate: isBuilding
        ? { kind: 'condition', predicate: building, onTrue: marks }
        : { kind: 'condition', predicate: building, onFalse: marks },
      onTrue: [
        ...additionsOf(changes),
        ...tokens.map(deleteMark),
        ...logged,
        ...stale,
        ...setState(bucketState.revision, tokens[tokens.length - 1]),
      ],
    });
  }
}

type KnownChange = BucketChange & { readonly token: string };

/** The changes of marks that are known; undefined if any is not. */
function changesOf(names: readonly MarkName[]): readonly KnownChange[] | undefined {
  const known: KnownChange[] = [];
  for (const name of names) {
    const { change } = name as Partial<ChangeMark>;
    if (change === undefined) return undefined;
    known.push({ token: name.token, ...change });
  }
  return known;
}

function both(first: Filter, second: Filter): Filter {
  return { kind: 'condition', predicate: first, onTrue: second };
}

/** Passes a cell of a row at this revision. */
function atRevision(revision: string | undefined): Filter {
  if (revision !== undefined) return stateIs(bucketState.revision, revision);
  return {
    kind: 'condition',
    predicate: stateIs(bucketState.revision),
    onFalse: { kind: 'passAll' },
  };
}
