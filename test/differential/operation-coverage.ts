/**
 * Coverage of operations and their arguments by the histories of a campaign, as far as the oracle
 * accepted them. The compiler checks the lists against the types of the store, so that a new kind
 * must be added here, and then be generated.
 */
import type {
  FamilyChange,
  Filter,
  Mutation,
  ReadModifyWriteRule,
} from '../../src/data/store/index.js';
import type { TargetResponse } from './target-response.js';
import { children } from './filter-analysis.js';
import type { History, Operation, ReadOperation } from './operation.js';

const filters: Readonly<Record<Filter['kind'], true>> = {
  chain: true,
  interleave: true,
  condition: true,
  sink: true,
  families: true,
  columns: true,
  cellsPerColumn: true,
  cellsPerRow: true,
  cellsPerRowOffset: true,
  rowSample: true,
  rowKeyRegex: true,
  familyRegex: true,
  qualifierRegex: true,
  valueRegex: true,
  columnRange: true,
  valueRange: true,
  valueBitmask: true,
  timestampRange: true,
  valueEquals: true,
  stripValue: true,
  label: true,
  passAll: true,
  blockAll: true,
};
const mutations: Readonly<Record<Mutation['kind'], true>> = {
  setCell: true,
  addToCell: true,
  mergeToCell: true,
  deleteFromColumn: true,
  deleteFromFamily: true,
  deleteFromRow: true,
};
const operations: Readonly<Record<Operation['kind'], true>> = {
  mutateRow: true,
  mutateRows: true,
  check: true,
  modify: true,
  read: true,
  drop: true,
  families: true,
  sample: true,
  token: true,
  schema: true,
  protect: true,
  recreate: true,
  list: true,
  ping: true,
  collect: true,
  reopen: true,
  wait: true,
  missingTable: true,
};
const rules: Readonly<Record<ReadModifyWriteRule['kind'], true>> = {
  increment: true,
  append: true,
};

const ends = ['none', 'open', 'closed'] as const;
const pairs = ends.flatMap((start) => ends.map((end) => `${start} to ${end}`));

/** Everything that a campaign must cover, in words. */
export const goals: readonly string[] = [
  ...Object.keys(operations)
    .filter((kind) => kind !== 'missingTable')
    .map((kind) => `${kind}`),
  ...[
    'mutateRow',
    'mutateRows',
    'check',
    'read',
    'modify',
    'drop',
    'families',
    'sample',
    'token',
    'schema',
    'protect',
  ].map((kind) => `${kind} on a missing table`),
  ...Object.keys(mutations).flatMap((kind) =>
    ['mutateRow', 'mutateRows', 'check'].map((call) => `${kind} in ${call}`),
  ),
  ...Object.keys(rules).map((kind) => `${kind}`),
  'increment and append in one call',
  'two rules on one column',
  // A check accepts the same filters as a read.
  ...Object.keys(filters).flatMap((kind) =>
    ['read', 'reversed read', 'check'].map((call) => `${kind} in ${call}`),
  ),
  ...[
    'chain',
    'interleave',
    'condition',
    'sink',
    'label',
    'rowSample',
    'columns',
    'families',
    'valueEquals',
    'cellsPerRow',
    'columnRange',
  ].map((kind) => `${kind} inside interleave of a reversed read`),
  ...pairs.flatMap((pair) => [`columnRange ${pair}`, `valueRange ${pair}`, `keys ${pair}`]),
  ...['none to none', 'none to open', 'closed to none', 'closed to open'].map(
    (pair) => `timestampRange ${pair}`,
  ),
  'columnRange of one column',
  'valueRange of one value',
  'families of none',
  'families of several',
  'columns of a whole family',
  'columns of several families',
  'chain 20 deep',
  'chain of one',
  'drop all',
  'drop prefix',
  'create a family',
  'drop a family',
  'set the rule of a family',
  'remove the rule of a family',
  'a bogus token',
  'protect off',
  'reopen with garbage to collect',
  'reopen with its own clock',
  'wait before garbage is collected',
  'a table with microsecond timestamps',
  'a table with split keys',
  'a page of one row',
  'statistics of a read',
  'more than a megabyte in one call',
];

/** Counts generated operations and arguments. */
export class OperationCoverage {
  readonly #counts = new Map<string, number>();

