/** The mutations by which entries, and our own cells of rows, are written. */
import { latin1Bytes } from '../../bytes/index.js';
import { type EntityModel, entryColumns, rollupTokens } from '../../model/index.js';
import type { Mutation, RowMutation } from '../../store/index.js';
import type { EntryName } from '../protocol/step.js';
import { encodeToken } from '../rollup/row-token.js';
import type { IndexEntry } from './watched-rows.js';

/** The mutations that set the tokens of a row, by the clock of the storage. */
export function rolledMutations(
  { rollups }: EntityModel,
  rolled: readonly { readonly rollup: number; readonly order: number; readonly token: string }[],
): Mutation[] {
  return rolled.flatMap(({ rollup, ...token }): Mutation[] => {
    const column = { family: rollupTokens, qualifier: Buffer.from(rollups[rollup].id) };
    return [
      { kind: 'deleteFromColumn', ...column },
      { ...setCell(column, encodeToken(token)), timestamp: -1 },
    ];
  });
}

/** The time of all cells of ours but tokens of entries: it means nothing. */
const entryTimestamp = 0;

/**
 * The mutation that writes an entry. `row` is the key of the base row. The token has the time of
 * the storage's clock, so that no client repeats the request: a copy that arrives late would bring
 * back a token that a repair has read.
 */
export function entryMutation(
  model: EntityModel,
  entry: IndexEntry,
  token: string,
  row: Uint8Array,
): RowMutation {
  const index = model.indexes[entry.index];
  const mutations: Mutation[] = [
    { kind: 'deleteFromRow' },
    { ...setCell(entryColumns.token, latin1Bytes(token)), timestamp: -1 },
  ];
  if (index.unique) mutations.push(setCell(entryColumns.holder, row));
  index.covered.forEach((property, i) => {
    const value = entry.values[i];
    const column = { family: entryColumns.covered, qualifier: Buffer.from(property) };
    if (value !== undefined) mutations.push(setCell(column, value));
  });
  return { key: latin1Bytes(entry.key), mutations };
}

function setCell(
  { family, qualifier }: { readonly family: string; readonly qualifier: Uint8Array },
  value: Uint8Array,
): Extract<Mutation, { kind: 'setCell' }> {
  return { kind: 'setCell', family, qualifier, timestamp: entryTimestamp, value };
}

/** The mutations that set the tokens of a row's entries, and leave no others. */
export function tokenMutations(
  model: EntityModel,
  tokens: readonly (EntryName & { readonly token: string })[],
): Mutation[] {
  if (model.indexes.length === 0) return [];
  const family = entryColumns.tokens;
  return [
    { kind: 'deleteFromFamily', family },
    ...tokens.map(({ index, token }) => {
      const qualifier = Buffer.from(model.indexes[index].id);
      return setCell({ family, qualifier }, latin1Bytes(token));
    }),
  ];
}

/** The mutations that set the version of a row, by the clock of the storage. */
export function versionMutations(version: string): Mutation[] {
  const { family, qualifier } = entryColumns.version;
  return [
    { kind: 'deleteFromColumn', family, qualifier },
    { kind: 'setCell', family, qualifier, timestamp: -1, value: latin1Bytes(version) },
  ];
}
