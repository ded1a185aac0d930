/**
 * Runs one history on several peers, each with a table of its own, and says where they first
 * disagree.
 */
import type { FamilySchema, RowMutation } from '../../src/store/index.js';
import type { Answer } from './answer.js';
import type { Made } from './coverage.js';
import { judge, takesPart, type RuleCount } from './judge.js';
import {
  clockedColumns,
  clockFrom,
  far,
  ownClock,
  textOf,
  type History,
  type Operation,
} from './operation.js';
import type { Peer } from './targets.js';
import type { Turns } from './turns.js';

/** What is counted while histories run. */
export interface Counts {
  readonly rules: RuleCount;
  readonly made: Made;
}

/** Where peers disagree. */
export interface Disagreement {
  readonly peer: Peer;
  /** The last operation that ran. */
  readonly at: number;
  readonly text: string;
}

/** Where a history runs: the part of the world that it shares with others. */
export interface Place {
  readonly turns: Turns;
  /** Milliseconds since 1970, of all engines. */
  readonly time: { now: number };
}

let tables = 0;

/** The first disagreement of the others with the first peer. */
export async function runHistory(
  history: History,
  peers: readonly Peer[],
  place: Place,
  count: Counts,
): Promise<Disagreement | undefined> {
  const { turns, time } = place;
  if (history.clock !== true) return runTogether(history, peers, turns, time, count);
  return turns.byItself(async () => {
    const before = time.now;
    time.now = ownClock;
    try {
      return await runTogether(history, peers, undefined, time, count);
    } finally {
      time.now = before;
    }
  });
}

/** Without turns the history has the world to itself. */
async function runTogether(
  history: History,
  [reference, ...all]: readonly Peer[],
  turns: Turns | undefined,
  time: Place['time'],
  count: Counts,
): Promise<Disagreement | undefined> {
  const table = `h${++tables}`;
  const others = all.filter((peer) => takesPart(peer, history, count.rules));
  const peers = [reference, ...others];
  const run = new Run(table, history, reference, others, time, count);
  const beside = <T>(work: () => Promise<T>): Promise<T> =>
    turns === undefined ? work() : turns.beside(work);
  await beside(() => Promise.all(peers.map((peer) => peer.create(table, history))));
  try {
    for (const [at, operation] of [...history.operations, everything].entries()) {
      const step = () => run.step(operation);
      const found = await (operation.kind === 'reopen' && turns !== undefined
        ? turns.byItself(step)
        : beside(step));
      if (found !== undefined) return { ...found, at };
    }
    return undefined;
  } finally {
    if (history.operations.some(({ kind }) => kind === 'protect'))
      await beside(() =>
        Promise.allSettled(peers.map((peer) => peer.run(table, { kind: 'protect', on: false }))),
      );
    await beside(() => Promise.allSettled(peers.map((peer) => peer.remove(table))));
  }
}

const everything: Operation = { kind: 'read', keys: [], ranges: [], reversed: false };
const latin1 = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'latin1'));

class Run {
  readonly #families: Map<string, FamilySchema>;

  readonly #table: string;
  readonly #history: History;
  readonly #reference: Peer;
  readonly #peers: readonly Peer[];
  readonly #time: Place['time'];
  readonly #count: Counts;

  constructor(
    table: string,
    history: History,
    reference: Peer,
    peers: readonly Peer[],
    time: Place['time'],
    count: Counts,
  ) {
    this.#table = table;
    this.#history = history;
    this.#reference = reference;
    this.#peers = peers;
    this.#time = time;
    this.#count = count;
    this.#families = new Map(Object.entries(history.families));
  }

  /** Runs an operation, and what takes the clocks of the peers out of the rows again. */
  async step(operation: Operation): Promise<Omit<Disagreement, 'at'> | undefined> {
    if (operation.kind === 'wait') {
      this.#time.now += operation.ms;
      this.#count.made.note(operation, { done: true }, this.#history);
      return undefined;
    }
    const families = new Map(this.#families);
    const expected = await this.#reference.run(this.#table, operation);
    this.#follow(operation, expected);
    this.#count.made.note(operation, expected, this.#history);
    const answers = await Promise.all(
      this.#peers.map(async (peer) => ({
        peer,
        text: await this.#heard(peer, operation, expected, families),
      })),
    );
    const other = answers.find(({ text }) => text !== undefined);
    if (other !== undefined)
      return { peer: other.peer, text: `  ${textOf(operation)}\n  ${other.text}` };
    if (
      operation.kind === 'reopen' ||
      operation.kind === 'recreate' ||
      operation.kind === 'collect'
    )
      return this.step(everything);
    return this.#history.clock === true ? undefined : this.#forgetClocks(operation, expected);
  }

  async #heard(
    peer: Peer,
    operation: Operation,
    expected: Answer,
    families: ReadonlyMap<string, FamilySchema>,
  ): Promise<string | undefined> {
    try {
      return await judge(peer, this.#table, { operation, expected, families }, this.#count.rules);
    } catch (error) {
      return `${peer.name} fails: ${error instanceof Error ? error.stack : String(error)}`;
    }
  }

  /** The families as they are after a change. */
  #follow(operation: Operation, expected: Answer): void {
    if (
      operation.kind === 'recreate' &&
      'statuses' in expected &&
      expected.statuses.every((code) => code === 0)
    ) {
      this.#families.clear();
      for (const [name, schema] of Object.entries(operation.families))
        this.#families.set(name, schema);
    }
    if (operation.kind !== 'families' || 'code' in expected) return;
    for (const change of operation.changes) {
      if (change.kind === 'create') this.#families.set(change.family, change.schema);
      if (change.kind === 'drop') this.#families.delete(change.family);
    }
  }

  /**
   * Cells under a peer's clock are compared (`now`) and taken away; what a read-modify-write left
   * there comes back at a time that all peers share. Two clocks never agree, and whether two calls
   * fall into one millisecond is left to chance (FIDELITY.md, C7).
   */
  async #forgetClocks(
    operation: Operation,
    expected: Answer,
  ): Promise<Omit<Disagreement, 'at'> | undefined> {
    const clocked = clockedColumns(operation).filter(
      ({ key }) => key.length > 0 && key.length <= 4096,
    );
    const forget = (family: string, qualifier: Uint8Array) =>
      ({ kind: 'deleteFromColumn', family, qualifier, start: clockFrom, end: far }) as const;
    const rows: RowMutation[] = clocked.map(({ key, family, qualifier }) => ({
      key,
      mutations: [forget(family, qualifier)],
    }));
    if (operation.kind === 'modify' && 'rows' in expected) {
      for (const { family, qualifier, timestamp, value } of expected.rows[0].cells) {
        if (timestamp !== 'now') continue;
        rows.push({
          key: operation.key,
          mutations: [
            forget(family, latin1(qualifier)),
            {
              kind: 'setCell',
              family,
              qualifier: latin1(qualifier),
              timestamp: far,
              value: latin1(value),
            },
          ],
        });
      }
    }
    if (rows.length === 0) return undefined;
    const seen =
      clocked.length === 0
        ? undefined
        : await this.step({ ...everything, keys: clocked.map(({ key }) => key) } as Operation);
    return seen ?? this.step({ kind: 'mutateRows', rows });
  }
}
