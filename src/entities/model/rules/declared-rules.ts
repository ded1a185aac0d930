/** The rules that an entity declares of its values, compiled once for each model. */
import {
  isBytes,
  RowsmithError,
  type Values,
  valueText,
  type FaultTexts,
} from '../../../base/index.js';
import type { SegmentOptions } from '../../../data/key/index.js';
import type { ColumnModel, EntityModel, SegmentModel, ValueRules } from '../model.js';

/** One violated rule. */
export interface ValidationIssue {
  /** Path within the entity: `tenant`, `status.position.lat`, `tags[2]`. */
  readonly path: string;
  /**
   * Name of the rule: `required`, `oneOf`, `maxLength`; of class-validator: `isString`; `schema`
   * for what a Standard Schema finds.
   */
  readonly rule: string;
  readonly message: string;
}

/** The checks of an entity that declares rules. */
export interface HeldRules {
  /** Whether it has rules of columns. */
  readonly hasColumns: boolean;
  /** Checks an entity that is written whole. */
  readonly entity: (values: Values) => Issues;
  /** Checks the columns that a patch writes, where null deletes one, and the key of its row. */
  readonly patch: (key: Values, changes: Values) => Issues;
  /** Checks the key of a row that a write may create. Throws VALIDATION_FAILED with all issues. */
  readonly checkKey: (values: Values) => void;
}

/** What is wrong with some values; undefined for nothing. */
export type Issues = ValidationIssue[] | undefined;
/** Appends the issues of a value; creates the list for the first one. */
type Check = (value: unknown, issues: Issues) => Issues;
type PropertyChecks = readonly (readonly [property: string, check: Check])[];

/** Issues in the text of an error. */
const maxListed = 10;

const compiled = new WeakMap<EntityModel, HeldRules | null>();

/** The checks of a model; undefined if it declares no rules. */
export function declaredRules(model: EntityModel): HeldRules | undefined {
  let rules = compiled.get(model);
  if (rules === undefined) compiled.set(model, (rules = compile(model) ?? null));
  return rules ?? undefined;
}

function compile(model: EntityModel): HeldRules | undefined {
  const segments: PropertyChecks = model.segments.flatMap((segment) => {
    const check = segmentCheck(segment);
    return check === undefined ? [] : [[segment.property, check] as const];
  });
  const columns: PropertyChecks = model.columns.flatMap((column) => {
    const check = columnCheck(column);
    return check === undefined ? [] : [[column.property, check] as const];
  });
  if (segments.length + columns.length === 0) return undefined;
  const all = [...segments, ...columns];
  return {
    hasColumns: columns.length > 0,
    entity: (values) => run(all, values),
    patch: (key, changes) => {
      // Undefined leaves a column as it is.
      const written = columns.filter(([property]) => changes[property] !== undefined);
      return run(written, changes, run(segments, key));
    },
    checkKey: (values) => {
      const issues = run(segments, values);
      if (issues !== undefined) throw issuesError(model, issues);
    },
  };
}

function run(checks: PropertyChecks, values: Values, given?: Issues): Issues {
  let issues = given;
  for (const [property, check] of checks) issues = check(values[property], issues);
  return issues;
}

/** VALIDATION_FAILED: the text has the first issues, `details.issues` has all of them. */
export function issuesError(
  { name }: EntityModel,
  issues: readonly ValidationIssue[],
  rowKey?: string,
): RowsmithError {
  return new RowsmithError('VALIDATION_FAILED', {
    entity: name,
    property: issues[0].path === '' ? undefined : issues[0].path,
    ...faults.brokenRules(issuesText(issues)),
    rowKey,
    issues,
  });
}

/** The first issues in one line. */
export function issuesText(issues: readonly ValidationIssue[]): string {
  const first = issues.slice(0, maxListed);
  const text = first
    .map(({ path, message }) => (path === '' ? message : `${path}: ${message}`))
    .join('; ');
  return issues.length > first.length ? `${text}; and ${issues.length - first.length} more` : text;
}

