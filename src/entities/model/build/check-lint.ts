/** Checks what an entity declares for `lint`. The ids of rules are checked by the layer `lint`. */
import { quotedList, suggestionText, valueText, type FaultTexts } from '../../../base/index.js';
import type { ClassDeclaration } from '../declaration/declaration.js';
import type { LintExpectation, LintIgnoreDeclaration } from '../declaration/lint-declaration.js';
import { isOptions } from '../declaration/given-options.js';
import { isDuration } from '../gc-rule.js';
import type { Report } from './shared/build-context.js';
import { checkOptionNames } from './shared/check-options.js';

const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 1;
const isBoolean = (value: unknown): boolean => typeof value === 'boolean';

/** What findings name that are about none of the properties. */
const declaredNames = ['key', 'indexes', 'rollups', 'patterns'];

/** The options of an expectation: what a value must be, and the test for it. */
const expectations: Readonly<
  Record<keyof LintExpectation, readonly [rule: string, isValid: (value: unknown) => boolean]>
> = {
  values: ['a whole number of at least 1', isCount],
  sequential: ['true or false', isBoolean],
  maxBytes: ['a whole number of at least 1', isCount],
  maxEntries: ['a whole number of at least 1', isCount],
  updates: ["'frequent' or 'append'", (value) => value === 'frequent' || value === 'append'],
  keep: ["a duration such as '30d'", isDuration],
  personal: ['true or false', isBoolean],
};

/** Reports suppressions without a reason, unknown properties and wrong expectations. */
export function checkLint(declaration: ClassDeclaration, report: Report): void {
  const properties = [...declaration.segments, ...declaration.columns].map(
    ({ property }) => property,
  );
  const ignorable = [...properties, ...declaredNames];
  for (const ignored of declaration.lintIgnores) checkIgnore(ignored, properties, report);
  const lint: unknown = declaration.entity?.lint;
  if (lint === undefined) return;
  if (!isOptions(lint)) {
    report(undefined, faults.notAnObject(valueText(lint)));
    return;
  }
  checkOptionNames('lint', Object.keys(lint), ['ignore', 'expect'], undefined, report);
  const { ignore = [], expect = {} } = lint;
  if (!Array.isArray(ignore) || !ignore.every(isOptions)) report(undefined, faults.ignoreNotAList);
  else
    for (const each of ignore as readonly Partial<LintIgnoreDeclaration>[]) {
      const names = ['rule', 'property', 'reason'];
      checkOptionNames('lint.ignore', Object.keys(each), names, undefined, report);
      checkIgnore(each, ignorable, report);
    }
  if (isOptions(expect)) checkExpectations(expect, properties, report);
  else report(undefined, faults.expectNotAnObject);
}

function checkIgnore(
  { rule, property, reason }: Partial<LintIgnoreDeclaration>,
  properties: readonly string[],
  report: Report,
): void {
  if (typeof rule !== 'string' || rule === '') {
    report(property, faults.unknownRule(rule));
    return;
  }
  if (typeof reason !== 'string' || reason.trim() === '')
    report(property, faults.missingReason(rule));
  if (property !== undefined) checkProperty('lint.ignore', property, properties, report);
}

function checkProperty(
  owner: string,
  property: string,
  properties: readonly string[],
  report: Report,
): void {
  if (properties.includes(property)) return;
  report(undefined, faults.unknownProperty(owner, property, properties));
}

function checkExpectations(
  expect: Readonly<Record<string, unknown>>,
  properties: readonly string[],
  report: Report,
): void {
  for (const [property, expected] of Object.entries(expect)) {
    checkProperty('lint.expect', property, properties, report);
    if (!isOptions(expected)) {
      report(property, faults.wrongExpectation(expected));
      continue;
    }
    const names = Object.keys(expected);
    checkOptionNames('lint.expect', names, Object.keys(expectations), property, report);
    for (const [name, [rule, isValid]] of Object.entries(expectations)) {
      const value = expected[name];
      if (value !== undefined && !isValid(value))
        report(property, faults.wrongExpectedValue(name, valueText(value), rule));
    }
  }
}

const faults = {
  notAnObject: (given: string) => ({
    problem: `lint is ${given}`,
    fix: 'write lint: { ignore: [...], expect: {...} }',
  }),
  ignoreNotAList: {
    problem: 'lint.ignore is not a list of rules',
    fix: "write ignore: [{ rule: 'K01', reason: '...' }]",
  },
  expectNotAnObject: {
    problem: 'lint.expect is not an object',
    fix: "write expect: { at: { keep: '30d' } }",
  },
  unknownRule: (rule: undefined | string) => ({
    problem: `lint ignores ${valueText(rule)}`,
    fix: "name the rule by its id: 'K01'",
  }),
  missingReason: (rule: string) => ({
    problem: `lint ignores rule ${rule} without a reason`,
    fix: `write why it does not apply: @LintIgnore('${rule}', 'the key is written once a day')`,
  }),
  unknownProperty: (owner: string, property: string, properties: readonly string[]) => ({
    problem: `${owner} names '${property}', which is no segment or column`,
    fix: suggestionText(property, properties),
  }),
  wrongExpectation: (expected: unknown) => ({
    problem: `lint.expect is ${valueText(expected)}`,
    fix: `use an object with ${quotedList(Object.keys(expectations))}`,
  }),
  wrongExpectedValue: (name: string, given: string, rule: string) => ({
    problem: `lint.expect: ${name} is ${given}`,
    fix: `give ${rule}`,
  }),
} satisfies FaultTexts;
