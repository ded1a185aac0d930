/** Checks the access patterns of an entity against its key. */
import { quotedList } from '../../base/index.js';
/** Checks the access patterns of an entity against its key. */
import {
  isAccessPatterns,
  type AccessPattern,
  type PatternBound,
} from '../declaration/access-pattern.js';
import { type Report } from './build-context.js';
import type { Constructor } from '../declaration/declaration.js';
import { deepFreeze } from './freeze.js';
import type { PatternModel, SegmentModel } from '../model.js';

const boundKinds: readonly PatternBound[] = [
  'between',
  'since',
  'until',
  'startsWith',
  'subdomains',
];
const options: readonly (keyof AccessPattern)[] = [
  'prefix',
  ...boundKinds,
  'scanAll',
  'reverse',
  'limit',
  'select',
  'purpose',
];
const none: readonly PatternModel[] = Object.freeze([]);
const EXAMPLE =
  "static readonly patterns = accessPatterns({ latest: { prefix: ['tenant'], limit: 1 } })";

/**
 * The checked patterns in the order of their declaration; faulty ones are reported and left out.
 */
export function buildPatterns(
  entityClass: Constructor,
  segments: readonly SegmentModel[],
  properties: readonly string[],
  report: Report,
): readonly PatternModel[] {
  const said = (entityClass as { readonly patterns?: unknown }).patterns;
  if (said === undefined) return none;
  if (!isAccessPatterns(said)) {
    report('patterns', 'the access patterns do not come from accessPatterns', `write ${EXAMPLE}`);
    return none;
  }
  const known = [...segments.map(({ property }) => property), ...properties];
  return deepFreeze(
    Object.entries(said).flatMap(([name, pattern]) => {
      let sound = true;
      const complain = (problem: string, fix: string): void => {
        sound = false;
        report('patterns', `access pattern '${name}' ${problem}`, fix);
      };
      const checked = checkPattern(name, pattern, segments, known, complain);
      return sound && checked !== undefined ? [checked] : [];
    }),
  );
}

type Complain = (problem: string, fix: string) => void;

function checkPattern(
  name: string,
  said: unknown,
  segments: readonly SegmentModel[],
  known: readonly string[],
  complain: Complain,
): PatternModel | undefined {
  if (!/^[A-Za-z_$][\w$]*$/.test(name))
    complain('is no name of a method', 'begin with a letter, and use letters, digits and _');
  if (typeof said !== 'object' || said === null) {
    complain('is no object', `write ${EXAMPLE}`);
    return undefined;
  }
  const pattern = said as AccessPattern;
  for (const option of Object.keys(pattern)) {
    if (!options.includes(option as keyof AccessPattern))
      complain(
        `has the option '${option}', which does not exist`,
        `the options are ${quotedList(options)}`,
      );
  }
  const prefix = checkPatternPrefix(pattern.prefix, segments, complain);
  const bound = checkPatternBound(pattern, prefix, segments, complain);
  checkScan(pattern, segments, complain);
  const { limit, select, reverse = false, scanAll = false, purpose } = pattern;
  if (limit !== undefined && !(Number.isSafeInteger(limit) && limit >= 1))
    complain(`has the limit ${String(limit)}`, 'give a whole number of at least 1');
  for (const [option, value] of Object.entries({ reverse, scanAll }))
    if (typeof value !== 'boolean')
      complain(`has ${option}: ${String(value)}`, `say ${option}: true, or leave it out`);
  if (purpose !== undefined && typeof purpose !== 'string')
    complain('has a purpose that is no text', 'say in a sentence what it is for');
  checkSelection(select, known, complain);
  return {
    name,
    prefix,
    reverse,
    scanAll,
    ...(bound === undefined ? {} : { bound }),
    ...(limit === undefined ? {} : { limit }),
    ...(select === undefined ? {} : { select: [...select] }),
    ...(purpose === undefined ? {} : { purpose }),
  };
}

