/** What all rows of a history may be, and whether what is read is one of that. */
import type { RowsmithError } from '../../src/index.js';
import { type Database } from '../../src/index.js';
import type { Call, ItemKey, RowPart } from './calls.js';
import { rowOf } from './calls.js';
import { type Declared, type Item, keepsStatus, type Owner } from './declare.js';
import { type Attempt, type Outcome, type World, worldsAfter } from './outcomes.js';
import { ownerKeys, ownerRow } from './owners.js';
import { cellsOf, emptyRow, type RowState } from './row-state.js';
import { seenRow, type SeenRow } from './seen-row.js';
import type { Result } from './run-history.js';

interface Tracked {
  readonly kind: 'item' | 'owner';
  readonly key: object;
  worlds: readonly World[];
  /** The attempts of the last step. */
  attempts: Attempt[];
  entity: Item | Owner | undefined;
  /** As it was read some steps ago. */
  earlier: Item | undefined;
}

export interface Step {
  /** Whether no other call was made at the same time. */
  readonly isAlone: boolean;
  /** Whether requests may still arrive. */
  readonly mayArrive: boolean;
}
interface CallStep extends Step {
  readonly hasFault: boolean;
  readonly hadFault: boolean;
  /** Whether a program was closed while its calls were made. */
  readonly hasClosed: boolean;
}

const unknownCodes = new Set(['UNAVAILABLE', 'STORAGE_FAILED']);
const refusedCodes = new Set(['ROW_EXISTS', 'CONDITION_FAILED', 'REVISION_CONFLICT']);

export class Oracle {
  #declared: Declared;
  readonly #rows = new Map<string, Tracked>();
  readonly #random: () => number;

  constructor(declared: Declared, keys: readonly ItemKey[], random: () => number) {
    this.#declared = declared;
    this.#random = random;
    this.track(keys);
    for (const key of ownerKeys) this.#track(ownerRow(key.tenant, key.owner), 'owner', key);
  }

  /** Rows are read as another program declares them. */
  async readAs(declared: Declared, db: Database): Promise<void> {
    this.#declared = declared;
    for (const row of this.#rows.values()) {
      row.entity = await this.#get(db, row);
      row.earlier = undefined;
    }
  }

  /** Adds items, which are not there yet. */
  track(keys: readonly ItemKey[]): void {
    for (const key of keys) this.#track(rowOf(key), 'item', key);
  }

