/** Checks a table and its families against Bigtable's rules. */
import { quotedList } from '../../base/index.js';
/** Checks a table and its families against Bigtable's rules. */
import type { FamilySchema, GcRule } from '../../store/index.js';
import { type Report } from './build-context.js';
import type { EntityOptions } from '../declaration/declaration.js';
import { deepFreeze, frozenMap } from './freeze.js';
import { gcRuleSize } from '../gc-rule.js';
import type { TableModel } from '../model.js';

const NAME = /^[_a-zA-Z0-9][-_.a-zA-Z0-9]*$/;
const NAME_RULE = 'start with a letter, digit or _, and use only letters, digits, _, - and .';
/** google.bigtable.admin.v2 limits: characters of names, serialized bytes of a rule. */
const TABLE_NAME_MAX = 50;
const FAMILY_NAME_MAX = 64;
const GC_RULE_MAX = 500;

/**
 * The checked table. Families of a faulty declaration are returned too, so that columns can be
 * checked against them.
 */
export function buildTable(options: EntityOptions, report: Report): TableModel {
  const shared =
    typeof options.table === 'object' && options.table !== null ? options.table : undefined;
  const name = shared?.name ?? (options.table as string);
  if (typeof name !== 'string' || !NAME.test(name) || name.length > TABLE_NAME_MAX) {
    report(
      undefined,
      `${JSON.stringify(name)} is not a table name`,
      `${NAME_RULE}, at most ${TABLE_NAME_MAX} characters`,
    );
  }
  if (shared !== undefined && options.families !== undefined) {
    report(
      undefined,
      `families are declared by table('${name}') and by the entity`,
      'leave `families` out of @Entity',
    );
  }
  const families = Object.entries({ ...shared?.families, ...options.families });
  if (families.length === 0)
    report(
      undefined,
      'no column family is declared',
      'add families to @Entity: families: { m: { gc: maxVersions(1) } }',
    );
  for (const [family, schema] of families) checkFamily(family, schema, report);
  families.sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.freeze({
    name,
    families: frozenMap(families.map(([family, schema]) => [family, deepFreeze({ ...schema })])),
  });
}

function checkFamily(family: string, schema: FamilySchema, report: Report): void {
  if (!NAME.test(family) || family.length > FAMILY_NAME_MAX) {
    report(
      undefined,
      `${JSON.stringify(family)} is not a family name`,
      `${NAME_RULE}, at most ${FAMILY_NAME_MAX} characters`,
    );
  }
  const { gc, aggregate } = schema ?? {};
  if (aggregate !== undefined && !['sum', 'min', 'max'].includes(aggregate)) {
    report(
      undefined,
      `family '${family}' has the unknown aggregate ${JSON.stringify(aggregate)}`,
      'use sum(), min() or max()',
    );
  }
  if (gc === undefined) return;
  let sound = true;
  checkRule(gc, (problem, fix) => {
    sound = false;
    report(undefined, `family '${family}': ${problem}`, fix);
  });
  if (sound && gcRuleSize(gc) > GC_RULE_MAX) {
    report(
      undefined,
      `family '${family}': its rule takes ${gcRuleSize(gc)} bytes, and Bigtable takes ${GC_RULE_MAX}`,
      'simplify the rule: nested unions and intersections can be merged',
    );
  }
}

function checkRule(rule: GcRule, report: (problem: string, fix: string) => void): void {
  switch (rule?.kind) {
    case 'maxVersions':
      if (!Number.isInteger(rule.versions) || rule.versions < 1 || rule.versions > 2 ** 31 - 1) {
        report(
          `maxVersions(${rule.versions}) keeps no whole number of versions`,
          'keep at least 1: maxVersions(1)',
        );
      }
      break;
    case 'maxAge':
      if (!Number.isSafeInteger(rule.micros) || rule.micros < 1_000) {
        report(
          `maxAge is ${rule.micros / 1e3} ms, and Bigtable takes 1 ms or more in whole microseconds`,
          "give a longer age: maxAge('1ms')",
        );
      }
      break;
    case 'union':
    case 'intersection':
      if (rule.rules.length === 0)
        report(
          `${rule.kind}() is empty`,
          `put rules into it, or leave gc out: ${rule.kind}(maxAge('30d'), maxVersions(1))`,
        );
      for (const inner of rule.rules) checkRule(inner, report);
      break;
    default:
      report(
        'its gc is not a rule',
        "use maxVersions(n), maxAge('30d'), union(...) or intersection(...)",
      );
  }
}

/** Which families there are, for the fix of an unknown one. */
export function knownFamilies(table: TableModel): string {
  return table.families.size === 0
    ? 'declare it in families'
    : `declare it in families, or use one of ${quotedList(table.families.keys())}`;
}
