/** Runs one history on several peers, each with a table of its own, and says where they first disagree. */
import type { FamilySchema, RowMutation } from '../../src/store/index.js';
import type { Answer } from './answer.js';
import { judge, takesPart, type RuleCount } from './judge.js';
import { clockedColumns, clockFrom, far, textOf, type History, type Operation } from './operation.js';
import type { Peer } from './peers.js';

/** Where peers disagree. */
export interface Disagreement {
  readonly peer: Peer;
  /** The last operation that ran. */
  readonly at: number;
  readonly text: string;
}

let tables = 0;

/** The first disagreement of the others with the first peer. */
export async function runHistory(history: History, [reference, ...others]: readonly Peer[], count: RuleCount): Promise<Disagreement | undefined> {
  const table = `h${++tables}`;
  const peers = others.filter((peer) => takesPart(peer, history, count));
  const run = new Run(table, reference, peers, new Map(Object.entries(history.families)), count);
  await Promise.all([reference, ...peers].map((peer) => peer.create(table, history)));
  try {
    for (const [at, operation] of [...history.operations, everything].entries()) {
      const found = await run.step(operation);
      if (found !== undefined) return { ...found, at };
    }
    return undefined;
  } finally {
    await Promise.allSettled([reference, ...peers].map((peer) => peer.remove(table)));
  }
}

const everything: Operation = { kind: 'read', keys: [], ranges: [], reversed: false };
const latin1 = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'latin1'));

class Run {
  constructor(
    private readonly table: string, private readonly reference: Peer, private readonly peers: readonly Peer[],
    private readonly families: Map<string, FamilySchema>, private readonly count: RuleCount,
  ) {}

  /** Runs an operation, and what takes the clocks of the peers out of the rows again. */
  async step(operation: Operation): Promise<Omit<Disagreement, 'at'> | undefined> {
    const families = new Map(this.families);
    const expected = await this.reference.run(this.table, operation);
    this.follow(operation, expected);
    const answers = await Promise.all(this.peers.map(async (peer) => ({ peer, text: await this.heard(peer, operation, expected, families) })));
    const other = answers.find(({ text }) => text !== undefined);
    if (other !== undefined) return { peer: other.peer, text: `  ${textOf(operation)}\n  ${other.text}` };
    return this.forgetClocks(operation, expected);
  }

  private async heard(peer: Peer, operation: Operation, expected: Answer, families: ReadonlyMap<string, FamilySchema>): Promise<string | undefined> {
    try {
      return await judge(peer, this.table, { operation, expected, families }, this.count);
    } catch (error) {
      return `${peer.name} fails: ${error instanceof Error ? error.stack : String(error)}`;
    }
  }

  /** The families as they are after a change. */
  private follow(operation: Operation, expected: Answer): void {
    if (operation.kind !== 'families' || 'code' in expected) return;
    for (const change of operation.changes) {
      if (change.kind === 'create') this.families.set(change.family, change.schema);
      if (change.kind === 'drop') this.families.delete(change.family);
    }
  }

  /**
   * Cells under a peer's clock are compared (`now`) and taken away; what a read-modify-write left there comes back at a time that all peers share.
   * Two clocks never agree, and whether two calls fall into one millisecond is left to chance (FIDELITY.md, C7).
   */
  private async forgetClocks(operation: Operation, expected: Answer): Promise<Omit<Disagreement, 'at'> | undefined> {
    const clocked = clockedColumns(operation).filter(({ key }) => key.length > 0 && key.length <= 4096);
    const forget = (family: string, qualifier: Uint8Array) => ({ kind: 'deleteFromColumn', family, qualifier, start: clockFrom, end: far } as const);
    const rows: RowMutation[] = clocked.map(({ key, family, qualifier }) => ({ key, mutations: [forget(family, qualifier)] }));
    if (operation.kind === 'modify' && 'rows' in expected) {
      for (const { family, qualifier, timestamp, value } of expected.rows[0].cells) {
        if (timestamp !== 'now') continue;
        rows.push({ key: operation.key, mutations: [forget(family, latin1(qualifier)), { kind: 'setCell', family, qualifier: latin1(qualifier), timestamp: far, value: latin1(value) }] });
      }
    }
    if (rows.length === 0) return undefined;
    const seen = clocked.length === 0 ? undefined : await this.step({ ...everything, keys: clocked.map(({ key }) => key) } as Operation);
    return seen ?? this.step({ kind: 'mutateRows', rows });
  }
}
