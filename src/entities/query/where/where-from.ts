/**
 * Conditions of an object that a program does not trust, such as the query string of an HTTP
 * request: only properties and operators that the program allows, and texts become values of the
 * kinds of their properties.
 */
import { types } from 'node:util';
import {
  checkOptions,
  invalidArgument,
  quotedList,
  quotedName,
  RowsmithError,
  suggestionText,
  type Values,
  valueText,
  wrongObject,
  type FaultText,
  type FaultTexts,
} from '../../../base/index.js';
import { CodecError } from '../../../data/cell/index.js';
import { cellTextForm, segmentTextForms, type TextForm } from '../../../data/text/index.js';
import type { EntityModel } from '../../model/index.js';
import { queryError } from '../query-error.js';
import { operatorsOf } from './check-where.js';
import { scalarKindOf, subjectOf } from './subject.js';

/** The operator of `{ status: 'open' }`, which has no name in `where`. */
const equals = 'equals';
/** Operators with a list of values. */
const lists: readonly string[] = ['oneOf', 'noneOf'];
/** Values of a list, and characters of a value: more than addresses of requests usually have. */
const maxValues = 100;
const maxChars = 1024;

/** A property that a request may test. */
interface Allowed {
  readonly form: TextForm;
  readonly operators: readonly string[];
}

/** One test of a request. */
interface Test {
  /** As the request names it: `total[atLeast]`. */
  readonly parameter: string;
  readonly property: string;
  readonly operator: string;
  readonly value: unknown;
}

type AllowedByName = ReadonlyMap<string, Allowed>;

/**
 * The argument of `where` for an untrusted object; undefined if it has no properties. Throws
 * INVALID_QUERY for what is wrong with the object, and INVALID_ARGUMENT for what is wrong with the
 * options. `given` are segments that have values already.
 */
export function conditionsFrom(
  model: EntityModel,
  given: readonly string[],
  untrusted: unknown,
  options: unknown,
): Values | undefined {
  const allowed = allowedOf(model, given, options);
  try {
    return conditionsOf(model, untrusted, allowed);
  } catch (error) {
    // A proxy or a getter throws what it likes, also what cannot be looked at.
    const cause = types.isNativeError(error) ? error : undefined;
    if (cause instanceof RowsmithError) throw cause;
    const details = { entity: model.name, property: 'whereFrom', ...faults.unreadableParameters };
    throw new RowsmithError('INVALID_QUERY', details, { cause });
  }
}

function conditionsOf(
  model: EntityModel,
  untrusted: unknown,
  allowed: AllowedByName,
): Values | undefined {
  const conditions = new Map<string, Record<string, unknown>>();
  for (const test of testsOf(model, untrusted, allowed)) {
    const { property, operator, parameter } = test;
    const name = operator === equals ? 'oneOf' : operator;
    const condition = conditions.get(property) ?? {};
    if (Object.hasOwn(condition, name))
      throw queryError(model, property, faults.testTwice(parameter));
    condition[name] = operandOf(model, test, allowed.get(property)!.form);
    conditions.set(property, condition);
  }
  return conditions.size === 0 ? undefined : Object.fromEntries(conditions);
}

/** What the program allows. Throws INVALID_ARGUMENT. */
function allowedOf(model: EntityModel, given: readonly string[], options: unknown): AllowedByName {
  const fail = (property: string, fault: FaultText): RowsmithError =>
    invalidArgument(property, fault, { entity: model.name });
  checkOptions('whereFrom()', options, ['allow'], { entity: model.name });
  const { allow } = (options ?? {}) as { readonly allow?: unknown };
  const wrong = wrongObject(allow);
  if (wrong !== undefined) throw fail('allow', faults.wrongAllow(wrong.given));
  return new Map(
    Object.entries(allow as Values).map(([property, operators]) => {
      if (given.includes(property)) throw fail(property, faults.valueInPrefix(property));
      const form = formOf(model, property, fail);
      const known = [equals, ...operatorsOf(subjectOf(model, property)!)];
      if (Array.isArray(operators) && operators.every((each) => known.includes(each as string)))
        return [property, { form, operators: [...(operators as string[])] }];
      throw fail(property, faults.wrongOperators(property, operators, known));
    }),
  );
}

