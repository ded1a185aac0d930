/** Checks what a declaration says of the values of columns and segments. */
import {
  literalText,
  quotedList,
  valueText,
  type FaultText,
  type FaultTexts,
} from '../../../base/index.js';
import { type CellCodec, CodecError } from '../../../data/cell/index.js';
import type { SegmentKind, SegmentOptions, SegmentRules } from '../../../data/key/index.js';
import type { ColumnDeclaration, SegmentDeclaration } from '../declaration/declaration.js';
import type { ValueOptions } from '../declaration/value-options.js';
import type { ColumnModel, SegmentModel, ValueRules } from '../model.js';
import { valueCheck } from '../rules/declared-rules.js';
import { idMakers } from '../rules/generated-ids.js';
import type { Report } from './shared/build-context.js';

/** What a column takes and is given, checked. */
export type ColumnRules = Pick<
  Extract<ColumnModel, { readonly kind: 'column' | 'packed' }>,
  'rules' | 'required' | 'suggestions' | 'initial'
>;

type Name = keyof ValueOptions;
type ReportProblem = (fault: FaultText) => void;

const lengths: readonly Name[] = ['minLength', 'maxLength'];
const texts: readonly Name[] = [...lengths, 'pattern', 'oneOf', 'suggestions'];
const numbers: readonly Name[] = ['min', 'max', 'oneOf', 'suggestions'];
/** The options of each kind of value, besides the options of every column. */
const optionsOf: ReadonlyMap<string, readonly Name[]> = new Map([
  ['string', texts],
  ['date', ['oneOf', 'suggestions']],
  ['bytes', lengths],
  ...(['int32', 'uint32', 'int64', 'double', 'float'] as const).map(
    (kind) => [kind, numbers] as const,
  ),
]);

const noRules: ColumnRules = {};

/** What the values of a column must be. `codec` is undefined for messages. */
export function columnRules(
  column: ColumnDeclaration,
  codec: CellCodec | undefined,
  reportOf: Report,
): ColumnRules {
  const { rules: given, property } = column;
  if (given === undefined) return noRules;
  const report: ReportProblem = (fault) => reportOf(property, fault);
  const allowed = (codec && optionsOf.get(codec.kind)) ?? [];
  const every: readonly Name[] = ['required', 'initial'];
  for (const name of Object.keys(given) as Name[]) {
    if (allowed.includes(name) || every.includes(name)) continue;
    report(
      faults.unknownOption(codec?.kind ?? 'messages', name, quotedList([...every, ...allowed])),
    );
    return noRules;
  }
  checkRequired(column, given, report);
  if (codec?.kind === 'float') checkFloats(given, report);
  for (const name of ['oneOf', 'suggestions'] as const)
    checkMembers(name, given[name], codec, report);
  if (given.oneOf !== undefined && given.suggestions !== undefined) report(faults.twoLists);
  const rules = valueRules(given, codec?.kind === 'int64' ? 'bigint' : 'number', report);
  if (rules !== undefined) checkMembersHold(rules, report);
  checkGiven('default', column.default, rules, report);
  checkGiven('initial', given.initial, rules, report);
  return {
    rules,
    required: given.required === true ? true : undefined,
    suggestions: given.suggestions && Object.freeze([...given.suggestions]),
    initial: initialOf(given.initial, codec, report),
  };
}

function checkRequired(
  column: ColumnDeclaration,
  { required, initial }: ValueOptions,
  report: ReportProblem,
): void {
  if (required !== undefined && typeof required !== 'boolean')
    report(faults.wrongRequired(valueText(required)));
  if (column.default === undefined) return;
  let other: string | undefined;
  if (required === true) other = 'required';
  else if (initial !== undefined) other = 'initial';
  if (other === undefined) return;
  report(faults.defaultWithOther(other));
}

/** A float is stored in 32 bits: 0.1 reads as another number, which would break its own rule. */
function checkFloats({ oneOf, min, max }: ValueOptions, report: ReportProblem): void {
  const members = Array.isArray(oneOf) ? (oneOf as readonly unknown[]) : [];
  for (const each of [...members, min, max])
    if (typeof each === 'number' && !Object.is(Math.fround(each), each))
      report(faults.notAFloat(each));
}

function checkMembers(
  name: 'oneOf' | 'suggestions',
  members: unknown,
  codec: CellCodec | undefined,
  report: ReportProblem,
): void {
  if (members === undefined) return;
  if (!Array.isArray(members) || members.length === 0) {
    report(faults.notAList(name));
    return;
  }
  if (new Set(members).size !== members.length) report(faults.valueTwice(name));
  for (const member of members as readonly unknown[]) {
    const fault = faultOf(member, codec);
    if (fault === undefined) continue;
    report(faults.unstorableValue(name, member, fault.problem, fault.fix));
    return;
  }
}

