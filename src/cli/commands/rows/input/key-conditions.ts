/** Terms as conditions on a key: values of its first segments, and a bound on the next one. */
import type { Values, FaultTexts } from '../../../../base/index.js';
import type { EntityModel } from '../../../../entities/model/index.js';
import type { KeyBound, KeyTerms } from '../../../../tools/rows/index.js';
import { UsageError } from '../../../command.js';
import { keyBytes } from './key-bytes.js';
import { findSegment, parseJson, segmentValue, type Term } from './terms.js';

/** Where the key is: of an entity, or of one of its indexes. */
export interface KeyPlace {
  /** The entity, or the entries of the index. */
  readonly model: EntityModel;
  /** For messages: `the key of Order`. */
  readonly name: string;
}

/** The conditions of terms. Throws UsageError for names, gaps and values. */
export function keyConditions(place: KeyPlace, terms: readonly Term[]): KeyTerms {
  const { model, name: keyName } = place;
  const values = new Map<string, unknown[]>();
  const bounds: Term[] = [];
  for (const term of terms) {
    if (term.operator === '+=') throw new UsageError(faults.addInRead(term.given));
    const segment = findSegment(model, term, keyName);
    if (term.operator !== '=' && term.operator !== ':=') bounds.push(term);
    else values.set(term.name, [...(values.get(term.name) ?? []), segmentValue(segment, term)]);
  }
  const { names } = model.key;
  const depth = names.findIndex((name) => !values.has(name));
  const leading = depth === -1 ? names : names.slice(0, depth);
  const late = [...values.keys()].find((name) => !leading.includes(name));
  if (late !== undefined) throw gapError(place, late, names[leading.length]);
  return {
    fixed: leading.map((segment) => ({ segment, values: values.get(segment)! })),
    bound: bounds.length === 0 ? undefined : boundOf(place, bounds, names[leading.length]),
  };
}

function gapError({ model, name }: KeyPlace, late: string, missing: string): UsageError {
  return new UsageError(faults.gapInKey(late, missing, name, model.key.names.join(', ')));
}

function boundOf(place: KeyPlace, terms: readonly Term[], next: string | undefined): KeyBound {
  const [first] = terms;
  const segment = first.name;
  const other = terms.find(({ name }) => name !== segment);
  if (other !== undefined) throw new UsageError(faults.twoRanges(other.given));
  if (next === undefined || next !== segment) throw boundError(place, first, next);
  const value = (operator: Term['operator']): unknown => valueOf(place, terms, operator);
  const [from, to] = [value('>='), value('<')];
  const kinds = new Set(terms.map(({ operator }) => operator));
  if (kinds.has('^=') || kinds.has('under')) {
    if (kinds.size > 1) throw new UsageError(faults.rangeWithTwoForms(first.given));
    if (kinds.has('^=')) return { kind: 'startsWith', segment, value: value('^=') };
    return { kind: 'subdomains', segment, value: value('under') };
  }
  if (!kinds.has('<')) return { kind: 'since', segment, value: from };
  if (!kinds.has('>=')) return { kind: 'until', segment, value: to };
  return { kind: 'between', segment, from, to };
}

function boundError({ name }: KeyPlace, { given, name: segment }: Term, next?: string): UsageError {
  if (next === undefined) return new UsageError(faults.rangeOfFixedSegment(given, segment));
  return new UsageError(faults.rangeTooLate(given, next, name));
}

function valueOf(
  { model, name }: KeyPlace,
  terms: readonly Term[],
  operator: Term['operator'],
): unknown {
  const [term, twice] = terms.filter((each) => each.operator === operator);
  if (twice !== undefined) throw new UsageError(faults.boundTwice(twice.given));
  if (term === undefined) return undefined;
  const segment = findSegment(model, term, name);
  // The beginning of a text is no value.
  if (operator === '^=') return term.text;
  return segmentValue(segment, term);
}

