/** What the calls of a repository do to a row: see `RowChange`. */
import type { FeatureSet } from './features.js';
import { hooked, type Item } from './declare.js';
import {
  type Answer,
  equals,
  exists,
  type RowChange,
  type RowState,
  type Value,
} from './row-state.js';
import { defaultStatus, newRevision } from './seen-row.js';

type Columns = ReadonlyMap<string, Value | undefined | ((before: Value | undefined) => Value)>;
type Requires = (state: RowState) => Answer;
/** Values of the plain columns of an item. */
export type Plain = Partial<
  Pick<Item, 'status' | 'code' | 'total' | 'note' | 'log' | 'owner' | 'tags'>
>;
/** Changes of an item; null deletes. */
export type Patch = {
  readonly [P in 'status' | 'code' | 'total' | 'note' | 'owner']?: Item[P] | null;
} & { readonly tags?: ReadonlyMap<string, bigint | null> };

/** When a call is made. */
export interface CallTime {
  /** The clock of the program, in milliseconds. */
  readonly now: number;
  /** The times that its cells may have; `to` is known afterwards. */
  readonly cells: { from: number; to: number };
  /** The times that storage may give to cells. */
  readonly storage: { from: number; to: number };
}

export const rowExists: Requires = exists;
const opposite: Readonly<Record<Answer, Answer>> = { yes: 'no', no: 'yes', maybe: 'maybe' };
export const rowIsNew: Requires = (state) => opposite[exists(state)];
export const both =
  (...all: readonly (Requires | undefined)[]): Requires =>
  (state) => {
    const answers = all.map((each) => each?.(state) ?? 'yes');
    if (answers.includes('no')) return 'no';
    return answers.includes('maybe') ? 'maybe' : 'yes';
  };

/** Makes changes of items of one declaration. */
export class ItemChanges {
  readonly #features: FeatureSet;

  constructor(features: FeatureSet) {
    this.#features = features;
  }