/** Why a codec does not take a value. */
function faultOf(value: unknown, codec: CellCodec | undefined): CodecError | undefined {
  try {
    codec?.encode(value);
    return undefined;
  } catch (error) {
    if (error instanceof CodecError) return error;
    throw error;
  }
}

/** The rules among the options; undefined if there are none. */
function valueRules(
  { oneOf, minLength, maxLength, pattern, min, max }: ValueOptions,
  type: 'number' | 'bigint',
  report: ReportProblem,
): ValueRules | undefined {
  for (const [name, length] of Object.entries({ minLength, maxLength }))
    if (length !== undefined && !(Number.isSafeInteger(length) && length >= 0))
      report(faults.wrongLength(name, length));
  for (const [name, limit] of Object.entries({ min, max }))
    if (limit !== undefined && (typeof limit !== type || Number.isNaN(limit)))
      report(faults.wrongBound(name, limit, type));
  checkOrder('minLength', minLength, 'maxLength', maxLength, report);
  checkOrder('min', min, 'max', max, report);
  const rules = Object.entries({
    oneOf: oneOf && Object.freeze([...oneOf]),
    minLength,
    maxLength,
    pattern: patternOf(pattern, report),
    min,
    max,
  }).filter(([, value]) => value !== undefined);
  return rules.length === 0 ? undefined : Object.freeze(Object.fromEntries(rules));
}

function checkOrder(
  lowName: string,
  low: number | bigint | undefined,
  highName: string,
  high: number | bigint | undefined,
  report: ReportProblem,
): void {
  if (low === undefined || high === undefined || low <= high) return;
  report(faults.boundsExchanged(lowName, low, highName, high));
}

/** `test` of a pattern with the flag `g` or `y` depends on the call before. */
function patternOf(pattern: unknown, report: ReportProblem): RegExp | undefined {
  if (pattern === undefined) return undefined;
  if (pattern instanceof RegExp)
    return new RegExp(pattern.source, pattern.flags.replace(/[gy]/g, ''));
  report(faults.wrongPattern(valueText(pattern)));
  return undefined;
}

/** A value that writes would refuse. Functions are not called. */
function checkGiven(
  name: 'default' | 'initial',
  value: unknown,
  rules: ValueRules | undefined,
  report: ReportProblem,
): void {
  if (rules === undefined || value === undefined || typeof value === 'function') return;
  if (rules.oneOf !== undefined && !rules.oneOf.includes(value))
    report(faults.outsideOneOf(name, literalText(value)));
  else
    for (const { message } of valueCheck(name, rules)(value, undefined) ?? [])
      report(faults.brokenByItself(name, message));
}

/** Members that other rules of the column refuse could never be written. */
function checkMembersHold({ oneOf, ...rules }: ValueRules, report: ReportProblem): void {
  const check = valueCheck('oneOf', rules);
  for (const member of oneOf ?? [])
    for (const { message } of check(member, undefined) ?? [])
      report(faults.brokenByItself('oneOf', message));
}

function initialOf(
  value: unknown,
  codec: CellCodec | undefined,
  report: ReportProblem,
): (() => unknown) | undefined {
  if (value === undefined) return undefined;
  if (typeof value === 'function') return value as () => unknown;
  if (typeof value === 'object') {
    report(faults.constantInitial(valueText(value)));
    return undefined;
  }
  const fault = faultOf(value, codec);
  if (fault !== undefined) report(faults.unstorableInitial(fault.problem, fault.fix));
  return () => value;
}

const segmentRuleNames: readonly (keyof SegmentRules)[] = [
  'minLength',
  'pattern',
  'min',
  'generate',
];

/** The kinds of segments that have each of these options. */
const kindsOf: Readonly<Record<keyof SegmentRules, readonly SegmentKind[]>> = {
  minLength: ['string'],
  pattern: ['string'],
  min: ['int', 'uint'],
  generate: ['string', 'uuid', 'ulid'],
};

/** The options of a segment that say how it is stored. */
export function encodingOptions(options: SegmentOptions): SegmentOptions {
  return Object.fromEntries(
    Object.entries(options).filter(([name]) => !(segmentRuleNames as string[]).includes(name)),
  );
}

/** What the values of a segment must be when a row is written. */
export function segmentRules(
  { property, options }: SegmentDeclaration,
  kind: SegmentKind,
  reportOf: Report,
): Pick<SegmentModel, 'rules' | 'generate'> {
  const report: ReportProblem = (fault) => reportOf(property, fault);
  for (const name of segmentRuleNames)
    if (options[name] !== undefined && !kindsOf[name].includes(kind))
      report(faults.unknownSegmentOption(kind, name, quotedList(kindsOf[name])));
  const { minLength = 1, maxLength, pattern, min, max, generate } = options;
  checkOrder('minLength', minLength, 'maxLength', maxLength, report);
  checkOrder('min', min, 'max', max, report);
  // The codec checks the maxima, also of bounds.
  const given: ValueOptions = kind === 'string' ? { minLength, pattern } : { min };
  const rules = valueRules(
    kind === 'string' && minLength === 0 ? { pattern } : given,
    'number',
    report,
  );
  const maker = generatorOf(generate, kind, report);
  if (maker !== undefined) checkGenerated(options, maker, report);
  const model: { -readonly [P in 'rules' | 'generate']?: SegmentModel[P] } = {};
  if (rules !== undefined) model.rules = rules;
  if (maker !== undefined) model.generate = maker;
  return model;
}

