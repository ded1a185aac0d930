/**
 * Checks of the types of arguments of engine calls, which only JavaScript gets wrong. They throw
 * INVALID_ARGUMENT; values, limits and names are checked where they are used.
 */
import {
  invalidArgument,
  type KeyRange,
  literalText,
  valueText,
  type FaultTexts,
} from '../../../base/index.js';
import type { CheckAndMutate, Mutation, ReadModifyWriteRule, RowMutation } from '../mutation.js';
import type { DropTarget, RowChanges } from '../engine.js';
import type { Filter } from '../filter.js';
import type { ReadOptions, ReadPlan } from '../read-plan.js';
import { checkRowKey } from './arguments.js';
import { checkFilterShape } from './check-filter-shape.js';
import { PackedRow } from '../packed-rows.js';

/** The longest time that timers can wait, in milliseconds. */
const maxTimeoutMs = 2 ** 31 - 1;

/** Whether the value has properties: no primitive and not null. */
export function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

/** Checks the name of a table or a family, or another text. */
export function checkName(value: unknown, property: string): void {
  if (typeof value === 'string') return;
  throw invalidArgument(property, faults.notAString(value));
}

/** Checks that the value is an array. */
export function checkList(value: unknown, property: string, fix = 'give an array'): void {
  if (!Array.isArray(value)) throw invalidArgument(property, faults.notAnArray(value, fix));
}

/** Checks that the value is an object with the properties of its type. */
export function checkObject(value: unknown, property: string, fix: string): void {
  if (!isObject(value)) throw invalidArgument(property, faults.wrongValue(value, fix));
}

/** Checks true or false. */
export function checkFlag(value: unknown, property: string): void {
  if (typeof value === 'boolean') return;
  throw invalidArgument(property, faults.notABoolean, { value });
}

/** Checks a row of mutateRow and mutateRows. */
export function checkRowShape(row: RowMutation): void {
  if (row instanceof PackedRow) return;
  checkObject(row, 'row', 'give { key, mutations: [...] }');
  checkMutationShapes(row.mutations, 'mutations');
}

/** The number of a row's mutations, before its shape was checked. */
export function mutationCount(row: RowMutation): number {
  if (row instanceof PackedRow) return row.endCell - row.firstCell;
  if (!isObject(row) || !Array.isArray(row.mutations)) return 0;
  return row.mutations.length;
}

function checkMutationShapes(mutations: readonly Mutation[], property: string): void {
  checkList(mutations, property, 'give an array of mutations: [{ kind: ... }]');
  for (let i = 0; i < mutations.length; i++) checkChangeShape(mutations[i], property);
}

/** Checks a mutation or a rule: its kind, and the family of all but `deleteFromRow`. */
function checkChangeShape(change: Mutation | ReadModifyWriteRule, property: string): void {
  if (!isObject(change) || typeof change.kind !== 'string')
    throw invalidArgument(property, faults.missingKind(valueText(change)));
  if (change.kind !== 'deleteFromRow' && typeof change.family !== 'string')
    throw invalidArgument('family', faults.wrongFamily(valueText(change.family)));
}

/** Checks the rows of mutateRows, but not what they contain. */
export function checkRowsShape(
  table: string,
  rows: readonly RowMutation[],
  options: { readonly signal?: AbortSignal },
): void {
  checkName(table, 'table');
  checkList(rows, 'rows', 'give an array of rows: [{ key, mutations: [...] }]');
  checkObject(options, 'options', 'give { signal }, or leave it out');
  checkSignal(options.signal);
}

/** Checks a check-and-mutate. */
export function checkCheckShape(
  table: string,
  check: CheckAndMutate,
  options: { readonly signal?: AbortSignal } = {},
): void {
  checkName(table, 'table');
  checkObject(check, 'check', 'give { key, predicate, onTrue: [...] }');
  const { predicate, onTrue, onFalse } = check;
  if (predicate !== undefined) checkFilterShape(predicate, 'predicate');
  if (onTrue !== undefined) checkMutationShapes(onTrue, 'onTrue');
  if (onFalse !== undefined) checkMutationShapes(onFalse, 'onFalse');
  checkObject(options, 'options', 'give { signal }, or leave it out');
  checkSignal(options.signal);
}

/** Checks the arguments of a transaction. */
export function checkTransactionShape(bytes: unknown, work: unknown): void {
  if (typeof bytes !== 'number' || !(bytes >= 0))
    throw invalidArgument('bytes', faults.notAnAmount(bytes));
  if (typeof work !== 'function') throw invalidArgument('work', faults.notAFunction(work));
}

/** Checks what the work of a transaction returns. */
export function checkChangesShape(changes: RowChanges<unknown>): void {
  const fix = 'return { result, rows: [{ table, row }] }, and not a promise';
  checkObject(changes, 'work', fix);
  checkList(changes.rows, 'rows', fix);
  for (const each of changes.rows) {
    checkObject(each, 'rows', fix);
    checkName(each.table, 'table');
    checkRowShape(each.row);
  }
}

