/** Conditions on properties as frozen plain data, and their text. */
import { literal, shownValues } from './literal.js';

/** The order tests, by the name of the operator. */
export type OrderOperator = 'above' | 'atLeast' | 'below' | 'atMost';

/** One requirement on a value. Every one except `absent` and `orAbsent` needs a value. */
export type Check =
  | { readonly kind: 'absent' }
  | { readonly kind: 'present' }
  | { readonly kind: 'oneOf'; readonly values: readonly unknown[]; readonly orAbsent: boolean }
  | { readonly kind: 'noneOf'; readonly values: readonly unknown[] }
  | { readonly kind: 'order'; readonly operator: OrderOperator; readonly value: unknown }
  | { readonly kind: 'startsWith'; readonly value: unknown; readonly negated: boolean }
  /** The value is an object, and its property passes the checks. */
  | { readonly kind: 'field'; readonly name: string; readonly checks: readonly Check[] };

/** What one property of a row must be: every check must hold. */
export interface Condition {
  readonly property: string;
  readonly checks: readonly Check[];
}

const signs: Readonly<Record<OrderOperator, string>> = {
  above: '>',
  atLeast: '>=',
  below: '<',
  atMost: '<=',
};

/** The condition as text: `status = 'failed'`. Shows up to `maxValues` values of a list. */
export function conditionText({ property, checks }: Condition, maxValues?: number): string {
  return checks.map((check) => checkText(property, check, maxValues)).join(' and ');
}

function checkText(name: string, check: Check, maxValues: number | undefined): string {
  switch (check.kind) {
    case 'absent':
    case 'present':
      return `${name} is ${check.kind}`;
    case 'oneOf': {
      const values = check.values.map(literal);
      if (check.orAbsent) values.push('absent');
      if (values.length === 1) return `${name} ${check.orAbsent ? 'is' : '='} ${values[0]}`;
      if (values.length === 0) return `${name} is one of no values`;
      return `${name} is one of ${shownValues(values, maxValues)}`;
    }
    case 'noneOf':
      if (check.values.length === 1) return `${name} is not ${literal(check.values[0])}`;
      return `${name} is none of ${shownValues(check.values.map(literal), maxValues)}`;
    case 'order':
      return `${name} ${signs[check.operator]} ${literal(check.value)}`;
    case 'startsWith': {
      const verb = check.negated ? 'does not start' : 'starts';
      return `${name} ${verb} with ${literal(check.value)}`;
    }
    case 'field':
      return conditionText({ property: `${name}.${check.name}`, checks: check.checks }, maxValues);
  }
}
