/**
 * Reads the argument of `where` into conditions. Everything that the types reject, and what they
 * cannot see, is INVALID_QUERY.
 */
import type { RowsmithError } from '../../../base/index.js';
import {
  isBytes,
  isDate,
  isMap,
  quotedList,
  suggestionText,
  type Values,
  valueText,
  type FaultTexts,
} from '../../../base/index.js';
import { CodecError } from '../../../data/cell/index.js';
import { type EntityModel, isEntityOf } from '../../model/index.js';
import { queryError } from '../query-error.js';
import type { Check, Condition, OrderOperator } from './condition.js';
import { copyOfValue, fieldSubject, subjectOf } from './subject.js';
import type { Subject } from './test-subject.js';

/**
 * Checks conditions by property; `given` are the segments that have values already. Returns frozen
 * copies. Throws INVALID_QUERY, and INVALID_KEY for values that a segment cannot have.
 */
export function checkConditions(
  model: EntityModel,
  given: readonly string[],
  conditions: unknown,
): readonly Condition[] {
  if (!isPlainObject(conditions))
    throw queryError(model, 'where', faults.wrongConditions(conditions));
  if (isEntityOf(model, conditions)) throw queryError(model, 'where', faults.entityAsConditions);
  const properties = Object.keys(conditions);
  if (properties.length === 0) throw queryError(model, 'where', faults.emptyWhere);
  return Object.freeze(
    properties.map((property) => {
      if (given.includes(property))
        throw queryError(model, property, faults.fixedByPrefix(property));
      const checks = checksOf(model, subject(model, property), conditions[property]);
      return Object.freeze({ property, checks: Object.freeze(checks) });
    }),
  );
}

function subject(model: EntityModel, property: string): Subject {
  const found = subjectOf(model, property);
  if (found !== undefined) return found;
  const known = [...model.key.names, ...model.columns.map((column) => column.property)];
  throw queryError(model, property, faults.unknownProperty(property, known));
}

function checksOf(model: EntityModel, on: Subject, test: unknown): Check[] {
  if (test === undefined) throw undefinedError(model, on.path);
  if (test === null) return [{ kind: 'absent' }];
  if (!isPlainObject(test))
    return [{ kind: 'oneOf', values: [operand(model, on, test)], orAbsent: false }];
  const names = Object.keys(test);
  if (names.length === 0)
    throw queryError(model, on.path, faults.emptyCondition(on.path, operatorNames(on)));
  return names.flatMap((name) => {
    if (test[name] === undefined) throw undefinedError(model, on.path);
    return operatorChecks(model, on, name, test[name]);
  });
}

const orderOperators: readonly OrderOperator[] = ['above', 'atLeast', 'below', 'atMost'];

function operatorChecks(model: EntityModel, on: Subject, name: string, value: unknown): Check[] {
  if (name === 'not' && value === null) return [{ kind: 'present' }];
  if (!operatorsOf(on).includes(name)) throw operatorError(model, on, name);
  let check: Check;
  switch (name) {
    case 'not':
      return [{ kind: 'noneOf', values: [operand(model, on, value)] }];
    case 'oneOf':
    case 'noneOf': {
      const { values, withNull } = operands(model, on, name, value);
      if (name === 'oneOf') return [{ kind: 'oneOf', values, orAbsent: withNull }];
      return [{ kind: 'noneOf', values }];
    }
    case 'fields':
      return fieldChecks(model, on, value);
    case 'startsWith':
    case 'notStartsWith':
      check = {
        kind: 'startsWith',
        value: textOperand(model, on, value),
        negated: name === 'notStartsWith',
      };
      break;
    default:
      if (Number.isNaN(value)) throw queryError(model, on.path, faults.notANumber);
      check = {
        kind: 'order',
        operator: name as OrderOperator,
        value: on.segment === undefined ? operand(model, on, value) : copyOfValue(value),
      };
  }
  on.segment?.check(check);
  return [check];
}

function operatorError(model: EntityModel, on: Subject, name: string): RowsmithError {
  const known = [...orderOperators, 'oneOf', 'noneOf', 'startsWith', 'notStartsWith', 'fields'];
  if (known.includes(name) || name === 'not')
    return queryError(model, on.path, faults.unsupportedOperator(on, name));
  return queryError(model, on.path, faults.unknownOperator(name, operatorsOf(on)));
}

/** The operators that a subject has. */
export function operatorsOf({ equality, order, text, fields }: Subject): readonly string[] {
  const names: string[] = [];
  if (equality) names.push('not', 'oneOf', 'noneOf');
  if (order) names.push(...orderOperators);
  if (text !== undefined) names.push('startsWith', 'notStartsWith');
  if (fields !== undefined) names.push('fields');
  return names;
}

/** Operators as `--where` of the command writes them. */
const shellOperators: Readonly<Record<string, string>> = {
  oneOf: '=',
  noneOf: '!=',
  above: '>',
  atLeast: '>=',
  below: '<',
  atMost: '<=',
  startsWith: '^=',
};

function shellOperatorNames(on: Subject): string {
  const written = operatorsOf(on).flatMap((name) => shellOperators[name] ?? []);
  return [...written, 'NAME alone, which has a value', '!NAME, which has none'].join(', ');
}

function operatorNames(on: Subject): string {
  const names = operatorsOf(on);
  if (on.equality) return quotedList(names);
  return [quotedList(names), 'null', '{ not: null }'].join(', ');
}