function listText(operators: unknown): string {
  if (!Array.isArray(operators)) return valueText(operators);
  return operators.map(quotedName).join(', ');
}

/** How texts become values of a property. */
function formOf(
  model: EntityModel,
  property: string,
  fail: (property: string, fault: FaultText) => RowsmithError,
): TextForm {
  const { names } = model.key;
  const segment = model.segments.find((each) => each.property === property);
  if (segment !== undefined && names.includes(property)) return segmentTextForms[segment.type.kind];
  const column = model.columns.find((each) => each.property === property);
  if (column === undefined) {
    const known = [...names, ...model.columns.map((each) => each.property)];
    const problem = `'${property}' is not a property of the entity`;
    throw fail(property, { problem, fix: suggestionText(property, known) });
  }
  const kind = scalarKindOf(column);
  if (kind !== undefined && kind !== 'json') return cellTextForm(column);
  throw fail(property, faults.unfitProperty(property));
}

/**
 * The tests of a request: `{ status: 'open' }`, and `{ total: { atLeast: '20' } }` or
 * `{ 'total[atLeast]': '20' }`, as parsers of query strings return it. Reads each value once, as it
 * may be a getter, and ends with the first fault, however many there are.
 */
function* testsOf(model: EntityModel, untrusted: unknown, allowed: AllowedByName): Generator<Test> {
  const wrong = wrongObject(untrusted);
  if (wrong !== undefined)
    throw queryError(model, 'whereFrom', faults.wrongParameters(wrong.given));
  for (const parameter of Object.keys(untrusted as Values)) {
    const [, named = parameter, operator] = /^([^[\]]+)\[([^[\]]*)\]$/.exec(parameter) ?? [];
    const property = allowedName(model, named, allowed);
    const value = valueAt(model, untrusted as Values, parameter, property);
    if (operator !== undefined || !isNested(value))
      yield checkedTest(
        model,
        { parameter, property, operator: operator ?? equals, value },
        allowed,
      );
    else if (Object.keys(value).length === 0)
      throw queryError(model, property, faults.emptyTests(property));
    else
      for (const name of Object.keys(value)) {
        const test = { parameter: `${property}[${name}]`, property, operator: name };
        checkedTest(model, test, allowed);
        yield { ...test, value: valueAt(model, value, name, property) };
      }
  }
}

/** The property of a parameter. Its name is text of the request, so that errors shorten it. */
function allowedName(model: EntityModel, name: string, allowed: AllowedByName): string {
  if (allowed.has(name)) return name;
  const fix =
    allowed.size === 0 ? 'leave it out' : `leave it out, or use ${quotedList(allowed.keys())}`;
  throw queryError(model, shortened(name), faults.unknownProperty(name, fix));
}

function shortened(name: string): string {
  return name.length > 60 ? `${name.slice(0, 60)}...` : name;
}

function checkedTest<T extends Omit<Test, 'value'>>(
  model: EntityModel,
  test: T,
  allowed: AllowedByName,
): T {
  const { property, operator } = test;
  const { operators } = allowed.get(property)!;
  if (operators.includes(operator)) return test;
  const written = operators.map((name) => (name === equals ? property : `${property}[${name}]`));
  throw queryError(
    model,
    property,
    faults.unknownOperator(property, operator, written.length, written),
  );
}

function valueAt(model: EntityModel, from: Values, name: string, property: string): unknown {
  try {
    return from[name];
  } catch {
    throw queryError(model, property, faults.unreadableValue(property));
  }
}

function isNested(value: unknown): value is Values {
  return wrongObject(value) === undefined;
}

