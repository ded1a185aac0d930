/** Mutations and read-modify-write rules applied to a row in hand. */
import { maxCellBytes } from '../../../base/index.js';
import { RowsmithError, invalidArgument } from '../../../errors.js';
import type { Mutation, ReadModifyWriteRule, Cell, Aggregate } from '../../../store/index.js';
import { comparePositions, type CellEntry } from './cell-entry.js';
import type { RowBuilder } from './row-builder.js';
import { familyOf, type FamilyState, type TableState } from '../table/table-state.js';

/** Refuses mutations that the table's families do not allow. */
export function checkFamilies(table: TableState, mutations: readonly Mutation[]): void {
  for (const mutation of mutations) {
    if (mutation.kind === 'deleteFromRow') continue;
    const { aggregate } = familyOf(table, mutation.family).schema;
    if (mutation.kind === 'setCell' && aggregate !== undefined)
      throw invalidArgument(
        'mutations',
        `setCell on the aggregate family '${mutation.family}'`,
        'use addToCell or mergeToCell',
      );
    if (
      (mutation.kind === 'addToCell' || mutation.kind === 'mergeToCell') &&
      aggregate === undefined
    ) {
      throw invalidArgument(
        'mutations',
        `${mutation.kind} on '${mutation.family}', which is no aggregate family`,
        'use setCell, or create the family with an aggregate',
      );
    }
  }
}

/** Applies the mutations in order; `now` in microseconds, a multiple of 1,000. */
export function applyMutations(
  table: TableState,
  row: RowBuilder,
  mutations: readonly Mutation[],
  now: bigint,
): void {
  for (const mutation of mutations) {
    if (mutation.kind === 'deleteFromRow') {
      row.clear();
      continue;
    }
    const state = familyOf(table, mutation.family);
    const family = row.family(state);
    switch (mutation.kind) {
      case 'setCell':
        family.set(
          newCell(
            mutation.qualifier,
            mutation.timestamp === -1n ? now : BigInt(mutation.timestamp),
            mutation.value,
          ),
        );
        break;
      case 'addToCell':
      case 'mergeToCell': {
        const input = mutation.kind === 'addToCell' ? mutation.input : readInt64(mutation.input);
        const place = { qualifier: mutation.qualifier, timestamp: BigInt(mutation.timestamp) };
        const before = family.find(place);
        const sum =
          before === undefined
            ? input
            : combine(state.schema.aggregate!, readInt64(row.parts.value(before)), input);
        family.set(newCell(place.qualifier, place.timestamp, int64Bytes(sum)));
        break;
      }
      case 'deleteFromColumn':
        family.deleteColumn(
          mutation.qualifier,
          BigInt(mutation.start ?? 0),
          mutation.end === undefined ? undefined : BigInt(mutation.end),
        );
        break;
      case 'deleteFromFamily':
        family.clear();
    }
  }
}

/** Applies the rules in order; answers the changed columns' newest cells in the order of a row. */
export function applyRules(
  table: TableState,
  row: RowBuilder,
  rules: readonly ReadModifyWriteRule[],
  now: bigint,
): Cell[] {
  const changed: { readonly state: FamilyState; readonly cell: CellEntry }[] = [];
  for (const rule of rules) {
    const state = familyOf(table, rule.family);
    if (state.schema.aggregate !== undefined)
      throw invalidArgument(
        'rules',
        `read-modify-write on the aggregate family '${rule.family}'`,
        'use the mutation addToCell',
      );
    const family = row.family(state);
    const before = family.newest(rule.qualifier);
    const value = ruleResult(rule, before === undefined ? undefined : row.parts.value(before));
    // The greater of the clock and the existing timestamp (data.proto, ReadModifyWriteRule).
    const cell = newCell(
      rule.qualifier,
      before !== undefined && before.timestamp > now ? before.timestamp : now,
      value,
    );
    family.set(cell);
    const again = changed.findIndex(
      (one) =>
        one.state === state &&
        one.cell.timestamp === cell.timestamp &&
        comparePositions(one.cell, cell) === 0,
    );
    if (again >= 0) changed.splice(again, 1);
    changed.push({ state, cell });
  }
  changed.sort((a, b) =>
    a.state === b.state ? comparePositions(a.cell, b.cell) : a.state.name < b.state.name ? -1 : 1,
  );
  return changed.map(({ state, cell }) => ({
    family: state.name,
    qualifier: new Uint8Array(cell.qualifier),
    timestamp: cell.timestamp,
    value: new Uint8Array(cell.value!),
  }));
}

function ruleResult(rule: ReadModifyWriteRule, before: Uint8Array | undefined): Uint8Array {
  if (rule.kind === 'append') {
    const length = (before?.length ?? 0) + rule.value.length;
    if (length > maxCellBytes) {
      throw new RowsmithError('LIMIT_EXCEEDED', {
        property: 'value',
        problem: `the result has ${length} bytes, the limit is ${maxCellBytes}`,
        fix: 'begin another column or row',
      });
    }
    const value = new Uint8Array(length);
    if (before !== undefined) value.set(before);
    value.set(rule.value, length - rule.value.length);
    return value;
  }
  if (before !== undefined && before.length !== 8) {
    const problem = `the cell to increment has ${before.length} bytes, not 8`;
    throw new RowsmithError('FAILED_PRECONDITION', {
      family: rule.family,
      problem,
      fix: 'increment only cells that hold a big-endian int64; delete the cell to begin at 0',
    });
  }
  return int64Bytes((before === undefined ? 0n : readInt64(before)) + rule.amount);
}

function combine(aggregate: Aggregate, a: bigint, b: bigint): bigint {
  switch (aggregate) {
    case 'sum':
      return a + b;
    case 'min':
      return a < b ? a : b;
    case 'max':
      return a > b ? a : b;
  }
}

function newCell(qualifier: Uint8Array, timestamp: bigint, value: Uint8Array): CellEntry {
  return { qualifier, timestamp, value, length: value.length, part: 0 };
}

/** Big-endian; beyond an int64 it wraps as two's complement. */
function int64Bytes(value: bigint): Uint8Array {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigInt64(0, BigInt.asIntN(64, value));
  return bytes;
}

function readInt64(bytes: Uint8Array): bigint {
  return new DataView(bytes.buffer, bytes.byteOffset, 8).getBigInt64(0);
}