/** A whole key as it was given: in one of these forms. */
export interface GivenKey {
  readonly terms: readonly Term[];
  readonly json?: string | undefined;
  /** The stored key in text form. */
  readonly key?: string | undefined;
}

/** The values of a whole key. Throws UsageError if one is missing. */
export function wholeKey(place: KeyPlace, { terms, json, key }: GivenKey): Values {
  const { model, name: keyName } = place;
  if (json !== undefined) return wholeKey(place, { terms: jsonTerms(model, json) });
  if (key !== undefined) return storedKey(place, key);
  const { fixed, bound } = keyConditions(place, terms);
  const several = fixed.find(({ values }) => values.length > 1);
  if (several !== undefined || bound !== undefined)
    throw new UsageError(faults.severalValues(several?.segment ?? bound?.segment));
  const missing = model.key.names.slice(fixed.length);
  if (missing.length > 0)
    throw new UsageError(
      faults.incompleteKey(keyName, missing.map((name) => `${name}=VALUE`).join(' ')),
    );
  return Object.fromEntries(fixed.map(({ segment, values }) => [segment, values[0]]));
}

/** The segments in the JSON form of a key, or of a whole entity. */
function jsonTerms(model: EntityModel, json: string): Term[] {
  const value = parseJson('the key', json);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new UsageError(faults.jsonKeyNotAnObject);
  // Lines of exports have names such as @at, which are not properties.
  return Object.entries(value)
    .filter(([name]) => !name.startsWith('@'))
    .filter(([name]) => !model.columns.some(({ property }) => property === name))
    .map(([name, each]) => {
      const text = JSON.stringify(each);
      return { name, operator: ':=', text, given: `"${name}": ${text}` };
    });
}

/** The values of a key as it is stored. Throws UsageError with the part that does not decode. */
function storedKey({ model, name }: KeyPlace, text: string): Values {
  const bytes = keyBytes(text, 'text');
  const values = model.key.decode(bytes);
  if (values !== undefined) return values;
  throw new UsageError(faults.foreignKey(text, name, model.key.foreignReason(bytes)!));
}

const faults = {
  addInRead: (given: string) => ({
    problem: `${given}: += changes a counter, with rowsmith patch`,
  }),
  gapInKey: (late: string, missing: string, name: string, list: string) => ({
    problem: `'${late}' is after '${missing}' in ${name} (${list})`,
    fix: `add ${missing}=VALUE, or read more rows and test it with --where ${late}=VALUE`,
  }),
  twoRanges: (given: string) => ({
    problem: `${given}: a read has one range, on one segment; test the other condition with --where`,
  }),
  rangeWithTwoForms: (given: string) => ({
    problem: `${given}: a range has two ends, or a beginning, not both`,
  }),
  rangeOfFixedSegment: (given: string, segment: string) => ({
    problem: `${given}: '${segment}' has a value already`,
    fix: 'leave one of them out',
  }),
  rangeTooLate: (given: string, next: string, name: string) => ({
    problem: `${given}: a range is on the segment after those that have values, which is '${next}' in ${name}`,
    fix: 'give its value, or test it with --where',
  }),
  boundTwice: (given: string) => ({ problem: `${given}: this end is given twice` }),
  severalValues: (segment: undefined | string) => ({
    problem: `'${segment}' has several values: one row has one value for each segment`,
    fix: 'read several rows with rowsmith scan',
  }),
  incompleteKey: (keyName: string, list: string) => ({
    problem: `${keyName} is not complete: add ${list}`,
    fix: 'rowsmith scan reads the rows of a prefix',
  }),
  jsonKeyNotAnObject: { problem: 'the key as JSON is an object: {"segment": value}' },
  foreignKey: (text: string, name: string, foreignReason: string) => ({
    problem: `--key ${text} is not ${name}: ${foreignReason} rowsmith keys decode shows the entity of a key`,
  }),
} satisfies FaultTexts;
