/**
 * What the histories of a campaign were made of, as far as the reference engine did not refuse it,
 * and what of all there is was never made. The lists are held to the types of the store by the
 * compiler, so that a new kind must be named here, and then made.
 */
import type { Filter, Mutation, ReadModifyWriteRule } from '../../src/store/index.js';
import type { Answer } from './answer.js';
import { children } from './filter-facts.js';
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
  warm: true,
  collect: true,
  reopen: true,
  wait: true,
  nowhere: true,
};
const rules: Readonly<Record<ReadModifyWriteRule['kind'], true>> = {
  increment: true,
  append: true,
};

const ends = ['none', 'open', 'closed'] as const;
const pairs = ends.flatMap((start) => ends.map((end) => `${start} to ${end}`));

/** All that a campaign has to make, in words. */
export const everything: readonly string[] = [
  ...Object.keys(operations)
    .filter((kind) => kind !== 'nowhere')
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
  ].map((kind) => `${kind} on a table that is not there`),
  ...Object.keys(mutations).flatMap((kind) =>
    ['mutateRow', 'mutateRows', 'check'].map((place) => `${kind} in ${place}`),
  ),
  ...Object.keys(rules).map((kind) => `${kind}`),
  'increment and append in one call',
  'two rules on one column',
  // A check refuses nothing that a read takes, and a sink stands in neither's conditions.
  ...Object.keys(filters).flatMap((kind) =>
    ['read', 'reversed read', 'check'].map((place) => `${kind} in ${place}`),
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
  'another rule for a family',
  'no rule for a family',
  'nonsense for a token',
  'protect off',
  'reopen with garbage to collect',
  'reopen with a clock of its own',
  'wait before garbage is collected',
  'a table of microseconds',
  'a table with split keys',
  'a page of one row',
  'statistics of a read',
  'a megabyte and more in one call',
];

/** Counts what is made. */
export class Made {
  readonly #times = new Map<string, number>();

  /** What of `everything` was never made. */
  never(): readonly string[] {
    return everything.filter((name) => !this.#times.has(name));
  }

  /** The least made, with how often. */
  least(count: number): readonly string[] {
    return [...this.#times]
      .sort(([, a], [, b]) => a - b)
      .slice(0, count)
      .map(([name, times]) => `${times} times: ${name}`);
  }

  note(operation: Operation, answer: Answer, history: History): void {
    if (operation.kind === 'nowhere')
      return this.#count(`${operation.call.kind} on a table that is not there`);
    if (operation.kind === 'token' && operation.bogus === true) this.#count('nonsense for a token');
    if ('code' in answer) return;
    this.#count(operation.kind);
    if (history.granularity === 'micros') this.#count('a table of microseconds');
    if (history.splitKeys !== undefined) this.#count('a table with split keys');
    this.#inside(operation, answer, history);
  }

  #count(name: string): void {
    this.#times.set(name, (this.#times.get(name) ?? 0) + 1);
  }

  #inside(operation: Operation, answer: Answer, history: History): void {
    switch (operation.kind) {
      case 'mutateRow':
        return this.#mutations('mutateRow', operation.mutations);
      case 'mutateRows': {
        const written = operation.rows
          .filter((_row, at) => 'statuses' in answer && answer.statuses[at] === 0)
          .flatMap((row) => row.mutations);
        if (
          written.reduce((sum, one) => sum + (one.kind === 'setCell' ? one.value.length : 0), 0) >
          1_048_576
        )
          this.#count('a megabyte and more in one call');
        return this.#mutations('mutateRows', written);
      }
      case 'check': {
        this.#mutations(
          'check',
          'matched' in answer && answer.matched ? operation.onTrue : operation.onFalse,
        );
        return operation.predicate === undefined
          ? undefined
          : this.#filter(operation.predicate, 'check', false, 1);
      }
      case 'modify':
        return this.#rules(operation.rules);
      case 'read':
        return this.#read(operation);
      case 'drop':
        return this.#count(`drop ${operation.target.kind}`);
      case 'families':
        for (const change of operation.changes)
          this.#count(
            change.kind !== 'update'
              ? `${change.kind} a family`
              : change.gc === undefined
                ? 'no rule for a family'
                : 'another rule for a family',
          );
        return undefined;
      case 'protect':
        return operation.on ? undefined : this.#count('protect off');
      case 'reopen':
        if (history.gc === 'manual') this.#count('reopen with garbage to collect');
        if (history.clock === true) this.#count('reopen with a clock of its own');
        return undefined;
      case 'wait':
        return history.gc === 'manual'
          ? this.#count('wait before garbage is collected')
          : undefined;
      default:
        return undefined;
    }
  }

  #mutations(place: string, made: readonly Mutation[]): void {
    for (const { kind } of made) this.#count(`${kind} in ${place}`);
  }

  #rules(made: readonly ReadModifyWriteRule[]): void {
    for (const { kind } of made) this.#count(kind);
    if (new Set(made.map(({ kind }) => kind)).size > 1)
      this.#count('increment and append in one call');
    if (
      new Set(made.map(({ family, qualifier }) => `${family}:${qualifier.join()}`)).size <
      made.length
    )
      this.#count('two rules on one column');
  }

  #read({ reversed, ranges, filter, pageRows, stats }: ReadOperation): void {
    for (const { start, end } of ranges)
      this.#count(`keys ${endOf(start && !start.open)} to ${endOf(end && !end.open)}`);
    if (pageRows === 1) this.#count('a page of one row');
    if (stats === true) this.#count('statistics of a read');
    if (filter !== undefined) this.#filter(filter, reversed ? 'reversed read' : 'read', false, 1);
  }

  #filter(filter: Filter, place: string, interleaved: boolean, level: number): void {
    this.#count(`${filter.kind} in ${place}`);
    if (interleaved) this.#count(`${filter.kind} inside interleave of a ${place}`);
    if (level === 20) this.#count('chain 20 deep');
    this.#parts(filter);
    for (const inner of children(filter))
      this.#filter(inner, place, interleaved || filter.kind === 'interleave', level + 1);
  }

  /** What a filter says beside its kind. */
  #parts(filter: Filter): void {
    switch (filter.kind) {
      case 'chain':
        if (filter.filters.length === 1) this.#count('chain of one');
        break;
      case 'columnRange':
        this.#count(
          `columnRange ${endOf(filter.start?.inclusive)} to ${endOf(filter.end?.inclusive)}`,
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
          `valueRange ${endOf(filter.start?.inclusive)} to ${endOf(filter.end?.inclusive)}`,
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

const endOf = (inclusive: boolean | undefined): string =>
  inclusive === undefined ? 'none' : inclusive ? 'closed' : 'open';
