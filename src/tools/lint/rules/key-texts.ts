/** Numbers, times and domain names that are text in a key. */
import type { FaultTexts } from '../../../base/index.js';
import type { SegmentModel } from '../../../entities/model/index.js';
import { namesNumber, namesSequence } from '../subject/names/ids.js';
import { namesClock } from '../subject/names/times.js';
import { namesOfWeb } from '../subject/names/values.js';
import { lastWord } from '../subject/names/words.js';
import { type LintRule, type RuleFinding, sources } from '../rule.js';
import { dateRules } from '../subject/key-shape.js';
import { isValidatedAs, type LintSubject, rulesOf } from '../subject/subject.js';

const numberRules = new Set(['isNumberString', 'isNumeric', 'isDecimal', 'isInt', 'isNumber']);

const k07: LintRule = {
  id: 'K07',
  level: 'warning',
  title: 'A number in the key does not sort or compare as expected',
  reason:
    "Text sorts '10' before '9'. Floating-point numbers sort correctly here, but are unreadable, " +
    'and 0.1 + 0.2 is another key than 0.3.',
  source: sources.rowKeys,
  fix: "Use kind 'uint' or 'int' with `max`, which pads with zeros, or 'decimal' with `scale`.",
  check(subject) {
    return subject.model.segments.flatMap((segment): readonly RuleFinding[] => {
      const { property, type } = segment;
      if (type.kind === 'float') return [{ property, ...faults.floatKey(property) }];
      if (type.kind !== 'string') return [];
      const isValidated = isValidatedAs(subject, property, numberRules);
      const isNamed = namesNumber(property) && allows(subject, property, ['9', '10']);
      if (!isValidated && !isNamed) return [];
      const isFirst = subject.model.segments[0] === segment;
      const following = subject.model.segments.length === 1 ? 'nothing' : 'other';
      const kind = isFirst && namesSequence(property, following) ? 'reversedId' : 'uint';
      if (isValidated) return [{ property, ...faults.numberAsText(property, kind) }];
      return [{ property, ...faults.probablyNumberAsText(property, kind) }];
    });
  },
};

/** Whether the declared pattern of a text, if there is one, accepts all of these values. */
function allows(subject: LintSubject, property: string, values: readonly string[]): boolean {
  const { pattern } = rulesOf(subject, property);
  return pattern === undefined || values.every((value) => pattern.test(value));
}

const k13: LintRule = {
  id: 'K13',
  level: 'warning',
  title: 'A time as text, or a nullable segment',
  reason:
    'ISO 8601 text of different time zones does not sort by time. Null and empty text are ' +
    'different keys here, which the row key schema that SQL reads cannot express.',
  source: sources.timeSeries,
  fix: "Use kind 'isoDate' or 'timestamp', which write UTC; replace null by a separate value.",
  check(subject) {
    return subject.model.segments.flatMap((segment): readonly RuleFinding[] => {
      const { property, type } = segment;
      if (type.kind === 'string') {
        if (isValidatedAs(subject, property, dateRules))
          return [{ property, ...faults.timeAsText(property) }];
        if (isTextOfTime(segment, subject))
          return [{ property, ...faults.probablyTimeAsText(property, ...timeFix(property)) }];
      }
      if (type.nullable !== true) return [];
      return [{ property, ...faults.nullableSegment(property), level: 'info' }];
    });
  },
};

/** Texts of one time, one of them with an offset from UTC, or of one day, one without zeros. */
const looseTimes = ['2026-01-05T10:00:00+02:00', '2026-1-5', '1'];

function isTextOfTime({ property }: SegmentModel, subject: LintSubject): boolean {
  if (subject.expect(property).sequential === false || !namesClock(property)) return false;
  return looseTimes.some((text) => allows(subject, property, [text]));
}

/** The kind to use instead, if there is one, and the pattern of text that sorts by time. */
function timeFix(property: string): readonly [kind: string, pattern: string] {
  switch (lastWord(property)) {
    case 'year':
      return ['', '^\\d{4}$'];
    case 'month':
      return ['', '^\\d{4}-\\d{2}$'];
    case 'week':
      return ['', '^\\d{4}-W\\d{2}$'];
    case 'hour':
      return [`@Segment('timestamp', { floor: 'hour' }) ${property}: Date, or `, '^\\d{10}$'];
    case 'date':
    case 'day':
      return [
        `@Segment('isoDate', { precision: 'day' }) ${property}: Date, or `,
        '^\\d{4}-\\d{2}-\\d{2}$',
      ];
    default:
      return [`@Segment('isoDate') ${property}: Date, or `, '^\\d{4}-\\d{2}-\\d{2}T[\\d:.]{12}Z$'];
  }
}

