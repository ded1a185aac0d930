/** Checks the access patterns of an entity against its key. */
import {
  literalText,
  quotedList,
  quotedName,
  type FaultText,
  type FaultTexts,
} from '../../../base/index.js';
import {
  isAccessPatterns,
  type AccessPattern,
  type PatternBound,
} from '../declaration/keys/access-pattern.js';
import { type Report } from './shared/build-context.js';
import type { Constructor } from '../declaration/declaration.js';
import { deepFreeze } from './shared/freeze.js';
import type { PatternModel, SegmentModel } from '../model.js';

const boundKinds: readonly PatternBound[] = [
  'between',
  'since',
  'until',
  'startsWith',
  'subdomains',
];
const optionNames: readonly (keyof AccessPattern)[] = [
  'prefix',
  ...boundKinds,
  'scanAll',
  'reverse',
  'limit',
  'select',
  'purpose',
];
const noPatterns: readonly PatternModel[] = Object.freeze([]);
const patternsExample =
  "static readonly patterns = accessPatterns({ latest: { prefix: ['tenant'], limit: 1 } })";

/** The checked patterns in the order of their declaration; faulty ones are reported and skipped. */
export function buildPatterns(
  entityClass: Constructor,
  segments: readonly SegmentModel[],
  properties: readonly string[],
  report: Report,
): readonly PatternModel[] {
  const { patterns } = entityClass as { readonly patterns?: unknown };
  if (patterns === undefined) return noPatterns;
  if (!isAccessPatterns(patterns)) {
    report('patterns', faults.notPatterns);
    return noPatterns;
  }
  const known = [...segments.map(({ property }) => property), ...properties];
  return deepFreeze(
    Object.entries(patterns).flatMap(([name, pattern]) => {
      let valid = true;
      const reportProblem = ({ problem, fix }: FaultText): void => {
        valid = false;
        report('patterns', faults.patternFault(name, problem, fix));
      };
      const model = checkPattern(name, pattern, segments, known, reportProblem);
      return valid && model !== undefined ? [model] : [];
    }),
  );
}

/** Reports a fault of one pattern; `problem` continues a sentence about the pattern. */
type ReportProblem = (fault: FaultText) => void;

function checkPattern(
  name: string,
  declared: unknown,
  segments: readonly SegmentModel[],
  known: readonly string[],
  reportProblem: ReportProblem,
): PatternModel | undefined {
  if (!/^[A-Za-z_$][\w$]*$/.test(name)) reportProblem(faults.notAMethodName);
  if (typeof declared !== 'object' || declared === null) {
    reportProblem(faults.notAnObject);
    return undefined;
  }
  const pattern = declared as AccessPattern;
  for (const option of Object.keys(pattern)) {
    if (!optionNames.includes(option as keyof AccessPattern))
      reportProblem(faults.unknownOption(option));
  }
  const prefix = checkPatternPrefix(pattern.prefix, segments, reportProblem);
  const bound = checkPatternBound(pattern, prefix, segments, reportProblem);
  checkScan(pattern, segments, reportProblem);
  const { limit, select, reverse = false, scanAll = false, purpose } = pattern;
  if (limit !== undefined && !(Number.isSafeInteger(limit) && limit >= 1))
    reportProblem(faults.wrongLimit(limit));
  for (const [option, value] of Object.entries({ reverse, scanAll }))
    if (typeof value !== 'boolean') reportProblem(faults.notTrue(option, literalText(value)));
  if (purpose !== undefined && typeof purpose !== 'string') reportProblem(faults.wrongPurpose);
  checkSelection(select, known, reportProblem);
  return {
    name,
    prefix,
    reverse,
    scanAll,
    bound,
    limit,
    select: Array.isArray(select) ? (select as string[]).slice() : undefined,
    purpose,
  };
}

/** The segments of the prefix in key order. */
function checkPatternPrefix(
  prefix: unknown,
  segments: readonly SegmentModel[],
  reportProblem: ReportProblem,
): readonly string[] {
  const names = segments.map(({ property }) => property);
  if (prefix === undefined) return [];
  if (!Array.isArray(prefix)) {
    reportProblem(faults.wrongPrefix(names[0]));
    return [];
  }
  const given = prefix as readonly unknown[];
  for (const name of given)
    if (!names.includes(name as string))
      reportProblem(faults.unknownSegment(name, names.slice(0, -1)));
  const last = names[names.length - 1];
  if (given.includes(last)) reportProblem(faults.wholeKey(last));
  const leading = names.slice(
    0,
    Math.max(0, ...given.map((name) => names.indexOf(name as string) + 1)),
  );
  const missing = leading.filter((name) => !given.includes(name));
  if (missing.length > 0) reportProblem(faults.gapInPrefix(missing, leading));
  return leading;
}

function checkPatternBound(
  pattern: AccessPattern,
  prefix: readonly string[],
  segments: readonly SegmentModel[],
  reportProblem: ReportProblem,
): PatternModel['bound'] {
  const kinds = boundKinds.filter((kind) => pattern[kind] !== undefined);
  const [kind, second] = kinds;
  if (kind === undefined) return undefined;
  if (second !== undefined) reportProblem(faults.twoBounds(quotedList(kinds)));
  const next = segments[prefix.length];
  const segment: unknown = pattern[kind];
  if (segment !== next?.property) {
    reportProblem(faults.boundElsewhere(segment, next?.property, typeof segment));
    return undefined;
  }
  checkBoundKind(kind, next, reportProblem);
  return { kind, segment: next.property };
}

