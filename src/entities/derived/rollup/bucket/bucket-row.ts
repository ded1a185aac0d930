/** A stored row of a rollup: its values, the marks of writes that have not ended, and its state. */
import { compareBytes, equalBytes, latin1Text } from '../../../../base/index.js';
import { bucketState, rollupFamilies, type RollupModel } from '../../../model/index.js';
import type { Cell, Filter, Mutation } from '../../../../data/store/index.js';
import type { SeenBucket, SeenMark } from '../../protocol/step.js';
import { type BucketChange, decodeChange } from './bucket-change.js';

/** A mark, or an entry of the log, with what it says. */
export interface StoredMark extends SeenMark {
  readonly change: BucketChange;
  /** When storage received it: microseconds since 1970. */
  readonly since: bigint;
}

/** A bucket that was read. */
export interface StoredBucket extends SeenBucket {
  readonly marks: readonly StoredMark[];
  readonly log: readonly StoredMark[];
  readonly isStale: boolean;
  /** When the build began, by the clock of the storage. */
  readonly buildSince: bigint | undefined;
  /** Marks that cannot be read. */
  readonly damaged: readonly Uint8Array[];
  readonly cells: readonly Cell[];
}

const { mark, log, state } = rollupFamilies;

/** The bucket of these cells, each the newest of its column. */
export function storedBucket(rollup: RollupModel, cells: readonly Cell[]): StoredBucket {
  const marks: StoredMark[] = [];
  const entries: StoredMark[] = [];
  const damaged: Uint8Array[] = [];
  for (const cell of cells) {
    if (cell.family !== mark && cell.family !== log) continue;
    const found = storedMark(rollup, cell);
    if (found === undefined) damaged.push(cell.qualifier);
    else (cell.family === mark ? marks : entries).push(found);
  }
  const build = stateCell(cells, bucketState.build);
  const revision = stateCell(cells, bucketState.revision);
  return {
    marks,
    log: entries,
    revision: revision && latin1Text(revision.value),
    build: build && latin1Text(build.value),
    buildSince: build && BigInt(build.timestamp),
    isStale: stateCell(cells, bucketState.stale) !== undefined,
    damaged,
    cells,
  };
}

function storedMark(
  rollup: RollupModel,
  { qualifier, value, timestamp }: Cell,
): StoredMark | undefined {
  try {
    const change = decodeChange(rollup, value);
    const { row, order } = change;
    return { token: latin1Text(qualifier), row, order, change, since: BigInt(timestamp) };
  } catch {
    return undefined;
  }
}

function stateCell(cells: readonly Cell[], qualifier: Uint8Array): Cell | undefined {
  return cells.find((cell) => cell.family === state && equalBytes(cell.qualifier, qualifier));
}

/** The value of a cell of the bucket. */
export function valueIn(
  { cells }: Pick<StoredBucket, 'cells'>,
  family: string,
  qualifier: Uint8Array,
): Cell | undefined {
  return cells.find((cell) => cell.family === family && equalBytes(cell.qualifier, qualifier));
}

/** Filters and mutations of marks and state. */
export function tokenBytes(token: string): Uint8Array {
  return Buffer.from(token, 'latin1');
}

/** The time of the storage: a client does not repeat the request, and a mark shows its age. */
const storageTime = -1;

export function setMark(family: string, token: string, value: Uint8Array): Mutation {
  return { kind: 'setCell', family, qualifier: tokenBytes(token), timestamp: storageTime, value };
}

export function deleteMark(token: string): Mutation {
  return { kind: 'deleteFromColumn', family: mark, qualifier: tokenBytes(token) };
}

export function setState(qualifier: Uint8Array, value: string): readonly Mutation[] {
  return [
    { kind: 'deleteFromColumn', family: state, qualifier },
    {
      kind: 'setCell',
      family: state,
      qualifier,
      timestamp: storageTime,
      value: tokenBytes(value),
    },
  ];
}

export function deleteState(qualifier: Uint8Array): Mutation {
  return { kind: 'deleteFromColumn', family: state, qualifier };
}

/** Passes a cell if all of these marks are there. */
export function hasMarks(tokens: readonly string[]): Filter {
  const qualifiers = tokens.map(tokenBytes).sort(compareBytes);
  const marks: Filter = { kind: 'columns', columns: [{ family: mark, qualifiers }] };
  if (tokens.length === 1) return marks;
  const newest: Filter = { kind: 'cellsPerColumn', count: 1 };
  const last: Filter = { kind: 'cellsPerRowOffset', count: tokens.length - 1 };
  return { kind: 'chain', filters: [marks, newest, last] };
}

/** Passes a cell if any of these marks is there. */
export function hasAnyMark(tokens: readonly string[]): Filter {
  const qualifiers = tokens.map(tokenBytes).sort(compareBytes);
  return { kind: 'columns', columns: [{ family: mark, qualifiers }] };
}

/** The cell of a state. */
export function stateIs(qualifier: Uint8Array, value?: string): Filter {
  const cell: Filter = { kind: 'columns', columns: [{ family: state, qualifiers: [qualifier] }] };
  if (value === undefined) return cell;
  return { kind: 'chain', filters: [cell, { kind: 'valueEquals', value: tokenBytes(value) }] };
}