/** The names of the prefix in key order. */
function checkPatternPrefix(
  said: unknown,
  segments: readonly SegmentModel[],
  complain: Complain,
): readonly string[] {
  const names = segments.map(({ property }) => property);
  if (said === undefined) return [];
  if (!Array.isArray(said)) {
    complain('has a prefix that is no list of segments', `write prefix: ['${names[0]}']`);
    return [];
  }
  const given = said as readonly unknown[];
  for (const name of given)
    if (!names.includes(name as string))
      complain(
        `names '${String(name)}', which is not a segment of the key`,
        `use some of ${quotedList(names.slice(0, -1))}`,
      );
  const last = names[names.length - 1];
  if (given.includes(last))
    complain(
      `takes all segments but the last, and '${last}' is the last`,
      'leave it out, or call get() with the whole key',
    );
  const leading = names.slice(
    0,
    Math.max(0, ...given.map((name) => names.indexOf(name as string) + 1)),
  );
  const missing = leading.filter((name) => !given.includes(name));
  if (missing.length > 0)
    complain(
      `takes leading segments without gaps: add ${quotedList(missing)}`,
      `write prefix: [${quotedList(leading)}]`,
    );
  return leading;
}

function checkPatternBound(
  pattern: AccessPattern,
  prefix: readonly string[],
  segments: readonly SegmentModel[],
  complain: Complain,
): PatternModel['bound'] {
  const kinds = boundKinds.filter((kind) => pattern[kind] !== undefined);
  const [kind, second] = kinds;
  if (kind === undefined) return undefined;
  if (second !== undefined)
    complain(`has two bounds, ${quotedList(kinds)}`, 'keep one; between takes both ends');
  const next = segments[prefix.length];
  const segment: unknown = pattern[kind];
  if (segment !== next?.property) {
    complain(
      `bounds '${String(segment)}', but the segment after its prefix is '${next?.property}'`,
      `bound '${next?.property}', or put the segments before '${String(segment)}' into the prefix`,
    );
    return undefined;
  }
  const { kind: segmentKind, order } = next.type;
  if (kind === 'startsWith' && (segmentKind !== 'string' || order === 'desc'))
    complain(
      `needs an ascending string for startsWith, and '${next.property}' is none`,
      'use between',
    );
  else if (kind === 'subdomains' && segmentKind !== 'domain')
    complain(
      `needs a domain for subdomains, and '${next.property}' is a ${segmentKind}`,
      "declare the segment as 'domain'",
    );
  else if (
    (kind === 'between' || kind === 'since' || kind === 'until') &&
    (segmentKind === 'domain' || segmentKind === 'reversedId')
  ) {
    complain(
      `bounds '${next.property}', and a ${segmentKind} has no ranges`,
      segmentKind === 'domain' ? 'use subdomains' : 'put it into the prefix',
    );
  }
  return { kind, segment: next.property };
}

/** A full scan has a name, and nothing else is one. */
function checkScan(
  pattern: AccessPattern,
  segments: readonly SegmentModel[],
  complain: Complain,
): void {
  const narrow =
    (pattern.prefix !== undefined && pattern.prefix.length > 0) ||
    boundKinds.some((kind) => pattern[kind] !== undefined);
  if (pattern.scanAll !== undefined && narrow)
    complain('says scanAll and narrows it', 'keep one of them');
  if (pattern.scanAll === undefined && !narrow)
    complain(
      'needs a prefix or a bound; to read every row say scanAll: true',
      `write prefix: ['${segments[0]?.property}']`,
    );
}

function checkSelection(select: unknown, known: readonly string[], complain: Complain): void {
  if (select === undefined) return;
  if (!Array.isArray(select) || select.length === 0)
    complain('selects nothing', 'name the properties to read, or leave select out');
  else {
    for (const property of (select as readonly unknown[]).filter(
      (each) => !known.includes(each as string),
    )) {
      complain(
        `selects '${String(property)}', which is not a mapped property`,
        `use some of ${quotedList(known)}`,
      );
    }
  }
}