function operands(
  model: EntityModel,
  on: Subject,
  name: string,
  list: unknown,
): { readonly values: readonly unknown[]; readonly withNull: boolean } {
  if (!Array.isArray(list) || list.includes(undefined))
    throw queryError(model, on.path, faults.wrongValues(name));
  const values = list
    .filter((value) => value !== null)
    .map((value: unknown) => operand(model, on, value));
  return { values, withNull: list.includes(null) };
}

function operand(model: EntityModel, on: Subject, value: unknown): unknown {
  if (!on.equality) throw queryError(model, on.path, faults.messageAsValue(on.path));
  if (value === null) throw queryError(model, on.path, faults.nullOperand);
  try {
    return on.operand(value);
  } catch (fault) {
    if (!(fault instanceof CodecError)) throw fault;
    throw queryError(model, on.path, fault);
  }
}

/** The beginning of a text need not be a whole value: of a day, for instance. */
function textOperand(model: EntityModel, on: Subject, value: unknown): unknown {
  if (on.text !== 'bytes' && typeof value === 'string' && value.isWellFormed()) return value;
  if (on.text !== 'string' && isBytes(value)) return new Uint8Array(value);
  throw queryError(model, on.path, faults.wrongPrefix(on.text, value));
}

function fieldChecks(model: EntityModel, on: Subject, fields: unknown): Check[] {
  if (!isPlainObject(fields) || Object.keys(fields).length === 0)
    throw queryError(model, on.path, faults.wrongFields);
  return Object.keys(fields).map((name) => {
    const field = fieldSubject(on, name);
    if (field === undefined) throw unknownField(model, on, name);
    if (field === 'repeated') throw queryError(model, `${on.path}.${name}`, faults.notASingleValue);
    return { kind: 'field', name, checks: checksOf(model, field, fields[name]) };
  });
}

function unknownField(model: EntityModel, { path, fields }: Subject, name: string): RowsmithError {
  const known = fields === 'any' ? [] : fields!.fields.map((field) => field.name);
  return queryError(model, `${path}.${name}`, faults.unknownField(name, known));
}

function isPlainObject(value: unknown): value is Values {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !isDate(value) &&
    !isBytes(value) &&
    !isMap(value)
  );
}

function undefinedError(model: EntityModel, path: string): RowsmithError {
  return queryError(model, path, faults.undefinedCondition(path));
}

const faults = {
  wrongConditions: (conditions: unknown) => ({
    problem: `where() takes an object of conditions, not ${valueText(conditions)}`,
    fix: `write where({ property: value })`,
  }),
  entityAsConditions: {
    problem: 'where() takes conditions, not an entity',
    fix: 'name the properties to compare',
  },
  emptyWhere: {
    problem: 'where() has no condition',
    fix: 'give at least one, or leave where() out',
  },
  fixedByPrefix: (property: string) => ({
    problem: `'${property}' has its value from the prefix already`,
    fix: 'leave it out of where()',
    shell: { fix: 'leave it out of --where' },
  }),
  unknownProperty: (property: string, known: readonly string[]) => ({
    problem: `'${property}' is not a property of the entity`,
    fix: suggestionText(property, known),
  }),
  emptyCondition: (path: string, operatorNamesText: string) => ({
    problem: `the condition on '${path}' is empty`,
    fix: `give one of ${operatorNamesText}`,
  }),
  notANumber: { problem: 'NaN has no order', fix: 'compare with a number' },
  unsupportedOperator: (on: Subject, name: string) => ({
    problem: `'${on.path}' cannot be tested with '${name}'`,
    fix: `use ${operatorNames(on)}`,
    shell: {
      problem: `'${on.path}' cannot be tested with ${shellOperators[name] ?? name}`,
      fix: `use ${shellOperatorNames(on)}`,
    },
  }),
  unknownOperator: (name: string, operatorsOfText: readonly string[]) => ({
    problem: `there is no operator '${name}'`,
    fix: suggestionText(name, operatorsOfText),
  }),
  wrongValues: (name: string) => ({
    problem: `'${name}' takes an array of values; undefined never widens a query`,
    fix: 'pass an array without undefined',
  }),
  messageAsValue: (path: string) => ({
    problem: `'${path}' is a message, which cannot be compared as a whole`,
    fix: 'compare its fields: { fields: { name: value } }',
    shell: { fix: 'test another property, or read the rows and compare them' },
  }),
  nullOperand: {
    problem: 'null has no order and no equal',
    fix: 'write null for absent, and { not: null } for present',
    shell: { fix: 'write !NAME for rows without a value, and NAME for rows with one' },
  },
  wrongPrefix: (text: undefined | string, value: unknown) => ({
    problem: `expected ${text === 'bytes' ? 'a Uint8Array' : 'text'}, got ${valueText(value)}`,
    fix: 'write { startsWith: ... } with the first characters or bytes of the values',
    shell: {
      problem: `^= tests the beginning of text, and this property has ${text === 'bytes' ? 'bytes' : 'another type'}`,
      fix: 'test it with =',
    },
  }),
  wrongFields: {
    problem: "'fields' takes an object with a condition for each field",
    fix: 'write { fields: { name: value } }',
  },
  notASingleValue: {
    problem: 'a repeated field and a map have many values',
    fix: 'test them after reading',
  },
  unknownField: (name: string, known: readonly string[]) => ({
    problem: `'${name}' is not a field of the message`,
    fix: suggestionText(name, known),
  }),
  undefinedCondition: (path: string) => ({
    problem: `the condition on '${path}' is undefined; undefined never widens a query`,
    fix: 'write null for absent, or leave the condition out',
  }),
} satisfies FaultTexts;
