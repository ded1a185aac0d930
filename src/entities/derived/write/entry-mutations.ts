/** The mutations by which entries, and our own cells of rows, are written. */
import { latin1Bytes, noBytes } from '../../../base/index.js';
import { type EntityModel, entryColumns, type OwnColumn, rollupTokens } from '../../model/index.js';
import type { Mutation, RowMutation } from '../../../data/store/index.js';
import type { EntryTokens } from '../protocol/step.js';
import { timestampOf } from '../index/entry-time.js';
import { encodeToken } from '../rollup/input/row-token.js';
import type { IndexEntry } from './watched-rows.js';

type SetCell = Extract<Mutation, { kind: 'setCell' }>;

/** Who writes an entry. */
export interface EntryWrite {
  readonly token: string;
  /** The key of the base row. */
  readonly row: Uint8Array;
  /** Whether the entry belongs to another row, which no longer has it. */
  readonly replaces?: boolean;
}

/**
 * The mutation that writes an entry. It begins with a cell that has the time of the storage's clock
 * and is deleted at once, so that no client repeats the request: a copy that arrives late would
 * bring back a token that a repair has read.
 */
export function entryMutation(
  model: EntityModel,
  entry: IndexEntry,
  { token, row, replaces = false }: EntryWrite,
): RowMutation {
  const { own, unique, expiry, covered } = model.indexes[entry.index];
  const { time } = entry;
  const mutations: Mutation[] = [{ ...setCell(own.token, noBytes, 0), timestamp: -1 }];
  if (expiry === undefined || replaces) mutations.push({ kind: 'deleteFromRow' });
  else {
    // Not the holder: another write may have given the row, and so its entry, a longer life.
    mutations.push({ kind: 'deleteFromColumn', ...own.token });
    mutations.push({ kind: 'deleteFromFamily', family: own.covered });
  }
  mutations.push(setCell(own.token, latin1Bytes(token), time));
  if (unique || expiry !== undefined)
    mutations.push(setCell(own.holder, unique ? row : noBytes, time));
  covered.forEach((property, i) => {
    const cell = entry.values[i];
    const column = { family: own.covered, qualifier: Buffer.from(property) };
    if (cell !== undefined) mutations.push(setCell(column, cell.value, cell.time));
  });
  return { key: latin1Bytes(entry.key), mutations };
}

/** `time` is in milliseconds. */
function setCell({ family, qualifier }: OwnColumn, value: Uint8Array, time: number): SetCell {
  return { kind: 'setCell', family, qualifier, timestamp: timestampOf(time), value };
}

/** The mutations that replace the tokens of a row's entries. */
export function tokenMutations({ indexes }: EntityModel, tokens: EntryTokens): Mutation[] {
  const families = new Set(indexes.map(({ own }) => own.tokens));
  return [
    ...Array.from(families, (family): Mutation => ({ kind: 'deleteFromFamily', family })),
    ...tokens.map(({ index, token, time }) => {
      const { id, own } = indexes[index];
      const column = { family: own.tokens, qualifier: Buffer.from(id) };
      return setCell(column, latin1Bytes(token), time);
    }),
  ];
}

/** The mutations that set the tokens of a row, by the clock of the storage. */
export function rolledMutations(
  { rollups }: EntityModel,
  rolled: readonly { readonly rollup: number; readonly order: number; readonly token: string }[],
): Mutation[] {
  return rolled.flatMap(({ rollup, ...token }): Mutation[] => {
    const column = { family: rollupTokens, qualifier: Buffer.from(rollups[rollup].id) };
    return [
      { kind: 'deleteFromColumn', ...column },
      { ...setCell(column, encodeToken(token), 0), timestamp: -1 },
    ];
  });
}

/** The mutations that set the version of a row, by the clock of the storage. */
export function versionMutations(version: string): Mutation[] {
  const { family, qualifier } = entryColumns.version;
  return [
    { kind: 'deleteFromColumn', family, qualifier },
    { kind: 'setCell', family, qualifier, timestamp: -1, value: latin1Bytes(version) },
  ];
}