/** Checks the arguments of the cells of a row. */
export function checkCellsShape(table: unknown, key: Uint8Array, filter: Filter): void {
  checkName(table, 'table');
  checkRowKey(key);
  checkFilterShape(filter, 'filter');
}

/** Checks the rules of a read-modify-write. */
export function checkRulesShape(table: string, rules: readonly ReadModifyWriteRule[]): void {
  checkName(table, 'table');
  checkList(rules, 'rules', "give an array of rules: [{ kind: 'increment', ... }]");
  for (const rule of rules) checkChangeShape(rule, 'rules');
}

/** Checks a plan and the options of a read. */
export function checkReadShape(plan: ReadPlan, options: ReadOptions): void {
  checkObject(plan, 'plan', 'give { table, ranges, reversed }');
  checkName(plan.table, 'table');
  checkList(plan.ranges, 'ranges', 'give an array of ranges: [everyKey]');
  for (let i = 0; i < plan.ranges.length; i++) checkRange(plan.ranges[i]);
  if (plan.filter !== undefined) checkFilterShape(plan.filter, 'filter');
  checkObject(options, 'options', 'give { signal, pageRows, timeoutMs }, or leave it out');
  checkSignal(options.signal);
  checkTimeout(options.timeoutMs);
}

function checkTimeout(timeoutMs: number | undefined): void {
  if (timeoutMs === undefined) return;
  if (Number.isInteger(timeoutMs) && timeoutMs >= 1 && timeoutMs <= maxTimeoutMs) return;
  throw invalidArgument('timeoutMs', faults.wrongTimeout(timeoutMs));
}

function checkRange(range: KeyRange): void {
  if (isObject(range) && range.start instanceof Uint8Array) {
    const { end } = range;
    if (end === undefined || end instanceof Uint8Array) return;
  }
  throw invalidArgument(
    'ranges',
    faults.rangeWithoutBounds(isObject(range) ? literalText(range) : valueText(range)),
  );
}

function checkSignal(signal: AbortSignal | undefined): void {
  if (signal === undefined) return;
  // Signals of other realms, too.
  if (isObject(signal) && typeof signal.addEventListener === 'function') return;
  throw invalidArgument('signal', faults.wrongSignal(valueText(signal)));
}

/**
 * Checks what dropRowRange drops. Bytes of a prefix that is text would be empty, and everything
 * would be dropped.
 */
export function checkDropShape(table: string, target: DropTarget): void {
  checkName(table, 'table');
  const fix = "give { kind: 'prefix', prefix } with bytes, or { kind: 'all' } to drop every row";
  checkObject(target, 'target', fix);
  if (target.kind === 'all') return;
  const { kind, prefix } = target as { readonly kind: unknown; readonly prefix: unknown };
  if (kind !== 'prefix') throw invalidArgument('target', faults.unknownKind(kind, fix));
  if (!(prefix instanceof Uint8Array))
    throw invalidArgument('prefix', faults.wrongPrefix(prefix, fix));
  if (prefix.length === 0) throw invalidArgument('target', faults.emptyPrefix(fix));
}

const faults = {
  notAString: (value: unknown) => ({ problem: `it is ${valueText(value)}`, fix: 'give a string' }),
  notAnArray: (value: unknown, fix: string) => ({
    problem: `it is ${valueText(value)}, not an array`,
    fix,
  }),
  wrongValue: (value: unknown, fix: string) => ({ problem: `it is ${valueText(value)}`, fix }),
  notABoolean: { problem: 'it is not a boolean', fix: 'give true or false' },
  missingKind: (given: string) => ({
    problem: `it contains ${given} without a kind`,
    fix: "give objects such as { kind: 'setCell', family, qualifier, timestamp, value }",
  }),
  wrongFamily: (given: string) => ({
    problem: `the family is ${given}`,
    fix: 'give the name of a family as a string',
  }),
  notAnAmount: (bytes: unknown) => ({
    problem: `it is ${valueText(bytes)}`,
    fix: 'give about how much is written',
  }),
  notAFunction: (work: unknown) => ({
    problem: `it is ${valueText(work)}`,
    fix: 'give a function of the rows',
  }),
  wrongTimeout: (timeoutMs: number) => ({
    problem: `the timeout is ${valueText(timeoutMs)}`,
    fix: `give a whole number of milliseconds from 1 to ${maxTimeoutMs}, or leave it out`,
  }),
  rangeWithoutBounds: (text: string) => ({
    problem: `the bounds of the range ${text} are not Uint8Arrays`,
    fix: 'give { start, end } as Uint8Arrays, prefixRange(prefix) or pointRange(key)',
  }),
  wrongSignal: (given: string) => ({
    problem: `the signal is ${given}`,
    fix: 'give the signal of an AbortController, or leave it out',
  }),
  unknownKind: (kind: unknown, fix: string) => ({ problem: `its kind is ${valueText(kind)}`, fix }),
  wrongPrefix: (prefix: unknown, fix: string) => ({
    problem: `the prefix is ${valueText(prefix)}`,
    fix,
  }),
  emptyPrefix: (fix: string) => ({ problem: 'the prefix is empty', fix }),
} satisfies FaultTexts;