/** Null would be a value that the library replaces, and an id longer than the segment no key. */
function checkGenerated(
  { nullable, maxLength }: SegmentOptions,
  maker: () => string,
  report: ReportProblem,
): void {
  if (nullable === true) report(faults.nullableId);
  const { length } = maker();
  if (typeof maxLength === 'number' && length > maxLength) report(faults.idTooLong(length));
}

function generatorOf(
  name: SegmentOptions['generate'],
  kind: SegmentKind,
  report: ReportProblem,
): (() => string) | undefined {
  if (name === undefined || !kindsOf.generate.includes(kind)) return undefined;
  const known = Object.keys(idMakers).filter(
    (each) => kind === 'string' || (kind === 'ulid') === (each === 'ulid'),
  );
  if (known.includes(name)) return idMakers[name];
  report(faults.unknownGenerator(name, known));
  return undefined;
}

const faults = {
  notAFloat: (value: number) => ({
    problem: `${value} is not a number of 32 bits, and reads as ${Math.fround(value)}`,
    fix: "declare the column as 'double', or give a number that a float holds, such as 0.5",
  }),
  brokenByItself: (name: string, message: string) => ({
    problem: `${name} breaks the rules of the column: ${message}`,
    fix: 'change the value, or the rule that refuses it',
  }),
  nullableId: {
    problem: 'the segment may be null, and null would be replaced by a generated id',
    fix: 'leave out nullable, or generate',
  },
  idTooLong: (length: number) => ({
    problem: `a generated id has ${length} characters, more than maxLength`,
    fix: `leave maxLength out, or give at least ${length}`,
  }),
  unknownOption: (kind: string, name: string, quotedListText: string) => ({
    problem: `a column of ${kind} has no option '${name}'`,
    fix: `remove it; its options are ${quotedListText}`,
  }),
  twoLists: {
    problem: 'it has both oneOf and suggestions',
    fix: 'keep oneOf if other values are errors, else suggestions',
  },
  wrongRequired: (given: string) => ({
    problem: `required is ${given}`,
    fix: 'write required: true, or leave it out',
  }),
  defaultWithOther: (other: string) => ({
    problem: `it has a default and is ${other}`,
    fix: `keep one: an absent cell reads as the default, and with '${other}' no cell is absent`,
  }),
  notAList: (name: string) => ({
    problem: `${name} is not a list of values`,
    fix: `list them: ${name}: ['open', 'closed']`,
  }),
  valueTwice: (name: string) => ({
    problem: `${name} has a value twice`,
    fix: 'remove the second one',
  }),
  unstorableValue: (name: string, member: unknown, problem: string, fix: string) => ({
    problem: `${name} has ${literalText(member)}, which cannot be stored: ${problem}`,
    fix,
  }),
  wrongLength: (name: string, length: number) => ({
    problem: `${name} is ${literalText(length)}`,
    fix: 'give a whole number of at least 0',
  }),
  wrongBound: (name: string, limit: number | bigint, type: string) => ({
    problem: `${name} is ${literalText(limit)}, not a ${type}`,
    fix: `give a ${type}`,
  }),
  boundsExchanged: (
    lowName: string,
    low: number | bigint,
    highName: string,
    high: number | bigint,
  ) => ({ problem: `${lowName} ${low} is greater than ${highName} ${high}`, fix: 'exchange them' }),
  wrongPattern: (given: string) => ({
    problem: `the pattern is ${given}`,
    fix: 'give a RegExp: pattern: /^[a-z]+$/',
  }),
  outsideOneOf: (name: string, literal: string) => ({
    problem: `the ${name} is ${literal}, which is not in oneOf`,
    fix: 'add it to oneOf',
  }),
  constantInitial: (given: string) => ({
    problem: `initial is ${given}`,
    fix: 'pass a function that creates one for each row: { initial: () => new Date() }',
  }),
  unstorableInitial: (problem: string, fix: string) => ({
    problem: `initial cannot be stored: ${problem}`,
    fix,
  }),
  unknownSegmentOption: (kind: string, name: string, quotedListText: string) => ({
    problem: `a ${kind} segment has no option '${name}'`,
    fix: `remove it: ${quotedListText} segments have it`,
  }),
  unknownGenerator: (name: string, known: readonly string[]) => ({
    problem: `generate is ${literalText(name)}`,
    fix: `use one of ${quotedList(known)}`,
  }),
} satisfies FaultTexts;