  /** Goals that were never reached. */
  missing(): readonly string[] {
    return goals.filter((name) => !this.#counts.has(name));
  }

  /** The goals that were reached least often, with their counts. */
  rarest(count: number): readonly string[] {
    return [...this.#counts]
      .sort(([, a], [, b]) => a - b)
      .slice(0, count)
      .map(([name, times]) => `${times} times: ${name}`);
  }

  record(operation: Operation, response: TargetResponse, history: History): void {
    if (operation.kind === 'missingTable')
      return this.#count(`${operation.call.kind} on a missing table`);
    if (operation.kind === 'token' && operation.bogus === true) this.#count('a bogus token');
    if ('code' in response) return;
    this.#count(operation.kind);
    if (history.granularity === 'micros') this.#count('a table with microsecond timestamps');
    if (history.splitKeys !== undefined) this.#count('a table with split keys');
    this.#arguments(operation, response, history);
  }

  #count(name: string): void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
  }

  #arguments(operation: Operation, response: TargetResponse, history: History): void {
    switch (operation.kind) {
      case 'mutateRow':
        return this.#mutations('mutateRow', operation.mutations);
      case 'mutateRows': {
        const written = operation.rows
          .filter((_row, at) => 'statuses' in response && response.statuses[at] === 0)
          .flatMap((row) => row.mutations);
        if (
          written.reduce((sum, one) => sum + (one.kind === 'setCell' ? one.value.length : 0), 0) >
          1_048_576
        )
          this.#count('more than a megabyte in one call');
        return this.#mutations('mutateRows', written);
      }
      case 'check': {
        const matched = 'matched' in response && response.matched;
        this.#mutations('check', matched ? operation.onTrue : operation.onFalse);
        if (operation.predicate !== undefined) this.#filter(operation.predicate, 'check', false, 1);
        return undefined;
      }
      case 'modify':
        return this.#rules(operation.rules);
      case 'read':
        return this.#read(operation);
      case 'drop':
        return this.#count(`drop ${operation.target.kind}`);
      case 'families':
        for (const change of operation.changes) this.#count(changeText(change));
        return undefined;
      case 'protect':
        if (!operation.on) this.#count('protect off');
        return undefined;
      case 'reopen':
        if (history.gc === 'manual') this.#count('reopen with garbage to collect');
        if (history.clock === true) this.#count('reopen with its own clock');
        return undefined;
      case 'wait':
        if (history.gc === 'manual') this.#count('wait before garbage is collected');
        return undefined;
      default:
        return undefined;
    }
  }

  #mutations(call: string, applied: readonly Mutation[]): void {
    for (const { kind } of applied) this.#count(`${kind} in ${call}`);
  }

  #rules(applied: readonly ReadModifyWriteRule[]): void {
    for (const { kind } of applied) this.#count(kind);
    if (new Set(applied.map(({ kind }) => kind)).size > 1)
      this.#count('increment and append in one call');
    if (
      new Set(applied.map(({ family, qualifier }) => `${family}:${qualifier.join()}`)).size <
      applied.length
    )
      this.#count('two rules on one column');
  }

  #read({ reversed, ranges, filter, pageRows, stats }: ReadOperation): void {
    for (const { start, end } of ranges)
      this.#count(`keys ${boundText(start && !start.open)} to ${boundText(end && !end.open)}`);
    if (pageRows === 1) this.#count('a page of one row');
    if (stats === true) this.#count('statistics of a read');
    if (filter !== undefined) this.#filter(filter, reversed ? 'reversed read' : 'read', false, 1);
  }

  #filter(filter: Filter, call: string, interleaved: boolean, level: number): void {
    this.#count(`${filter.kind} in ${call}`);
    if (interleaved) this.#count(`${filter.kind} inside interleave of a ${call}`);
    if (level === 20) this.#count('chain 20 deep');
    this.#filterArguments(filter);
    for (const inner of children(filter))
      this.#filter(inner, call, interleaved || filter.kind === 'interleave', level + 1);
  }

  /** The arguments of a filter. */
  #filterArguments(filter: Filter): void {
    switch (filter.kind) {
      case 'chain':
        if (filter.filters.length === 1) this.#count('chain of one');
        break;
      case 'columnRange':
        this.#count(
          `columnRange ${boundText(filter.start?.inclusive)} to ${boundText(filter.end?.inclusive)}`,
        );
        if (
          filter.start?.inclusive === true &&
          filter.end?.inclusive === true &&
          Buffer.compare(filter.start.qualifier, filter.end.qualifier) === 0
        )
          this.#count('columnRange of one column');
        break;
      case 'valueRange':
        this.#count(
          `valueRange ${boundText(filter.start?.inclusive)} to ${boundText(filter.end?.inclusive)}`,
        );
        if (
          filter.start?.inclusive === true &&
          filter.end?.inclusive === true &&
          Buffer.compare(filter.start.value, filter.end.value) === 0
        )
          this.#count('valueRange of one value');
        break;
      case 'timestampRange':
        this.#count(
          `timestampRange ${filter.start === undefined ? 'none' : 'closed'} to ${filter.end === undefined ? 'none' : 'open'}`,
        );
        break;
      case 'families':
        if (filter.families.length !== 1)
          this.#count(filter.families.length === 0 ? 'families of none' : 'families of several');
        break;
      case 'columns':
        if (filter.columns.some(({ qualifiers }) => qualifiers === 'all'))
          this.#count('columns of a whole family');
        if (filter.columns.length > 1) this.#count('columns of several families');
        break;
      default:
    }
  }
}

function boundText(inclusive: boolean | undefined): string {
  if (inclusive === undefined) return 'none';
  return inclusive ? 'closed' : 'open';
}

function changeText(change: FamilyChange): string {
  if (change.kind !== 'update') return `${change.kind} a family`;
  return change.gc === undefined ? 'remove the rule of a family' : 'set the rule of a family';
}