  /** Of `save`, `insert` and the forms for many rows. */
  row(entity: Item, time: CallTime, requires?: Requires): RowChange {
    const has = (feature: Parameters<FeatureSet['has']>[0]): boolean => this.#features.has(feature);
    const set = new Map<string, Value | undefined>();
    for (const column of this.#plainColumns()) set.set(column, entity[column]);
    if (has('hooks')) set.set('status', hooked(entity.status));
    // A default is what an absent cell reads as: it is not stored.
    if (has('defaults') && set.get('status') === defaultStatus) set.set('status', undefined);
    for (const [entry, amount] of entity.tags ?? []) set.set(`tags:${entry}`, amount);
    if (has('marker')) set.set('marker', 'set');
    if (has('revision')) set.set('revision', newRevision);
    if (has('dates')) {
      set.set('updatedAt', BigInt(time.now));
      set.set('createdAt', BigInt(entity.createdAt?.getTime() ?? time.now));
    }
    const wins = requires !== undefined || this.#isMaintained();
    return {
      kind: 'set',
      set,
      replacesMaps: true,
      wins,
      takesTurn: this.#isMaintained(),
      requires,
      time: this.#time(entity.at, time),
    };
  }

  /** Of `patch`. */
  patch(at: Date, patch: Patch, time: CallTime, requires?: Requires): RowChange {
    const set = new Map<string, Value | undefined>();
    for (const [column, value] of Object.entries(patch)) {
      if (value instanceof Map)
        for (const [entry, amount] of value as Patch['tags'] & object)
          set.set(`${column}:${entry}`, amount ?? undefined);
      else set.set(column, (value as Value | null | undefined) ?? undefined);
    }
    return this.cells(at, set, time, requires);
  }

  /** Of a patch, by columns. */
  cells(at: Date, columns: Columns, time: CallTime, requires?: Requires): RowChange {
    const set = new Map(columns);
    if (this.#features.has('revision')) set.set('revision', newRevision);
    if (this.#features.has('dates')) set.set('updatedAt', BigInt(time.now));
    const wins =
      requires !== undefined ||
      (this.#features.has('revision') && this.#isMaintained()) ||
      [...columns.keys()].some((each) => this.#isFollowed(each));
    const maySet = new Map(this.#features.has('marker') ? [['marker', 'set']] : []);
    const takesTurn = wins && this.#isMaintained();
    return { kind: 'set', set, maySet, wins, takesTurn, requires, time: this.#time(at, time) };
  }

  /** Of `update`, which saves the row that it has read. */
  update(at: Date, columns: Columns, time: CallTime, requires: Requires): RowChange {
    const set = new Map(columns);
    // Of a row that a patch made.
    if (this.#features.has('dates')) set.set('createdAt', (was) => was ?? BigInt(time.now));
    return { ...this.cells(at, set, time, requires), rewrites: true };
  }

  /** Of `increment`, `append` and additions: the values are made of the values before. */
  steps(at: Date, columns: Columns, time: CallTime): RowChange {
    const set = new Map(columns);
    const isData = [...columns.keys()].some((each) => each !== 'views' && each !== 'hits');
    if (isData && this.#features.has('revision')) set.set('revision', () => newRevision);
    // A row from which other rows follow is read, and written by the clock of the program.
    const isFollowed = [...columns.keys()].some((each) => this.#isFollowed(each));
    const stepTime = isFollowed ? time.cells : time.storage;
    const written = { wins: true, takesTurn: isFollowed, time: this.#time(at, time), stepTime };
    return { kind: 'set', set, ...written };
  }

  delete(time: CallTime, requires?: Requires): RowChange {
    const takesTurn = this.#isMaintained();
    return { kind: 'delete', wins: true, takesTurn, requires, time: time.cells };
  }

  /** An import sets the cells of its lines, and nothing else. Stored cells that are newer stay. */
  line(at: Date, values: Plain, time: CallTime): RowChange {
    const set = new Map<string, Value>();
    for (const column of this.#plainColumns())
      if (values[column] !== undefined) set.set(column, values[column]);
    for (const [entry, amount] of values.tags ?? []) set.set(`tags:${entry}`, amount);
    const maySet = new Map(this.#features.has('marker') ? [['marker', 'set']] : []);
    const cells = { from: time.now, to: time.now };
    const imported = { isUnseen: true, wins: false, time: this.#time(at, { ...time, cells }) };
    return { kind: 'set', set, maySet, ...imported };
  }

  hasRevision(revision: string | undefined): Requires | undefined {
    if (!this.#features.has('revision')) return undefined;
    return (state) => equals(state, 'revision', revision);
  }

  /** The default of a column also equals a column without a cell in an existing row. */
  hasStatus(status: string): Requires {
    return (state) => {
      const answer = equals(state, 'status', status);
      if (!this.#features.has('defaults') || status !== 'new') return answer;
      const none = both(rowExists)(state) === 'no' ? 'no' : equals(state, 'status', undefined);
      if (answer === 'yes' || (none === 'yes' && exists(state) === 'yes')) return 'yes';
      return answer === 'maybe' || none !== 'no' ? 'maybe' : 'no';
    };
  }

  #plainColumns(): readonly ('status' | 'code' | 'total' | 'note' | 'log' | 'owner')[] {
    const columns = ['status', 'code', 'total', 'note', 'log'] as const;
    return this.#features.has('copies') ? [...columns, 'owner'] : columns;
  }

  /** Whether rows follow from items. A conditional write of these, as of a revision, always wins. */
  #isMaintained(): boolean {
    const following = ['index', 'unique', 'copies', 'rollup'] as const;
    return following.some((each) => this.#features.has(each));
  }

  /** Whether something follows from a column, so that writing it needs the row before. */
  #isFollowed(column: string): boolean {
    const has = (feature: Parameters<FeatureSet['has']>[0]): boolean => this.#features.has(feature);
    // Each row has an entry, also one that has no status, and is counted.
    if ((has('index') && has('defaults')) || has('rollup')) return true;
    if (column === 'status') return has('index');
    if (column === 'code') return has('unique');
    if (column === 'owner') return has('copies');
    return column === 'total' && has('covered');
  }

  #time(at: Date, { cells }: CallTime): RowChange['time'] {
    const stamp = { from: at.getTime(), to: at.getTime() };
    return this.#features.has('cellTimestamp') ? stamp : cells;
  }
}