const domainRules = new Set(['isFqdn']);
const urlRules = new Set(['isUrl']);
/** The longest label of a domain name: a text of at most so many characters may be a short name. */
const maxLabel = 63;

const k19: LintRule = {
  id: 'K19',
  level: 'warning',
  title: 'A domain name is not reversed',
  reason:
    'The subdomains of a domain are no range. Reversed names, such as com.google.maps, are ' +
    'neighbours and compress well.',
  source: sources.rowKeys,
  fix: "Use kind 'domain', which reverses the labels; divide a URL into its domain and its path.",
  check(subject) {
    return subject.model.segments.flatMap((segment): readonly RuleFinding[] => {
      const { property, type } = segment;
      if (type.kind !== 'string') return [];
      if (isValidatedAs(subject, property, domainRules))
        return [{ property, ...faults.unreversedDomain(property) }];
      const named = isValidatedAs(subject, property, urlRules) ? 'url' : namesOfWeb(property);
      if (named === undefined) return [];
      if (named === 'url') return [{ property, ...faults.unreversedUrl(property) }];
      const isShort = (type.maxLength ?? Infinity) <= maxLabel;
      if (isShort) return [{ property, ...faults.shortName(property), level: 'info' }];
      return [{ property, ...faults.unreversedDomain(property) }];
    });
  },
};

/** Rules about text in keys. */
export const keyTexts: readonly LintRule[] = [k07, k13, k19];

function numberSegment(property: string, kind: 'uint' | 'reversedId'): string {
  if (kind === 'reversedId')
    return `declare @Segment('reversedId') ${property}: number, which spreads new rows too`;
  return `declare @Segment('uint', { max: 999999 }) ${property}: number`;
}

const faults = {
  floatKey: (property: string) => ({
    problem:
      `'${property}' is a floating-point number: values that differ in the last bit ` +
      'are different keys',
    fix: `declare @Segment('decimal', { scale: 2 }) ${property}: string`,
  }),
  numberAsText: (property: string, kind: 'uint' | 'reversedId') => ({
    problem: `'${property}' is a number as text (class-validator): '10' sorts before '9'`,
    fix: numberSegment(property, kind),
  }),
  probablyNumberAsText: (property: string, kind: 'uint' | 'reversedId') => ({
    problem: `'${property}' is a number as text, to judge by its name: '10' sorts before '9'`,
    fix:
      `${numberSegment(property, kind)}; if its texts have one length, or are no numbers, ` +
      'declare a pattern, such as /^\\d{6}$/',
  }),
  timeAsText: (property: string) => ({
    problem:
      `'${property}' is a time as text: times with an offset from UTC do not sort by ` + 'time',
    fix: `declare @Segment('isoDate') ${property}: Date`,
  }),
  probablyTimeAsText: (property: string, kind: string, pattern: string) => ({
    problem:
      `'${property}' is a time as text, to judge by its name: texts of several formats or time ` +
      'zones do not sort by time',
    fix: `declare ${kind}the only format of its text: pattern: /${pattern}/`,
  }),
  nullableSegment: (property: string) => ({
    problem: `'${property}' is nullable: SQL reads null as empty text`,
    fix:
      "write a value such as 'none' instead of null, or ignore K13 if no SQL reads the " + 'table',
  }),
  unreversedDomain: (property: string) => ({
    problem: `'${property}' is a domain name, and its labels are not reversed`,
    fix: `declare @Segment('domain') ${property}`,
  }),
  unreversedUrl: (property: string) => ({
    problem:
      `'${property}' is a URL, and the labels of its domain are not reversed: the pages of a site ` +
      'and its subdomains are no range',
    fix:
      "divide it into @Segment('domain') site and @Segment('string', { maxLength: 500 }) path: " +
      'https://maps.google.com/about is com.google.maps and /about',
  }),
  shortName: (property: string) => ({
    problem: `'${property}' may be a domain name, and its labels are not reversed`,
    fix: `if names have dots, declare @Segment('domain') ${property}`,
  }),
} satisfies FaultTexts;
