/** A scope copies only from rows inside it: other copies would show it another tenant's values. */
import { quotedList, RowsmithError, type FaultTexts } from '../../../base/index.js';
import type { EntityModel } from '../../model/index.js';

/**
 * Throws OUTSIDE_SCOPE if a source of the entity's copies may lie outside of the scope: its key
 * does not begin with the segments of the scope.
 */
export function assertCopiesInScope(
  { name, copies = [] }: EntityModel,
  scoped: readonly string[],
): void {
  for (const { source, by, columns } of copies) {
    const { names } = source.key;
    if (scoped.every((segment, at) => by.get(names[at]) === segment)) continue;
    throw new RowsmithError('OUTSIDE_SCOPE', {
      entity: name,
      property: columns[0].to.property,
      ...faults.copyOutsideScope(source.name, scoped, name),
    });
  }
}

const faults = {
  copyOutsideScope: (sourceName: string, scoped: readonly string[], name: string) => ({
    problem:
      `it is a copy of ${sourceName}, and the key of ${sourceName} does not begin with the scope's ` +
      `${quotedList(scoped)}: a write in the scope could read rows outside the scope`,
    fix:
      `begin the key of ${sourceName} with them, and copy by them, or write ${name} with ` +
      `db.repository(${name})`,
  }),
} satisfies FaultTexts;