/** Undefined is reported by the key: each segment needs a value. */
function segmentCheck({ property, type, rules }: SegmentModel): Check | undefined {
  if (rules === undefined) return undefined;
  const check = valueCheck(property, rules);
  if (type.lower !== true && type.normalize === undefined) return check;
  return (value, issues) =>
    check(typeof value === 'string' ? storedText(type, value) : value, issues);
}

function columnCheck(column: ColumnModel): Check | undefined {
  const { property, rules } = column;
  const check = rules && valueCheck(property, rules);
  if (!('required' in column) || column.required === undefined) return check;
  const issue = { path: property, rule: 'required', message: 'it is required, and has no value' };
  return (value, issues) => {
    if (value === undefined || value === null) return added(issues, issue);
    return check === undefined ? issues : check(value, issues);
  };
}

function added(issues: Issues, issue: ValidationIssue): Issues {
  if (issues === undefined) return [issue];
  issues.push(issue);
  return issues;
}

/**
 * The check of a value, which adds what is wrong to the issues that there are. Values of other
 * types pass: their codec has the words for them.
 */
export function valueCheck(path: string, rules: ValueRules): Check {
  const tests = Object.entries(testsOf(rules));
  return (value, given) => {
    if (value === undefined || value === null) return given;
    let issues = given;
    for (const [rule, test] of tests) {
      const message = test(value);
      if (message !== undefined) issues = added(issues, { path, rule, message });
    }
    return issues;
  };
}

type Test = (value: unknown) => string | undefined;

function testsOf({ oneOf, minLength, maxLength, pattern, min, max }: ValueRules) {
  const tests: Record<string, Test> = {};
  if (oneOf !== undefined) {
    const members = new Set(oneOf);
    const list = membersText(oneOf);
    tests.oneOf = (value) =>
      members.has(value) ? undefined : `${valueText(value)} is not one of ${list}`;
  }
  if (minLength !== undefined)
    tests.minLength = (value) => {
      const length = lengthOf(value) ?? minLength;
      if (length >= minLength) return undefined;
      if (length === 0) return 'it is empty';
      return `its length is ${length}, less than ${minLength}`;
    };
  if (maxLength !== undefined)
    tests.maxLength = (value) => {
      const length = lengthOf(value) ?? 0;
      return length > maxLength ? `its length is ${length}, more than ${maxLength}` : undefined;
    };
  if (pattern !== undefined)
    tests.pattern = (value) =>
      typeof value !== 'string' || pattern.test(value)
        ? undefined
        : `${valueText(value)} does not match ${String(pattern)}`;
  if (min !== undefined)
    tests.min = (value) =>
      isNumber(value) && !(value >= min) ? `${valueText(value)} is not at least ${min}` : undefined;
  if (max !== undefined)
    tests.max = (value) =>
      isNumber(value) && !(value <= max) ? `${valueText(value)} is not at most ${max}` : undefined;
  return tests;
}

function isNumber(value: unknown): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint';
}

/** The members of an enum in errors: the first ones. */
export function membersText(members: readonly unknown[]): string {
  const shown = members
    .slice(0, 10)
    .map((each) => (typeof each === 'string' ? `'${each}'` : String(each)));
  if (members.length > shown.length) shown.push(`${members.length - shown.length} more`);
  return shown.join(', ');
}

/** Text as the segment stores it. */
function storedText({ lower, normalize }: SegmentOptions, text: string): string {
  const normal = normalize === undefined ? text : text.normalize(normalize);
  return lower === true ? normal.toLowerCase() : normal;
}

/** The length to which rules apply; undefined for other values. */
function lengthOf(value: unknown): number | undefined {
  if (typeof value === 'string' || isBytes(value)) return value.length;
  return undefined;
}

const faults = {
  brokenRules: (problem: string) => ({ problem, fix: 'correct the values; nothing was written' }),
} satisfies FaultTexts;
