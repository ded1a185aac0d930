/** Applies mutations and read-modify-write rules to a row. */
import {
  invalidArgument,
  maxCellBytes,
  noBytes,
  RowsmithError,
  type FaultTexts,
} from '../../../../base/index.js';
import type {
  Aggregate,
  Cell,
  Micros,
  Mutation,
  ReadModifyWriteRule,
} from '../../../../data/store/index.js';
import { isCommitTime } from '../../arguments.js';
import { comparePositions, type CellEntry } from './cell-entry.js';
import type { FamilyBuilder } from './family-builder.js';
import type { RowBuilder } from './row-builder.js';
import { familyOf, type FamilyState, type TableState } from '../../table/table-state.js';

/** Rejects mutations of families that do not exist, or are of the wrong type. */
export function checkFamilies(table: TableState, mutations: readonly Mutation[]): void {
  for (const mutation of mutations) {
    if (mutation.kind === 'deleteFromRow') continue;
    const { aggregate } = familyOf(table, mutation.family).schema;
    if (mutation.kind === 'setCell' && aggregate !== undefined)
      throw invalidArgument('mutations', faults.setInAggregate(mutation.family));
    const isAggregation = mutation.kind === 'addToCell' || mutation.kind === 'mergeToCell';
    if (isAggregation && aggregate === undefined)
      throw invalidArgument('mutations', faults.plainFamily(mutation.kind, mutation.family));
  }
}

/** Applies the mutations in order. `now` is in microseconds, a multiple of 1,000. */
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
      case 'setCell': {
        const timestamp = isCommitTime(mutation.timestamp) ? now : BigInt(mutation.timestamp);
        family.set(newCell(mutation.qualifier, timestamp, mutation.value));
        break;
      }
      case 'addToCell':
        aggregateCell(row, state, mutation, mutation.input);
        break;
      case 'mergeToCell':
        if (mutation.input !== null) aggregateCell(row, state, mutation, readInt64(mutation.input));
        break;
      case 'deleteFromColumn': {
        const { start, end } = mutation;
        const endMicros = end === undefined ? undefined : BigInt(end);
        family.deleteColumn(mutation.qualifier, BigInt(start ?? 0), endMicros);
        break;
      }
      case 'deleteFromFamily':
        family.clear();
    }
  }
}

/** Combines a cell of an aggregate family with an input. */
function aggregateCell(
  row: RowBuilder,
  state: FamilyState,
  mutation: { readonly qualifier: Uint8Array; readonly timestamp: Micros },
  input: bigint,
): void {
  const family = row.family(state);
  const { qualifier } = mutation;
  const timestamp = BigInt(mutation.timestamp);
  const existing = family.find({ qualifier, timestamp });
  let result = input;
  if (existing !== undefined) {
    const value = readInt64(row.overflow.loadValue(existing));
    result = combine(state.schema.aggregate!, value, input);
  }
  family.set(newCell(qualifier, timestamp, int64Bytes(result)));
}

/** A cell that a read-modify-write has set. */
interface ChangedCell {
  readonly state: FamilyState;
  readonly cell: CellEntry;
}

/** Applies the rules in order. Returns the new cells, sorted as in a row. */
export function applyRules(
  table: TableState,
  row: RowBuilder,
  rules: readonly ReadModifyWriteRule[],
  now: bigint,
): Cell[] {
  const changed = new Map<string, ChangedCell>();
  for (const rule of rules) {
    const state = familyOf(table, rule.family);
    if (state.schema.aggregate !== undefined)
      throw invalidArgument('rules', faults.modifyInAggregate(rule.family));
    const column = `${state.id} ${Buffer.from(rule.qualifier).toString('latin1')}`;
    const cell = applyRule(row, row.family(state), rule, now, changed.get(column)?.cell);
    changed.set(column, { state, cell });
  }
  return [...changed.values()].sort(compareChangedCells).map(({ state, cell }) => {
    // Without the unused end of its buffer.
    cell.value = new Uint8Array(cell.value!);
    return {
      family: state.name,
      qualifier: new Uint8Array(cell.qualifier),
      timestamp: cell.timestamp,
      value: new Uint8Array(cell.value),
    };
  });
}

