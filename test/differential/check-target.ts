/**
 * Sends an operation to one target as far as the rules permit, compares the response with the
 * oracle's, and counts which rules were needed.
 */
import type { Filter, RowMutation } from '../../src/data/store/index.js';
import type { History, Operation } from './operation.js';
import {
  historyRules,
  normalizationRules,
  requestRules,
  rowRules,
  toleranceRules,
  type RuleContext,
  type TargetRequest,
} from './rules.js';
import { canonical, responseText, type TargetResponse } from './target-response.js';
import type { Target } from './targets.js';

/** How often rules applied, and how often there would have been a mismatch without them. */
export class RuleUsage {
  readonly applied = new Map<string, number>();
  readonly needed = new Map<string, number>();

  record(name: string, needed: boolean): void {
    this.applied.set(name, (this.applied.get(name) ?? 0) + 1);
    if (needed) this.needed.set(name, (this.needed.get(name) ?? 0) + 1);
  }

  /**
   * Names of the rules for these targets that were never needed. A rule that withholds an operation
   * from a target is needed whenever it applies.
   */
  unneeded(kinds: readonly Target['kind'][]): readonly string[] {
    return [...historyRules, ...rowRules, ...requestRules, ...toleranceRules, ...normalizationRules]
      .filter(({ targets }) => targets.some((kind) => kinds.includes(kind)))
      .map(({ name }) => name)
      .filter((name) => !this.needed.has(name));
  }
}

/** Whether a history is run on a target. */
export function participates(target: Target, history: History, usage: RuleUsage): boolean {
  const rule = historyRules.find(
    ({ targets, applies }) => targets.includes(target.kind) && applies(history),
  );
  if (rule === undefined) return true;
  usage.record(rule.name, true);
  return false;
}

/** A description of how the response differs from the expected one; undefined if it does not. */
export async function checkTarget(
  target: Target,
  table: string,
  operationContext: Omit<RuleContext, 'target'>,
  usage: RuleUsage,
): Promise<string | undefined> {
  const context: RuleContext = { ...operationContext, target: target.kind };
  const request = requestFor(context, usage);
  if (request === undefined) return undefined;
  const response = await target.run(table, request.operation);
  if (canonical(response) === canonical(request.expected)) return undefined;
  if (equalWhenNormalized(response, { ...context, ...request }, usage)) return undefined;
  if (isTolerated(request.operation, context, usage)) return undefined;
  return `${target.name} returned\n    ${responseText(response)}\n  instead of\n    ${responseText(request.expected)}`;
}

function filterOf(operation: Operation): Filter | undefined {
  if (operation.kind === 'read') return operation.filter;
  if (operation.kind === 'check') return operation.predicate;
  return undefined;
}

function isTolerated(
  operation: Operation,
  { target, families }: RuleContext,
  usage: RuleUsage,
): boolean {
  const filter = filterOf(operation);
  if (filter === undefined) return false;
  const applicable = toleranceRules.filter(
    ({ targets, applies }) => targets.includes(target) && applies(filter, families),
  );
  for (const { name } of applicable) usage.record(name, true);
  return applicable.length > 0;
}

/** Normalizes both responses, rule by rule, until they are equal. */
function equalWhenNormalized(
  actual: TargetResponse,
  context: RuleContext,
  usage: RuleUsage,
): boolean {
  let [a, b] = [context.expected, actual];
  const used: string[] = [];
  for (const { name, targets, normalize } of normalizationRules) {
    if (!targets.includes(context.target)) continue;
    const [normalA, normalB] = [normalize(a, context), normalize(b, context)];
    if (canonical(normalA) !== canonical(a) || canonical(normalB) !== canonical(b)) used.push(name);
    [a, b] = [normalA, normalB];
    if (canonical(a) !== canonical(b)) continue;
    for (const rule of used) usage.record(rule, true);
    return true;
  }
  return false;
}

/** What is sent to the target, and the expected response; undefined if nothing is sent. */
function requestFor(original: RuleContext, usage: RuleUsage): TargetRequest | undefined {
  let context = original;
  const { expected, target } = context;
  for (const { name, targets, rewrite, thenOthers } of requestRules) {
    const rewritten = targets.includes(target) ? rewrite(context) : undefined;
    if (rewritten === undefined) continue;
    usage.record(name, true);
    if (thenOthers !== true || rewritten.request === undefined) return rewritten.request;
    context = { ...context, operation: rewritten.request.operation };
  }
  const { operation } = context;
  if (
    operation.kind === 'mutateRow' &&
    'code' in expected &&
    isWithheld(operation, context, false, usage)
  )
    return undefined;
  if (operation.kind === 'mutateRows' && 'statuses' in expected)
    return acceptedRows(operation, expected.statuses, context, usage);
  if (operation.kind === 'check' && 'matched' in expected)
    return resolvedCheck(operation, expected.matched, context, usage);
  return { operation, expected };
}

function isWithheld(
  row: RowMutation,
  { target, families }: RuleContext,
  entry: boolean,
  usage: RuleUsage,
): boolean {
  const rule = rowRules.find(
    ({ targets, applies }) => targets.includes(target) && applies(row, families, entry),
  );
  if (rule === undefined) return false;
  usage.record(rule.name, true);
  return true;
}

/** The rows of MutateRows that no rule withholds from the target. */
function acceptedRows(
  { rows }: Operation & { kind: 'mutateRows' },
  statuses: readonly number[],
  context: RuleContext,
  usage: RuleUsage,
): TargetRequest | undefined {
  const accepted = rows.map(
    (row, at) => statuses[at] === 0 || !isWithheld(row, context, true, usage),
  );
  const isAccepted = (_element: unknown, at: number): boolean => accepted[at];
  if (!accepted.includes(true)) return undefined;
  return {
    operation: { kind: 'mutateRows', rows: rows.filter(isAccepted) },
    expected: { statuses: statuses.filter(isAccepted) },
  };
}

/**
 * A check is replaced by the branch that the oracle took, if the target may evaluate its predicate
 * differently.
 */
function resolvedCheck(
  operation: Operation & { kind: 'check' },
  matched: boolean,
  { expected, families, target }: RuleContext,
  usage: RuleUsage,
): TargetRequest | undefined {
  const { predicate, key, onTrue, onFalse } = operation;
  const rule =
    predicate &&
    toleranceRules.find(
      ({ targets, applies }) => targets.includes(target) && applies(predicate, families),
    );
  if (rule === undefined) return { operation, expected };
  usage.record(rule.name, false);
  const mutations = matched ? onTrue : onFalse;
  if (mutations.length === 0) return undefined;
  return { operation: { kind: 'mutateRow', key, mutations }, expected: { done: true } };
}
