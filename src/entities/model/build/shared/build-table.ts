/** Checks a table and its families against Bigtable's rules. */
import {
  durationText,
  literalText,
  maxGcRuleBytes,
  quotedList,
  type FaultText,
  type FaultTexts,
} from '../../../../base/index.js';
import { aggregateProblem, type FamilySchema, type GcRule } from '../../../../data/store/index.js';
import { type Report } from './build-context.js';
import { checkOptionNames } from './check-options.js';
import type { EntityOptions, TableDeclaration } from '../../declaration/declaration.js';
import { isOptions } from '../../declaration/given-options.js';
import { deepFreeze, frozenMap } from './freeze.js';
import { gcRuleSize } from '../../gc-rule.js';
import type { TableModel } from '../../model.js';

// google.bigtable.admin.v2.CreateTableRequest.table_id and google.bigtable.v2.Family.name; lengths
// are in characters.
export const namePattern = /^[_a-zA-Z0-9][-_.a-zA-Z0-9]*$/;
const nameRule = 'start with a letter, digit or _, and use only letters, digits, _, - and .';
export const maxTableNameLength = 50;
const maxFamilyNameLength = 64;

/** The checked table. Faulty families are included, so that columns can be checked against them. */
export function buildTable(options: EntityOptions, report: Report): TableModel {
  const shared = sharedTable(options);
  const name = shared?.name ?? (options.table as string);
  if (typeof name !== 'string' || !namePattern.test(name) || name.length > maxTableNameLength) {
    report(undefined, faults.notATableName(name));
  }
  if (shared !== undefined && options.families !== undefined) {
    report(undefined, faults.familiesTwice(name));
  }
  const families = Object.entries({ ...shared?.families, ...options.families });
  if (families.length === 0) report(undefined, faults.noFamily);
  for (const [family, schema] of families) checkFamily(family, schema, report);
  families.sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.freeze({
    name,
    families: frozenMap(families.map(([family, schema]) => [family, deepFreeze({ ...schema })])),
  });
}

/** The table that was declared with `table()`; undefined if the entity names the table itself. */
export function sharedTable({ table }: EntityOptions): TableDeclaration | undefined {
  if (!isOptions(table) || table.kind !== 'table') return undefined;
  return table as TableDeclaration;
}

function checkFamily(family: string, schema: FamilySchema, report: Report): void {
  if (!namePattern.test(family) || family.length > maxFamilyNameLength) {
    report(undefined, faults.notAFamilyName(family));
  }
  const { gc, aggregate } = schema ?? {};
  const names = Object.keys(schema ?? {});
  checkOptionNames(`family '${family}'`, names, ['gc', 'aggregate'], undefined, report);
  if (aggregate !== undefined && !['sum', 'min', 'max'].includes(aggregate)) {
    report(undefined, faults.unknownAggregate(family, aggregate));
  }
  if (gc === undefined) return;
  let valid = true;
  checkRule(gc, ({ problem, fix }) => {
    valid = false;
    report(undefined, faults.familyFault(family, problem, fix));
  });
  if (valid && gcRuleSize(gc) > maxGcRuleBytes) {
    report(undefined, faults.ruleTooLong(family, gcRuleSize(gc)));
  }
}

function checkRule(rule: GcRule, report: (fault: FaultText) => void): void {
  switch (rule?.kind) {
    case 'maxVersions':
      if (!Number.isInteger(rule.versions) || rule.versions < 1 || rule.versions > 2 ** 31 - 1) {
        report(faults.wrongVersions(rule.versions));
      }
      break;
    case 'maxAge':
      if (!Number.isSafeInteger(rule.micros) || rule.micros < 1_000) {
        report(faults.ageTooShort(rule.micros / 1e3));
      }
      break;
    case 'union':
    case 'intersection':
      if (rule.rules.length === 0) report(faults.emptyRule(rule.kind));
      for (const inner of rule.rules) checkRule(inner, report);
      break;
    default:
      report(faults.notARule);
  }
}

/** The fix for an unknown family: names the declared ones. */
export function knownFamilies(table: TableModel): string {
  if (table.families.size === 0) return 'declare it in families';
  return `declare it in families, or use one of ${quotedList(table.families.keys())}`;
}

const faults = {
  notATableName: (name: string) => ({
    problem: `${literalText(name)} is not a table name`,
    fix: `${nameRule}, at most ${maxTableNameLength} characters`,
  }),
  familiesTwice: (name: string) => ({
    problem: `families are declared both by table('${name}') and by the entity`,
    fix: 'leave `families` out of @Entity',
  }),
  noFamily: {
    problem: 'no column family is declared',
    fix: 'add families to @Entity: families: { m: { gc: maxVersions(1) } }',
  },
  notAFamilyName: (family: string) => ({
    problem: `${literalText(family)} is not a family name`,
    fix: `${nameRule}, at most ${maxFamilyNameLength} characters`,
  }),
  unknownAggregate: (family: string, aggregate: string) => ({
    problem: `family '${family}' has the ${aggregateProblem(aggregate)}`,
    fix: "use aggregate('sum'), aggregate('min') or aggregate('max')",
  }),
  familyFault: (family: string, problem: string, fix: string) => ({
    problem: `family '${family}': ${problem}`,
    fix,
  }),
  ruleTooLong: (family: string, gcRuleSizeText: number) => ({
    problem: `family '${family}': its gc rule has ${gcRuleSizeText} bytes, and Bigtable allows ${maxGcRuleBytes}`,
    fix: 'simplify the rule: nested unions and intersections can be merged',
  }),
  wrongVersions: (versions: number) => ({
    problem: `maxVersions(${literalText(versions)}) is not a whole number of versions`,
    fix: 'keep at least 1: maxVersions(1)',
  }),
  ageTooShort: (micros: number) => ({
    problem: `maxAge is ${durationText(micros)}, but must be at least 1 ms and a whole number of microseconds`,
    fix: "write a longer age: maxAge('1ms')",
  }),
  emptyRule: (kind: string) => ({
    problem: `${kind}() is empty`,
    fix: `pass rules, or leave gc out: ${kind}(maxAge('30d'), maxVersions(1))`,
  }),
  notARule: {
    problem: 'gc is not a rule',
    fix: "use maxVersions(n), maxAge('30d'), union(...) or intersection(...)",
  },
} satisfies FaultTexts;