/** `earlier` is the cell that a rule before this one has set. */
function applyRule(
  row: RowBuilder,
  family: FamilyBuilder,
  rule: ReadModifyWriteRule,
  now: bigint,
  earlier: CellEntry | undefined,
): CellEntry {
  const existing = earlier ?? family.newest(rule.qualifier);
  let oldValue: Uint8Array | undefined;
  let timestamp = now;
  if (existing !== undefined) {
    oldValue = row.overflow.loadValue(existing);
    // The greater of the clock and the existing timestamp (data.proto, ReadModifyWriteRule).
    if (existing.timestamp > now) ({ timestamp } = existing);
  }
  const cell = newCell(
    rule.qualifier,
    timestamp,
    ruleResult(rule, oldValue, earlier !== undefined),
  );
  family.set(cell);
  return cell;
}

function compareChangedCells(a: ChangedCell, b: ChangedCell): number {
  return a.state.position - b.state.position || comparePositions(a.cell, b.cell);
}

/** `isOwn` is true when the old value is the result of an earlier rule. */
function ruleResult(
  rule: ReadModifyWriteRule,
  oldValue: Uint8Array | undefined,
  isOwn: boolean,
): Uint8Array {
  if (rule.kind === 'append') return appended(oldValue ?? noBytes, rule.value, isOwn);
  if (oldValue === undefined) return int64Bytes(rule.amount);
  if (oldValue.length !== 8)
    throw new RowsmithError('FAILED_PRECONDITION', {
      family: rule.family,
      ...faults.wrongCellLength(oldValue.length),
    });
  return int64Bytes(readInt64(oldValue) + rule.amount);
}

/**
 * Appends to a value. The result of an earlier rule is appended to in its buffer, which doubles
 * when it is full: copying it for each of many rules would take time by the square of them.
 */
function appended(oldValue: Uint8Array, addition: Uint8Array, isOwn: boolean): Uint8Array {
  const length = oldValue.length + addition.length;
  if (length > maxCellBytes)
    throw new RowsmithError('LIMIT_EXCEEDED', {
      property: 'value',
      ...faults.cellTooLong(length),
    });
  let buffer = new Uint8Array(oldValue.buffer, oldValue.byteOffset);
  if (!isOwn || buffer.length < length) {
    buffer = new Uint8Array(isOwn ? length * 2 : length);
    buffer.set(oldValue);
  }
  buffer.set(addition, oldValue.length);
  return buffer.subarray(0, length);
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
  return { qualifier, timestamp, value, length: value.length, overflowId: 0 };
}

// The `buffer` of a new small array is only allocated when it is used, which takes longer than the
// rest of an addition: integers go through one array.
const scratchBytes = new Uint8Array(8);
const scratch = new DataView(scratchBytes.buffer);

/** The value as a big-endian int64, wrapping around on overflow. */
function int64Bytes(value: bigint): Uint8Array {
  scratch.setBigInt64(0, value);
  const bytes = new Uint8Array(8);
  for (let i = 0; i < 8; i++) bytes[i] = scratchBytes[i];
  return bytes;
}

function readInt64(bytes: Uint8Array): bigint {
  for (let i = 0; i < 8; i++) scratchBytes[i] = bytes[i];
  return scratch.getBigInt64(0);
}

const faults = {
  setInAggregate: (family: string) => ({
    problem: `the aggregate family '${family}' does not take setCell`,
    fix: 'use addToCell or mergeToCell',
  }),
  plainFamily: (kind: string, family: string) => ({
    problem: `the plain family '${family}' does not take ${kind}`,
    fix: 'use setCell, or create the family with an aggregate',
  }),
  modifyInAggregate: (family: string) => ({
    problem: `the aggregate family '${family}' does not take read-modify-write`,
    fix: 'use the mutation addToCell',
  }),
  wrongCellLength: (length: number) => ({
    problem: `the cell to increment has ${length} bytes, not 8`,
    fix: 'increment only cells that hold a big-endian int64; delete the cell to begin at 0',
  }),
  cellTooLong: (length: number) => ({
    problem: `the result has ${length} bytes, the limit is ${maxCellBytes}`,
    fix: 'use another column or row',
  }),
} satisfies FaultTexts;
