/** Checks the columns that the library sets, and the hooks of the class. */
import { types } from 'node:util';
import { quotedList, valueText } from '../../../base/index.js';
import { gcRuleText, maxAgeOf } from '../gc-rule.js';
import type { ColumnDeclaration, Constructor, ManagedRole } from '../declaration/declaration.js';
import type { EntityHooks, ManagedProperties, TableModel } from '../model.js';
import { decoratorOf } from './build-columns.js';
import type { Report } from './shared/build-context.js';

const roles: readonly ManagedRole[] = ['revision', 'createdAt', 'updatedAt'];

/** The properties that the library sets; undefined if there are none. */
export function buildManaged(
  columns: readonly ColumnDeclaration[],
  table: TableModel,
  report: Report,
): ManagedProperties | undefined {
  const managed: { -readonly [R in ManagedRole]?: string } = {};
  for (const role of roles) {
    const [first, ...others] = columns.filter((column) => column.role === role);
    if (first === undefined) continue;
    managed[role] = first.property;
    for (const { property } of others)
      report(
        property,
        `the entity has ${decoratorOf(first)} on ${quotedList([first.property, property])}`,
        'keep it on one property',
      );
  }
  if (managed.revision !== undefined) checkAge(managed.revision, columns, table, report);
  return Object.keys(managed).length === 0 ? undefined : Object.freeze(managed);
}

/** Reports required columns that garbage collection takes out of rows that have others. */
export function checkRequiredAges(
  columns: readonly ColumnDeclaration[],
  table: TableModel,
  report: Report,
): void {
  for (const { property, rules } of columns)
    if (rules?.required === true) checkAge(property, columns, table, report);
}

/** A row with an expired revision, or without a required value, would look as if it had none. */
function checkAge(
  property: string,
  columns: readonly ColumnDeclaration[],
  table: TableModel,
  report: Report,
): void {
  const ageOf = ({ family }: ColumnDeclaration): number => maxAgeOf(table.families.get(family)?.gc);
  const column = columns.find((each) => each.property === property)!;
  const longer = columns.find((other) => ageOf(other) > ageOf(column));
  if (longer === undefined) return;
  const { family, role } = column;
  report(
    property,
    `the rule ${gcRuleText(table.families.get(family)!.gc!)} of family '${family}' deletes the ` +
      `${role ?? 'required value'} before '${longer.property}'`,
    `put it into family '${longer.family}', or into one without maxAge`,
  );
}

/** The static methods `beforeWrite` and `afterRead` of the class; undefined if it has neither. */
export function buildHooks(entityClass: Constructor, report: Report): EntityHooks | undefined {
  const hooks: { -readonly [H in keyof EntityHooks]: EntityHooks[H] } = {};
  for (const name of ['beforeWrite', 'afterRead'] as const) {
    const hook = (entityClass as unknown as Readonly<Record<string, unknown>>)[name];
    if (hook === undefined) continue;
    if (typeof hook !== 'function') {
      report(
        name,
        `the static property ${name} is ${valueText(hook)}, not a function`,
        `write static ${name}(entity: ${entityClass.name}): void { ... }, or rename it`,
      );
      continue;
    }
    if (types.isAsyncFunction(hook)) {
      report(
        name,
        `${name} is an async function`,
        'make it synchronous: await before the write, or after the read',
      );
      continue;
    }
    hooks[name] = (entity) => hook.call(entityClass, entity) as unknown;
  }
  return Object.keys(hooks).length === 0 ? undefined : Object.freeze(hooks);
}