  #track(name: string, kind: Tracked['kind'], key: object): void {
    this.#rows.set(name, {
      kind,
      key,
      worlds: [{ state: emptyRow, late: [] }],
      attempts: [],
      entity: undefined,
      earlier: undefined,
    });
  }

  /** A row as it was read, now or earlier. */
  read(row: string): Item | undefined {
    const { entity, earlier } = this.#rows.get(row)!;
    return (this.#random() < 0.7 ? entity : (earlier ?? entity)) as Item | undefined;
  }

  /** The table and the key of a row. */
  stored(db: Database, row: string): readonly [table: string, key: Uint8Array] {
    const { kind, key } = this.#rows.get(row)!;
    const { Item, Owner } = this.#declared;
    const { model } = kind === 'item' ? db.repository(Item) : db.repository(Owner);
    return [model.table.name, model.key.encode(key as never)];
  }

  items(): Item[] {
    return this.#entities('item') as Item[];
  }

  owners(): Owner[] {
    return this.#entities('owner') as Owner[];
  }

  #entities(kind: Tracked['kind']): (Item | Owner)[] {
    return [...this.#rows.values()].flatMap((row) =>
      row.kind === kind && row.entity !== undefined ? [row.entity] : [],
    );
  }

  /** Takes the calls of a step, of these programs. Returns errors that they should not have had. */
  take(
    calls: readonly Call[],
    callers: readonly string[],
    results: readonly Result[],
    step: CallStep,
  ): string[] {
    const problems: string[] = [];
    for (const [i, call] of calls.entries()) {
      for (const part of call.parts) {
        const { row, change } = part;
        const error = errorOf(results[i], part);
        const outcome = outcomeOf(call, results[i], error, step);
        if (outcome === undefined) problems.push(`${call.name} failed: ${reportOf(error?.error)}`);
        const attempt: Attempt = {
          change,
          outcome: outcome ?? 'unknown',
          name: call.name,
          program: call.readsFirst === true ? undefined : callers[i],
        };
        const { attempts } = this.#rows.get(row)!;
        attempts.push(attempt);
        if (call.isTwice === true) attempts.push({ ...attempt, outcome: 'unknown' });
      }
    }
    for (const [i, call] of calls.entries())
      for (const part of call.parts)
        if (errorOf(results[i], part)?.error.code === 'UNIQUE_VIOLATION')
          problems.push(...this.#held(call, part.row, part.change));
    return problems;
  }

  /** Another row may have had the value, or this call gives it to two. */
  #held(call: Call, row: string, { set }: Attempt['change']): string[] {
    const code = set?.get('code');
    const tenant = (this.#rows.get(row)!.key as ItemKey).tenant;
    const may = [...this.#rows].some(
      ([name, other]) =>
        name !== row &&
        (other.key as ItemKey).tenant === tenant &&
        (other.worlds.some(({ state }) => has(state, code)) ||
          [...other.attempts, ...other.worlds.flatMap(({ late }) => late)].some(
            ({ change }) => change.set?.get('code') === code,
          ) ||
          call.parts.some((part) => part.row === name && part.change.set?.get('code') === code)),
    );
    return may ? [] : [`${call.name} is a UNIQUE_VIOLATION, and no other row has ${String(code)}`];
  }

  /** Reads all rows. Returns what they cannot be. */
  async look(db: Database, { mayArrive }: Step): Promise<string[]> {
    const problems: string[] = [];
    for (const [name, row] of this.#rows) {
      const entity = await this.#get(db, row);
      const seen = seenRow(entity, row.kind);
      const hasDefault = row.kind === 'item' && this.#declared.features.has('defaults');
      const worlds = worldsAfter(row.worlds, row.attempts, seen, { hasDefault, mayArrive });
      if (worlds.length === 0) problems.push(reportRow(name, row, seen));
      row.worlds = worlds;
      row.attempts = [];
      if (row.kind === 'item' && this.#random() < 0.5) row.earlier = row.entity as Item | undefined;
      row.entity = entity;
    }
    return problems;
  }

  /** Columns of families that have an age are gone. */
  async expire(db: Database): Promise<void> {
    const kept = keepsStatus(this.#declared.features) ? ['views', 'status'] : ['views'];
    for (const row of this.#rows.values()) {
      row.entity = await this.#get(db, row);
      row.earlier = undefined;
      if (row.kind === 'owner') continue;
      row.worlds = row.worlds.map(({ state }) => {
        return { state: new Map([...state].filter(([name]) => kept.includes(name))), late: [] };
      });
    }
  }

  /** Whether the rows were moved as they are. */
  compareMoved(moved: readonly Item[]): string[] {
    const textOf = (item: Item): string =>
      `${rowOf(item)} ${[...seenRow(item, 'item')!].map(String).sort().join()}`;
    const [found, expected] = [moved, this.items()].map((all) => all.map(textOf).sort().join('; '));
    return found === expected ? [] : [`migrated rows are ${found}, not ${expected}`];
  }

  async #get(db: Database, { kind, key }: Tracked): Promise<Item | Owner | undefined> {
    const { Item, Owner } = this.#declared;
    if (kind === 'item') return db.repository(Item).get(key as ItemKey);
    return db.repository(Owner).get(key as Owner);
  }
}

const has = (state: RowState, code: unknown): boolean =>
  code !== undefined && cellsOf(state, 'code').some(({ value }) => value === code);

interface Failure {
  readonly error: RowsmithError;
  readonly mayBeWritten?: boolean;
}

type ItemFailure = Failure & { readonly index: number; readonly item: ItemKey };

/** The error of a call, or of its item; failures of scans have the keys of their rows. */
function errorOf({ value, error }: Result, { row, item }: RowPart): Failure | undefined {
  if (error !== undefined) return { error };
  const { failures } = (value ?? {}) as { failures?: readonly ItemFailure[] };
  return failures?.find((each) =>
    item === undefined ? rowOf(each.item) === row : each.index === item,
  );
}

/** Undefined for an error that the call should not have had. */
function outcomeOf(
  call: Call,
  result: Result,
  failure: Failure | undefined,
  { isAlone, hasFault, hadFault, hasClosed }: CallStep,
): Outcome | undefined {
  if (result.isEnded !== true) return 'unknown';
  if (failure === undefined) {
    if (call.isRefused?.(result.value) === true) return 'refused';
    return call.isScan === true && !isAlone ? 'unknown' : 'made';
  }
  const { code } = failure.error;
  // Which of the rows that a scan found have failed is not known.
  if (call.isScan === true && result.error === undefined) return 'unknown';
  if ((unknownCodes.has(code) && hasFault) || (code === 'DATABASE_CLOSED' && hasClosed))
    return failure.mayBeWritten === false ? 'none' : 'unknown';
  if (refusedCodes.has(code)) return 'refused';
  if (code === 'UNIQUE_VIOLATION') return 'none';
  if (code === 'CONTENTION' && (!isAlone || hadFault)) return 'none';
  return undefined;
}

function reportOf(error: RowsmithError | undefined): string {
  return `${error?.code} ${error?.details.problem ?? ''} ${error?.details.reason ?? ''}`;
}

function reportRow(name: string, { worlds, attempts }: Tracked, seen: SeenRow): string {
  const textOf = (value: unknown): string =>
    JSON.stringify(value, (_, each: unknown) => (typeof each === 'bigint' ? `${each}n` : each));
  const was = worlds.map(
    ({ state, late }) =>
      [...state]
        .map(
          ([column, cells]) =>
            `${column}=${cells.map((c) => `${c.value}@${c.from}-${c.to}`).join('|')}`,
        )
        .join(' ') +
        (late.length > 0 ? ` (late: ${late.map((each) => each.name).join('; ')})` : '') || 'no row',
  );
  return [
    `${name} is ${seen === undefined ? 'no row' : textOf([...seen])}`,
    `  it was ${was.join(' or ') || 'impossible already'}`,
    ...attempts.map(
      ({ name: call, outcome, change }) =>
        `  ${call}: ${outcome} ${textOf([...(change.set ?? [])])} at ${change.time.from}-${change.time.to}${change.wins ? '!' : ''}`,
    ),
  ].join('\n');
}
