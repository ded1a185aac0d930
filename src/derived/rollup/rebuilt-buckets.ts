/**
 * The protocol of rebuilt rollups, for one bucket.
 *
 * A writer puts a mark of its own into the row of the bucket, writes the source, computes the
 * values from the rows of the bucket, and replaces those that are stored: on condition that the
 * version is the one that was read before the scan, and together with a new version and the
 * deletion of its own mark. So values that were computed of older rows never replace newer ones,
 * and a row without marks holds the values of its source. A writer that stops leaves its mark:
 * until it is removed, readers compute the values themselves.
 */
import { randomBytes } from 'node:crypto';
import { equalBytes, pointRange, toHex } from '../../bytes/index.js';
import { scalarCodec } from '../../cell/index.js';
import { rollupFamilies, type RollupModel, versionQualifier } from '../../model/index.js';
import {
  collectRows,
  type Engine,
  type Filter,
  type Mutation,
  type Row,
} from '../../store/index.js';
import type { BucketTotals } from './bucket-totals.js';
import type { ReadingMaker } from './reading.js';
import type { RollupSourceRows } from './source.js';

type Segments = Readonly<Record<string, unknown>>;

/** Computations of one bucket that lose to another one, after which the mark is left. */
const maxAttempts = 16;
/** Longer than any call can last: marks that are older belong to no writer. */
const abandonedAfterMs = 24 * 3600 * 1000;
const timestampCodec = scalarCodec('timestamp');

/** A bucket that a write may change. */
export interface Bucket {
  readonly maker: ReadingMaker;
  /** The segments of the rollup row. */
  readonly segments: Segments;
  readonly key: Uint8Array;
}

/** A new mark: the name of a column that no other writer uses. */
export function newMark(): Uint8Array {
  return new TextEncoder().encode(toHex(randomBytes(12)));
}

/** The mutation that marks a bucket. Its value is the time, so that old marks can be removed. */
export function markOf(mark: Uint8Array): Mutation {
  return {
    kind: 'setCell',
    family: rollupFamilies.mark,
    qualifier: mark,
    timestamp: 0,
    value: timestampCodec.encode(new Date()),
  };
}

/** Removes a mark without computing anything: the source was not written. */
export function unmark(mark: Uint8Array): Mutation {
  return { kind: 'deleteFromColumn', family: rollupFamilies.mark, qualifier: mark };
}

/** Computes buckets of one entity, and stores what was computed. */
export class RebuiltBuckets {
  readonly #engine: Engine;
  readonly #source: RollupSourceRows;

  constructor(engine: Engine, source: RollupSourceRows) {
    this.#engine = engine;
    this.#source = source;
  }

  /** The values of a bucket, from its source. */
  totalsOf({ maker, segments }: Bucket, signal?: AbortSignal): Promise<BucketTotals> {
    return this.#source.totalsOf(this.#engine, maker, segments, signal);
  }

  /**
   * Computes and stores a bucket, and removes the given mark, or those that no writer can have any
   * more. Resolves to false if other computations have won each time: theirs is as new, but the
   * mark is still there.
   */
  async store(bucket: Bucket, mark?: Uint8Array): Promise<boolean> {
    const { rows } = bucket.maker.rollup;
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const stored = await this.stateOf(bucket);
      const version = cellOf(stored, rollupFamilies.version, versionQualifier);
      const totals = await this.totalsOf(bucket);
      const marks = mark === undefined ? abandonedMarks(stored) : [mark];
      const mutations: Mutation[] = [
        ...totals.replacement(),
        ...marks.map(unmark),
        {
          kind: 'setCell',
          family: rollupFamilies.version,
          qualifier: versionQualifier,
          timestamp: 0,
          value: randomBytes(12),
        },
      ];
      const check =
        version === undefined
          ? { key: bucket.key, predicate: isVersioned, onFalse: mutations }
          : { key: bucket.key, predicate: hasVersion(version), onTrue: mutations };
      const matched = await this.#engine.checkAndMutateRow(rows.table.name, check);
      if (matched === (version !== undefined)) return true;
      await new Promise((resolve) => void setTimeout(resolve, Math.random() * 4 * attempt));
    }
    return false;
  }

  /** The row of a bucket as it is stored, with marks and version. */
  async stateOf({ maker, key }: Pick<Bucket, 'maker' | 'key'>): Promise<Row | undefined> {
    return readRow(this.#engine, maker.rollup, key);
  }
}

/** The stored row of a rollup. */
export async function readRow(
  engine: Engine,
  { rows }: RollupModel,
  key: Uint8Array,
): Promise<Row | undefined> {
  const [row] = await collectRows(
    engine.readRows({
      table: rows.table.name,
      ranges: [pointRange(key)],
      reversed: false,
      filter: { kind: 'cellsPerColumn', count: 1 },
    }),
  );
  return row;
}

/** The marks of a row. */
export function marksOf(row: Row | undefined): readonly Uint8Array[] {
  const marks = row?.cells.filter(({ family }) => family === rollupFamilies.mark) ?? [];
  return marks.map(({ qualifier }) => qualifier);
}

function abandonedMarks(row: Row | undefined): readonly Uint8Array[] {
  const before = Date.now() - abandonedAfterMs;
  return (row?.cells ?? [])
    .filter(({ family }) => family === rollupFamilies.mark)
    .filter(({ value }) => Number(timestampCodec.decode(value, 0, value.length)) < before)
    .map(({ qualifier }) => qualifier);
}

function cellOf(
  row: Row | undefined,
  family: string,
  qualifier: Uint8Array,
): Uint8Array | undefined {
  return row?.cells.find((cell) => cell.family === family && equalBytes(cell.qualifier, qualifier))
    ?.value;
}

const isVersioned: Filter = Object.freeze<Filter>({
  kind: 'families',
  families: [rollupFamilies.version],
});

function hasVersion(version: Uint8Array): Filter {
  return { kind: 'chain', filters: [isVersioned, { kind: 'valueEquals', value: version }] };
}
