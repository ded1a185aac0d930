/** Checks the columns that the library sets, and the hooks of the class. */
import { types } from 'node:util';
import { quotedList, valueText, type FaultTexts } from '../../../base/index.js';
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
        faults.severalManaged(decoratorOf(first), quotedList([first.property, property])),
      );
  }
  if (managed.revision !== undefined) checkAge(managed.revision, columns, table, report);
  return Object.keys(managed).length === 0 ? undefined : Object.freeze(managed);
}

/** Reports required columns that garbage collection removes earlier than other columns of a row. */
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
    faults.ruleDeletesManaged(
      gcRuleText(table.families.get(family)!.gc!),
      family,
      role ?? 'required value',
      longer.property,
      longer.family,
    ),
  );
}

/** The static methods `beforeWrite` and `afterRead` of the class; undefined if it has neither. */
export function buildHooks(entityClass: Constructor, report: Report): EntityHooks | undefined {
  const hooks: { -readonly [H in keyof EntityHooks]: EntityHooks[H] } = {};
  for (const name of ['beforeWrite', 'afterRead'] as const) {
    const hook = (entityClass as unknown as Readonly<Record<string, unknown>>)[name];
    if (hook === undefined) continue;
    if (typeof hook !== 'function') {
      report(name, faults.notAFunction(name, valueText(hook), entityClass.name));
      continue;
    }
    if (types.isAsyncFunction(hook)) {
      report(name, faults.asyncHook(name));
      continue;
    }
    hooks[name] = (entity) => hook.call(entityClass, entity) as unknown;
  }
  return Object.keys(hooks).length === 0 ? undefined : Object.freeze(hooks);
}

const faults = {
  severalManaged: (decoratorOfText: string, quotedListText: string) => ({
    problem: `the entity has ${decoratorOfText} on ${quotedListText}`,
    fix: 'keep it on one property',
  }),
  ruleDeletesManaged: (
    gcRule: string,
    family: string,
    role: string,
    property: string,
    longerFamily: string,
  ) => ({
    problem:
      `the rule ${gcRule} of family '${family}' deletes the ` + `${role} before '${property}'`,
    fix: `put it into family '${longerFamily}', or into one without maxAge`,
  }),
  notAFunction: (name: string, given: string, entityClassName: string) => ({
    problem: `the static property ${name} is ${given}, not a function`,
    fix: `write static ${name}(entity: ${entityClassName}): void { ... }, or rename it`,
  }),
  asyncHook: (name: string) => ({
    problem: `${name} is an async function`,
    fix: 'make it synchronous: await before the write, or after the read',
  }),
} satisfies FaultTexts;
