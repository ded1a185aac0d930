/** Rejects inserts and conditional writes of rows that garbage collection rules would hide. */
import { RowsmithError, type FaultTexts } from '../../base/index.js';
import { type EntityModel, gcRuleText, maxAgeOf } from '../model/index.js';
import type { RowMutation } from '../../data/store/index.js';

/**
 * Compiles a check for new rows, which throws INVALID_VALUE if every cell is older than its family
 * keeps cells. `now` is in microseconds.
 */
export function compileExpiredCheck(model: EntityModel): (row: RowMutation, now: number) => void {
  const maxAges = new Map(
    [...model.table.families].map(([family, { gc }]) => [family, maxAgeOf(gc)]),
  );
  if ([...maxAges.values()].every((age) => age === Infinity)) return () => undefined;
  return ({ mutations }, now) => {
    let newest: { readonly family: string; readonly age: number } | undefined;
    for (const mutation of mutations) {
      if (mutation.kind !== 'setCell') continue;
      const { family } = mutation;
      const age = now - Number(mutation.timestamp);
      if (age <= (maxAges.get(family) ?? Infinity)) return;
      if (newest === undefined || age < newest.age) newest = { family, age };
    }
    if (newest !== undefined) throw expiredRowError(model, newest.family, now - newest.age);
  };
}

function expiredRowError(model: EntityModel, family: string, micros: number): RowsmithError {
  const { cellTimestamp, expiresAt } = model;
  if (expiresAt !== undefined) {
    const end = new Date((micros + expiresAt.age) / 1000).toISOString();
    return new RowsmithError('INVALID_VALUE', {
      entity: model.name,
      property: expiresAt.property,
      ...faults.alreadyOver(end),
    });
  }
  const rule = gcRuleText(model.table.families.get(family)!.gc!);
  const at = new Date(micros / 1000).toISOString();
  return new RowsmithError('INVALID_VALUE', {
    entity: model.name,
    property: cellTimestamp,
    family,
    ...faults.expiredRow(at, rule, family),
  });
}

const faults = {
  alreadyOver: (end: string) => ({
    problem: `the row would expire at ${end}, which is over`,
    fix: 'give it a later time, or leave it out; save() without a condition accepts it',
    shell: { fix: 'give it a later time, or leave it out' },
  }),
  expiredRow: (at: string, rule: string, family: string) => ({
    problem:
      `the newest cell of the row would have the timestamp ${at}, and the rule ${rule} of family '${family}' ` +
      'would collect it at once',
    fix:
      'leave the row out, give it a newer timestamp, or declare a greater maxAge; save() without ' +
      'a condition accepts it and stores nothing visible',
    shell: { fix: 'leave the row out, give it a newer timestamp, or declare a greater maxAge' },
  }),
} satisfies FaultTexts;
