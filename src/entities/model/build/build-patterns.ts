/** Checks the access patterns of an entity against its key. */
import { literalText, quotedList, quotedName } from '../../../base/index.js';
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
    report(
      'patterns',
      'the access patterns were not created with accessPatterns',
      `write ${patternsExample}`,
    );
    return noPatterns;
  }
  const known = [...segments.map(({ property }) => property), ...properties];
  return deepFreeze(
    Object.entries(patterns).flatMap(([name, pattern]) => {
      let valid = true;
      const reportProblem = (problem: string, fix: string): void => {
        valid = false;
        report('patterns', `access pattern '${name}' ${problem}`, fix);
      };
      const model = checkPattern(name, pattern, segments, known, reportProblem);
      return valid && model !== undefined ? [model] : [];
    }),
  );
}

/** Reports a fault of one pattern; `problem` continues a sentence about the pattern. */
type ReportProblem = (problem: string, fix: string) => void;

function checkPattern(
  name: string,
  declared: unknown,
  segments: readonly SegmentModel[],
  known: readonly string[],
  reportProblem: ReportProblem,
): PatternModel | undefined {
  if (!/^[A-Za-z_$][\w$]*$/.test(name))
    reportProblem('is not a method name', 'start with a letter, and use letters, digits and _');
  if (typeof declared !== 'object' || declared === null) {
    reportProblem('is not an object', `write ${patternsExample}`);
    return undefined;
  }
  const pattern = declared as AccessPattern;
  for (const option of Object.keys(pattern)) {
    if (!optionNames.includes(option as keyof AccessPattern))
      reportProblem(
        `has the option '${option}', which does not exist`,
        `the options are ${quotedList(optionNames)}`,
      );
  }
  const prefix = checkPatternPrefix(pattern.prefix, segments, reportProblem);
  const bound = checkPatternBound(pattern, prefix, segments, reportProblem);
  checkScan(pattern, segments, reportProblem);
  const { limit, select, reverse = false, scanAll = false, purpose } = pattern;
  if (limit !== undefined && !(Number.isSafeInteger(limit) && limit >= 1))
    reportProblem(`has the limit ${literalText(limit)}`, 'give a whole number of at least 1');
  for (const [option, value] of Object.entries({ reverse, scanAll }))
    if (typeof value !== 'boolean')
      reportProblem(
        `has ${option}: ${literalText(value)}`,
        `write ${option}: true, or leave it out`,
      );
  if (purpose !== undefined && typeof purpose !== 'string')
    reportProblem('has a purpose that is not a string', 'describe in a sentence what it is for');
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
    reportProblem('has a prefix that is not a list of segments', `write prefix: ['${names[0]}']`);
    return [];
  }
  const given = prefix as readonly unknown[];
  for (const name of given)
    if (!names.includes(name as string))
      reportProblem(
        `names ${quotedName(name)}, which is not a segment of the key`,
        `use some of ${quotedList(names.slice(0, -1))}`,
      );
  const last = names[names.length - 1];
  if (given.includes(last))
    reportProblem(
      `takes all segments but the last, and '${last}' is the last`,
      'leave it out of the prefix, or call get() with the whole key',
    );
  const leading = names.slice(
    0,
    Math.max(0, ...given.map((name) => names.indexOf(name as string) + 1)),
  );
  const missing = leading.filter((name) => !given.includes(name));
  if (missing.length > 0)
    reportProblem(
      `takes leading segments without gaps: add ${quotedList(missing)}`,
      `write prefix: [${quotedList(leading)}]`,
    );
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
  if (second !== undefined)
    reportProblem(
      `has two bounds, ${quotedList(kinds)}`,
      'keep one; use between for a range with both ends',
    );
  const next = segments[prefix.length];
  const segment: unknown = pattern[kind];
  if (segment !== next?.property) {
    reportProblem(
      `bounds ${quotedName(segment)}, but the segment after its prefix is '${next?.property}'`,
      typeof segment === 'string'
        ? `bound '${next?.property}', or add the segments before '${segment}' to the prefix`
        : `bound '${next?.property}'`,
    );
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
      reportProblem(
        `needs an ascending string for startsWith, and '${property}' is not one`,
        'use between',
      );
    return;
  }
  if (bound === 'subdomains') {
    if (type.kind !== 'domain')
      reportProblem(
        `needs a domain for subdomains, and '${property}' is a ${type.kind}`,
        "declare the segment as 'domain'",
      );
    return;
  }
  const problem = `bounds '${property}', and a ${type.kind} has no ranges`;
  if (type.kind === 'domain') reportProblem(problem, 'use subdomains');
  if (type.kind === 'reversedId') reportProblem(problem, 'add it to the prefix');
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
  if (pattern.scanAll !== undefined && narrow)
    reportProblem('has scanAll and a prefix or a bound', 'keep one of them');
  if (pattern.scanAll === undefined && !narrow)
    reportProblem(
      'needs a prefix or a bound; to read every row write scanAll: true',
      `write prefix: ['${segments[0]?.property}']`,
    );
}

function checkSelection(
  select: unknown,
  known: readonly string[],
  reportProblem: ReportProblem,
): void {
  if (select === undefined) return;
  if (!Array.isArray(select) || select.length === 0) {
    reportProblem('selects nothing', 'name the properties to read, or leave select out');
    return;
  }
  for (const property of select as readonly unknown[]) {
    if (known.includes(property as string)) continue;
    reportProblem(
      `selects ${quotedName(property)}, which is not a mapped property`,
      `use some of ${quotedList(known)}`,
    );
  }
}
