/** Asks one peer what the rules let it be asked, compares, and counts which rules were needed. */
import type { RowMutation } from '../../src/store/index.js';
import { answerText, canonical, type Answer } from './answer.js';
import type { History, Operation } from './operation.js';
import type { Peer } from './targets.js';
import {
  askRules,
  excuseRules,
  formRules,
  rowRules,
  tableRules,
  type Ask,
  type Situation,
} from './rules.js';

/** How often rules applied, and how often an answer would have been a disagreement without them. */
export class RuleCount {
  readonly applied = new Map<string, number>();
  readonly needed = new Map<string, number>();

  note(name: string, needed: boolean): void {
    this.applied.set(name, (this.applied.get(name) ?? 0) + 1);
    if (needed) this.needed.set(name, (this.needed.get(name) ?? 0) + 1);
  }

  /**
   * Names of the rules of some peers that were never needed. A rule that keeps an operation from a
   * peer is needed where it applies.
   */
  unneeded(kinds: readonly Peer['kind'][]): readonly string[] {
    return [...tableRules, ...rowRules, ...askRules, ...excuseRules, ...formRules]
      .filter(
        ({ name, peers }) => peers.some((kind) => kinds.includes(kind)) && !this.needed.has(name),
      )
      .map(({ name }) => name);
  }
}

/** Whether a peer takes part in a history. */
export function takesPart(peer: Peer, history: History, count: RuleCount): boolean {
  const rule = tableRules.find(
    ({ peers, applies }) => peers.includes(peer.kind) && applies(history),
  );
  if (rule !== undefined) count.note(rule.name, true);
  return rule === undefined;
}

/** What the peer answered otherwise than the rules expect, in words; undefined where it agrees. */
export async function judge(
  peer: Peer,
  table: string,
  asked: Omit<Situation, 'peer'>,
  count: RuleCount,
): Promise<string | undefined> {
  const situation = { ...asked, peer: peer.kind };
  const ask = asking(situation, count);
  if (ask === undefined) return undefined;
  const got = await peer.run(table, ask.operation);
  if (canonical(got) === canonical(ask.expected)) return undefined;
  const excuses =
    filterOf(ask.operation) === undefined
      ? []
      : excuseRules.filter(
          ({ peers, applies }) =>
            peers.includes(peer.kind) && applies(filterOf(ask.operation)!, asked.families),
        );
  if (agreesInForm(got, { ...situation, ...ask }, count)) return undefined;
  for (const { name } of excuses) count.note(name, true);
  return excuses.length > 0
    ? undefined
    : `${peer.name} answers\n    ${answerText(got)}\n  and not\n    ${answerText(ask.expected)}`;
}

const filterOf = (operation: Operation) =>
  operation.kind === 'read'
    ? operation.filter
    : operation.kind === 'check'
      ? operation.predicate
      : undefined;

/** Brings both answers into one form, rule by rule, until they are equal. */
function agreesInForm(got: Answer, situation: Situation, count: RuleCount): boolean {
  let [mine, theirs] = [situation.expected, got];
  const used: string[] = [];
  for (const { name, peers, form } of formRules) {
    if (!peers.includes(situation.peer)) continue;
    const [formed, other] = [form(mine, situation), form(theirs, situation)];
    if (canonical(formed) !== canonical(mine) || canonical(other) !== canonical(theirs))
      used.push(name);
    [mine, theirs] = [formed, other];
    if (canonical(mine) !== canonical(theirs)) continue;
    for (const rule of used) count.note(rule, true);
    return true;
  }
  return false;
}

function asking(situation: Situation, count: RuleCount): Ask | undefined {
  const { operation, expected, peer } = situation;
  for (const { name, peers, asks } of askRules) {
    const told = peers.includes(peer) ? asks(situation) : undefined;
    if (told === undefined) continue;
    count.note(name, true);
    return told.ask;
  }
  if (
    operation.kind === 'mutateRow' &&
    'code' in expected &&
    keptFrom(operation, situation, false, count)
  )
    return undefined;
  if (operation.kind === 'mutateRows' && 'statuses' in expected)
    return remaining(operation, expected.statuses, situation, count);
  if (operation.kind === 'check' && 'matched' in expected)
    return decided(operation, expected.matched, situation, count);
  return { operation, expected };
}

function keptFrom(
  row: RowMutation,
  { peer, families }: Situation,
  entry: boolean,
  count: RuleCount,
): boolean {
  const rule = rowRules.find(
    ({ peers, applies }) => peers.includes(peer) && applies(row, families, entry),
  );
  if (rule !== undefined) count.note(rule.name, true);
  return rule !== undefined;
}

/** The rows that the peer may be sent. */
function remaining(
  { rows }: Operation & { kind: 'mutateRows' },
  statuses: readonly number[],
  situation: Situation,
  count: RuleCount,
): Ask | undefined {
  const kept = rows.map((row, at) => statuses[at] === 0 || !keptFrom(row, situation, true, count));
  const some = <T>(all: readonly T[]): T[] => all.filter((_one, at) => kept[at]);
  return some(rows).length === 0
    ? undefined
    : {
        operation: { kind: 'mutateRows', rows: some(rows) },
        expected: { statuses: some(statuses) },
      };
}

/**
 * A predicate that the peer reads otherwise is decided for it: it is sent the branch that was
 * taken.
 */
function decided(
  operation: Operation & { kind: 'check' },
  matched: boolean,
  situation: Situation,
  count: RuleCount,
): Ask | undefined {
  const rule =
    operation.predicate &&
    excuseRules.find(
      ({ peers, applies }) =>
        peers.includes(situation.peer) && applies(operation.predicate!, situation.families),
    );
  if (rule === undefined) return { operation, expected: situation.expected };
  count.note(rule.name, false);
  const mutations = matched ? operation.onTrue : operation.onFalse;
  return mutations.length === 0
    ? undefined
    : { operation: { kind: 'mutateRow', key: operation.key, mutations }, expected: { done: true } };
}