function checkBoundKind(
  bound: PatternBound,
  segment: SegmentModel,
  reportProblem: ReportProblem,
): void {
  const { property, type } = segment;
  if (bound === 'startsWith') {
    if (type.kind !== 'string' || type.order === 'desc')
      reportProblem(faults.unfitStartsWith(property));
    return;
  }
  if (bound === 'subdomains') {
    if (type.kind !== 'domain') reportProblem(faults.unfitSubdomains(property, type.kind));
    return;
  }
  const problem = `bounds '${property}', and a ${type.kind} has no ranges`;
  if (type.kind === 'domain') reportProblem(faults.nameBound(problem));
  if (type.kind === 'reversedId') reportProblem(faults.nameInPrefix(problem));
}

/** A full scan needs `scanAll`, and `scanAll` excludes a prefix and bounds. */
function checkScan(
  pattern: AccessPattern,
  segments: readonly SegmentModel[],
  reportProblem: ReportProblem,
): void {
  const narrow =
    (Array.isArray(pattern.prefix) && pattern.prefix.length > 0) ||
    boundKinds.some((kind) => pattern[kind] !== undefined);
  if (pattern.scanAll !== undefined && narrow) reportProblem(faults.scanAllWithBound);
  if (pattern.scanAll === undefined && !narrow)
    reportProblem(faults.unbounded(segments[0]?.property));
}

function checkSelection(
  select: unknown,
  known: readonly string[],
  reportProblem: ReportProblem,
): void {
  if (select === undefined) return;
  if (!Array.isArray(select) || select.length === 0) {
    reportProblem(faults.emptySelection);
    return;
  }
  for (const property of select as readonly unknown[]) {
    if (known.includes(property as string)) continue;
    reportProblem(faults.unknownSelection(property, known));
  }
}

const faults = {
  notPatterns: {
    problem: 'the access patterns were not created with accessPatterns',
    fix: `write ${patternsExample}`,
  },
  patternFault: (name: string, problem: string, fix: string) => ({
    problem: `access pattern '${name}' ${problem}`,
    fix,
  }),
  notAMethodName: {
    problem: 'is not a method name',
    fix: 'start with a letter, and use letters, digits and _',
  },
  notAnObject: { problem: 'is not an object', fix: `write ${patternsExample}` },
  unknownOption: (option: string) => ({
    problem: `has the option '${option}', which does not exist`,
    fix: `the options are ${quotedList(optionNames)}`,
  }),
  wrongLimit: (limit: number) => ({
    problem: `has the limit ${literalText(limit)}`,
    fix: 'give a whole number of at least 1',
  }),
  notTrue: (option: string, literal: string) => ({
    problem: `has ${option}: ${literal}`,
    fix: `write ${option}: true, or leave it out`,
  }),
  wrongPurpose: {
    problem: 'has a purpose that is not a string',
    fix: 'describe in a sentence what it is for',
  },
  wrongPrefix: (name: string) => ({
    problem: 'has a prefix that is not a list of segments',
    fix: `write prefix: ['${name}']`,
  }),
  unknownSegment: (name: unknown, part: readonly string[]) => ({
    problem: `names ${quotedName(name)}, which is not a segment of the key`,
    fix: `use some of ${quotedList(part)}`,
  }),
  wholeKey: (last: string) => ({
    problem: `takes all segments but the last, and '${last}' is the last`,
    fix: 'leave it out of the prefix, or call get() with the whole key',
  }),
  gapInPrefix: (missing: readonly string[], leading: readonly string[]) => ({
    problem: `takes leading segments without gaps: add ${quotedList(missing)}`,
    fix: `write prefix: [${quotedList(leading)}]`,
  }),
  twoBounds: (quotedListText: string) => ({
    problem: `has two bounds, ${quotedListText}`,
    fix: 'keep one; use between for a range with both ends',
  }),
  boundElsewhere: (segment: unknown, property: string, type: string) => ({
    problem: `bounds ${quotedName(segment)}, but the segment after its prefix is '${property}'`,
    fix:
      type === 'string'
        ? `bound '${property}', or add the segments before '${segment}' to the prefix`
        : `bound '${property}'`,
  }),
  unfitStartsWith: (property: string) => ({
    problem: `needs an ascending string for startsWith, and '${property}' is not one`,
    fix: 'use between',
  }),
  unfitSubdomains: (property: string, kind: string) => ({
    problem: `needs a domain for subdomains, and '${property}' is a ${kind}`,
    fix: "declare the segment as 'domain'",
  }),
  nameBound: (problem: string) => ({ problem, fix: 'use subdomains' }),
  nameInPrefix: (problem: string) => ({ problem, fix: 'add it to the prefix' }),
  scanAllWithBound: { problem: 'has scanAll and a prefix or a bound', fix: 'keep one of them' },
  unbounded: (property: string) => ({
    problem: 'needs a prefix or a bound; to read every row write scanAll: true',
    fix: `write prefix: ['${property}']`,
  }),
  emptySelection: {
    problem: 'selects nothing',
    fix: 'name the properties to read, or leave select out',
  },
  unknownSelection: (property: unknown, known: readonly string[]) => ({
    problem: `selects ${quotedName(property)}, which is not a mapped property`,
    fix: `use some of ${quotedList(known)}`,
  }),
} satisfies FaultTexts;
