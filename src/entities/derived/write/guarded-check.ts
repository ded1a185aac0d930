/** Conditional writes of base rows that also require the version that was read. */
import { latin1Bytes, noBytes } from '../../../base/index.js';
import { entryColumns } from '../../model/index.js';
import type { CheckAndMutate, Filter, Mutation } from '../../../data/store/index.js';

/** The condition of the caller. */
export interface CallerCondition {
  /** Undefined: any cell. */
  readonly predicate: Filter | undefined;
  /** The result of the predicate for which the row is written. */
  readonly appliedWhen: boolean;
}

/** A check, and the result for which its mutations are made. */
export interface GuardedCheck {
  readonly check: CheckAndMutate;
  readonly appliedWhen: boolean;
}

const anyVersion: Filter = Object.freeze({
  kind: 'columns',
  columns: [{ family: entryColumns.version.family, qualifiers: [noBytes] }],
});
const everyCell: Filter = Object.freeze({ kind: 'passAll' });

/**
 * Writes a row if its version is the one that was read and the condition holds. `families` are the
 * entity's: a row that has only cells of ours does not exist for the condition. A predicate of a
 * row without cells never matches, so what must hold without any is negated.
 */
export function guardedCheck(
  row: { readonly key: Uint8Array; readonly mutations: readonly Mutation[] },
  version: string | undefined,
  families: readonly string[],
  condition: CallerCondition | undefined,
): GuardedCheck {
  const { key, mutations } = row;
  const when = (predicate: Filter): GuardedCheck => ({
    check: { key, predicate, onTrue: mutations },
    appliedWhen: true,
  });
  const unless = (predicate: Filter): GuardedCheck => ({
    check: { key, predicate, onFalse: mutations },
    appliedWhen: false,
  });
  const visible = condition && visibleTo(condition, families);
  if (version === undefined) {
    if (visible === undefined) return unless(anyVersion);
    if (condition!.appliedWhen)
      return when({ kind: 'condition', predicate: anyVersion, onFalse: visible });
    return unless({
      kind: 'condition',
      predicate: anyVersion,
      onTrue: everyCell,
      onFalse: visible,
    });
  }
  const same = chain(
    anyVersion,
    { kind: 'cellsPerColumn', count: 1 },
    { kind: 'valueEquals', value: latin1Bytes(version) },
  );
  if (visible === undefined) return when(same);
  if (condition!.appliedWhen) return when({ kind: 'condition', predicate: same, onTrue: visible });
  const absent: Filter = { kind: 'condition', predicate: visible, onFalse: everyCell };
  return when({ kind: 'condition', predicate: same, onTrue: absent });
}

/** The cells of the entity that a condition looks for. */
export function visibleTo({ predicate }: CallerCondition, families: readonly string[]): Filter {
  return chain({ kind: 'families', families }, predicate ?? everyCell);
}

function chain(...filters: readonly Filter[]): Filter {
  return { kind: 'chain', filters };
}