function operandOf(model: EntityModel, test: Test, form: TextForm): unknown {
  const { property, operator, parameter, value } = test;
  if (lists.includes(operator)) {
    const values: readonly unknown[] = Array.isArray(value) ? value : [value];
    if (values.length > maxValues)
      throw queryError(model, property, faults.tooManyValues(parameter, values.length));
    return Array.from(values, (each) => parsed(model, test, form, each));
  }
  if (Array.isArray(value))
    throw queryError(model, property, faults.tooManyValuesToo(parameter, value.length, property));
  const operand = parsed(model, test, form, value);
  return operator === equals ? [operand] : operand;
}

function parsed(model: EntityModel, test: Test, form: TextForm, value: unknown): unknown {
  const { property, operator, parameter } = test;
  if (value === undefined || value === null || typeof value === 'object' || isTooLong(value))
    throw queryError(model, property, faults.wrongValue(parameter, isTooLong(value), value));
  // The beginning of a day is text that is no day.
  if (/startsWith$/i.test(operator) && typeof value === 'string') return value;
  try {
    return form.parse(value);
  } catch (fault) {
    if (!(fault instanceof CodecError)) throw fault;
    throw queryError(model, property, faults.malformedValue(parameter, fault.problem, fault.fix));
  }
}

function isTooLong(value: unknown): boolean {
  return typeof value === 'string' && value.length > maxChars;
}

const faults = {
  emptyTests: (property: string) => ({
    problem: `the tests of '${property}' are empty`,
    fix: 'leave the parameter out to test nothing',
  }),
  testTwice: (parameter: string) => ({
    problem: `'${parameter}' tests what another parameter tests`,
    fix: 'give each test once',
  }),
  wrongAllow: (given: string) => ({
    problem: `allow is ${given}`,
    fix: "name properties and their operators: { allow: { status: ['equals'] } }",
  }),
  valueInPrefix: (property: string) => ({
    problem: `'${property}' has its value from the prefix already`,
    fix: `leave '${property}' out of allow`,
  }),
  wrongOperators: (property: string, operators: unknown, known: readonly string[]) => ({
    problem: `the operators of '${property}' are ${listText(operators)}`,
    fix: `give an array of ${quotedList(known)}`,
  }),
  unfitProperty: (property: string) => ({
    problem: `a request cannot test '${property}', which is not a single value with a text form`,
    fix: 'test it with where(), and check the value before',
  }),
  wrongParameters: (given: string) => ({
    problem: `the parameters of the request are ${given}`,
    fix: 'give an object of parameters, such as parse(text) of node:querystring returns',
  }),
  unreadableParameters: {
    problem: 'the parameters of the request cannot be read',
    fix: 'give a plain object of text',
  },
  unknownProperty: (name: string, fix: string) => ({
    problem: `a request cannot test '${shortened(name)}'`,
    fix,
  }),
  unknownOperator: (
    property: string,
    operator: string,
    length: number,
    written: readonly string[],
  ) => ({
    problem: `a request cannot test '${property}' with '${shortened(operator)}'`,
    fix: length === 0 ? 'leave it out' : `use ${quotedList(written)}`,
  }),
  unreadableValue: (property: string) => ({
    problem: `the value of '${property}' cannot be read`,
    fix: 'give text',
  }),
  tooManyValues: (parameter: string, length: number) => ({
    problem: `'${parameter}' has ${length} values`,
    fix: `give at most ${maxValues}`,
  }),
  tooManyValuesToo: (parameter: string, length: number, property: string) => ({
    problem: `'${parameter}' has ${length} values`,
    fix: `give one value; a list is a value of '${property}[oneOf]', where that is allowed`,
  }),
  wrongValue: (parameter: string, isTooLongText: boolean, value: unknown) => ({
    problem: `the value of '${parameter}' is ${isTooLongText ? 'too long' : valueText(value)}`,
    fix: `give text of at most ${maxChars} characters, or leave '${parameter}' out`,
  }),
  malformedValue: (parameter: string, problem: string, fix: string) => ({
    problem: `'${parameter}': ${problem}`,
    fix,
  }),
} satisfies FaultTexts;
