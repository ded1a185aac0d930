/** Values in keys: how they read, sort and grow. */
import { maxRowKeyBytes, quotedList, type FaultTexts } from '../../../base/index.js';
import { segmentField } from '../../../data/key/index.js';
import type { EntityModel, SegmentModel } from '../../../entities/model/index.js';
import { namesDomain, namesHash } from '../subject/names.js';
import { type LintRule, type RuleFinding, sources } from '../rule.js';
import { isValidatedAs, type LintSubject, validatedNumber } from '../subject/subject.js';

const k04: LintRule = {
  id: 'K04',
  level: 'warning',
  title: 'The key starts with a hash',
  reason:
    'Hashed keys spread writes, but rows that belong together are not next to each other: there ' +
    'are no ranges to read, and Key Visualizer shows nothing that anybody can interpret.',
  source: sources.avoid,
  fix: 'Use readable segments, and declare `shards`, which computes the hash and merges the reads.',
  check(subject) {
    const [first] = subject.model.segments;
    if (!['string', 'bytes', 'uint', 'int', 'bigint'].includes(first.type.kind)) return [];
    const { property } = first;
    const isValidated = isValidatedAs(subject, property, hashRules);
    if (!namesHash(property) && !isValidated) return [];
    const shownBy = isValidated ? '(class-validator)' : 'to judge by its name';
    return [
      {
        property,
        ...faults.hashedKey(property, shownBy),
      },
    ];
  },
};

const hashRules = new Set(['isHash']);

const k05: LintRule = {
  id: 'K05',
  level: 'info',
  title: 'The key is not readable',
  reason:
    'Readable keys make logs, Key Visualizer and cbt useful. Bytes are written as hexadecimal ' +
    'digits, which take twice their size, and ordered keys are binary.',
  source: sources.rowKeys,
  fix: 'Use text kinds and the text format, or state why not with @LintIgnore.',
  check({ model }) {
    if (model.key.spec.format === 'ordered') return orderedFindings(model);
    return model.segments
      .filter(({ type }) => type.kind === 'bytes')
      .map(({ property }) => ({
        property,
        ...faults.hexBytes(property),
      }));
  },
};

function orderedFindings({ segments }: EntityModel): readonly RuleFinding[] {
  // Bytes, and descending text, are what the ordered format is for.
  const textual = ['string', 'isoDate', 'uuid', 'ulid', 'enum'];
  const needed = segments.some(
    ({ type }) => type.kind === 'bytes' || (type.order === 'desc' && textual.includes(type.kind)),
  );
  if (needed) return [];
  return [faults.needlessOrderedFormat];
}

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
    return subject.model.segments.flatMap(({ property, type }): readonly RuleFinding[] => {
      if (type.kind === 'float')
        return [
          {
            property,
            ...faults.floatKey(property),
          },
        ];
      if (type.kind !== 'string' || !isValidatedAs(subject, property, numberRules)) return [];
      return [
        {
          property,
          ...faults.numberAsText(property),
        },
      ];
    });
  },
};

const k08: LintRule = {
  id: 'K08',
  level: 'warning',
  title: 'The key has no maximum length',
  reason:
    'Bigtable allows 4,096 bytes, and recommends short keys. Without a limit a value that is too ' +
    'long is found when it is written.',
  source: sources.rowKeys,
  fix: 'Give text and bytes a maxLength.',
  check(subject) {
    const { key, segments } = subject.model;
    if (Number.isFinite(key.maxLength)) return [];
    return segments
      .filter((segment) => isUnbounded(segment, subject))
      .map(({ property, type }) => ({
        property,
        ...faults.unboundedText(property, type.kind),
      }));
  },
};

function isUnbounded({ property, type }: SegmentModel, subject: LintSubject): boolean {
  if (type.maxLength !== undefined || (type.kind !== 'string' && type.kind !== 'bytes'))
    return false;
  return (
    validatedNumber(subject, property, 'maxLength') === undefined &&
    validatedNumber(subject, property, 'isLength', 1) === undefined
  );
}

const k09: LintRule = {
  id: 'K09',
  level: 'info',
  title: 'The delimiter sorts after characters of the values',
  reason:
    'A delimited key does not escape. If a value may contain characters that sort before the ' +
    "delimiter, 'a-1' and 'a' followed by the delimiter sort in another order than the values, " +
    'and ranges of the segment are rejected.',
  source: sources.rowKeys,
  fix: "Use keyFormat 'text', which escapes, for new tables; for existing ones, state the reason.",
  check({ model }) {
    const { format } = model.key.spec;
    if (typeof format !== 'object') return [];
    const delimiter = format.delimiter.charCodeAt(0);
    return model.segments
      .slice(0, -1)
      .filter(({ type }) => {
        const field = segmentField(type, format);
        return !field.prefixFree && field.minByte <= delimiter;
      })
      .map(({ property }) => ({
        property,
        ...faults.charsBeforeDelimiter(property, format.delimiter),
      }));
  },
};

const textTimeRules = new Set(['isDateString', 'isIso8601', 'isRFC3339']);

const k13: LintRule = {
  id: 'K13',
  level: 'warning',
  title: 'A time as text, or a nullable segment',
  reason:
    'ISO 8601 text of different time zones does not sort by time. Null and empty text are ' +
    'different keys here, which the row key schema that SQL reads cannot express.',
  source: sources.timeSeries,
  fix: "Use kind 'isoDate' or 'timestamp', which write UTC; replace null by a value of its own.",
  check(subject) {
    return subject.model.segments.flatMap(({ property, type }): readonly RuleFinding[] => {
      if (type.kind === 'string' && isValidatedAs(subject, property, textTimeRules))
        return [
          {
            property,
            ...faults.timeAsText(property),
          },
        ];
      if (type.nullable !== true) return [];
      return [
        {
          property,
          ...faults.nullableSegment(property),
          level: 'info',
        },
      ];
    });
  },
};

/** Bytes of constant text above which a prefix is worth shortening. */
const maxPrefixBytes = 16;

const k15: LintRule = {
  id: 'K15',
  level: 'info',
  title: 'A long constant prefix is stored in each key',
  reason:
    'The key is stored with each cell and sent with each row. Long constants take memory, disk ' +
    'and network for no information.',
  source: sources.rowKeys,
  fix: 'Shorten literals to a few characters.',
  check({ model }) {
    const literals = model.key.spec.parts
      .filter((part) => part.kind === 'literal')
      .map(({ text }) => text);
    const bytes = literals.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
    if (bytes <= maxPrefixBytes) return [];
    const shorter = literals.map((text) => text.slice(0, 2).toLowerCase());
    return [
      {
        property: 'key',
        ...faults.literalsTooLong(literals, bytes, shorter),
      },
    ];
  },
};

const domainRules = new Set(['isFqdn', 'isUrl']);

const k19: LintRule = {
  id: 'K19',
  level: 'warning',
  title: 'A domain name is not reversed',
  reason:
    'The subdomains of a domain are spread over the table, so they cannot be read as a range. ' +
    'Reversed names, such as com.google.maps, are next to each other and compress well.',
  source: sources.rowKeys,
  fix: "Use kind 'domain', which reverses the labels.",
  check(subject) {
    return subject.model.segments
      .filter(
        ({ property, type }) =>
          type.kind === 'string' &&
          (namesDomain(property) || isValidatedAs(subject, property, domainRules)),
      )
      .map(({ property }) => ({
        property,
        ...faults.unreversedDomain(property),
      }));
  },
};

/** Rules about the values in keys. */
export const keyValues: readonly LintRule[] = [k04, k05, k07, k08, k09, k13, k15, k19];

const faults = {
  hashedKey: (property: string, shownBy: string) => ({
    problem:
      `the key starts with '${property}', a hash ${shownBy}: rows can ` + 'only be read one by one',
    fix:
      'start with the value that it is computed from; to spread writes declare shards: { count: 16, ' +
      "by: ['...'] }",
  }),
  hexBytes: (property: string) => ({
    problem: `'${property}' is bytes, written as hexadecimal digits`,
    fix:
      "use a text kind such as 'string', 'uuid' or 'ulid', or keyFormat 'ordered', which " +
      'keeps the bytes',
  }),
  needlessOrderedFormat: {
    problem: "keyFormat is 'ordered', and no segment needs it: keys are binary",
    fix: "remove keyFormat: the default 'text' has the same order for these segments",
  },
  floatKey: (property: string) => ({
    problem:
      `'${property}' is a floating-point number: values that differ in the last bit ` +
      'are different keys',
    fix: `declare @Segment('decimal', { scale: 2 }) ${property}: string`,
  }),
  numberAsText: (property: string) => ({
    problem: `'${property}' is a number as text (class-validator): '10' sorts before '9'`,
    fix: `declare @Segment('uint', { max: 999999 }) ${property}: number`,
  }),
  unboundedText: (property: string, kind: string) => ({
    problem:
      `'${property}' has no maximum length, and Bigtable allows keys of ${maxRowKeyBytes} ` +
      'bytes',
    fix: `declare @Segment('${kind}', { maxLength: 64 }) ${property}`,
  }),
  charsBeforeDelimiter: (property: string, delimiter: string) => ({
    problem:
      `values of '${property}' may have characters that sort before '${delimiter}': ` +
      'its ranges are rejected',
    fix: "use keyFormat 'text' for a new table, or bound only the segments after it",
  }),
  timeAsText: (property: string) => ({
    problem:
      `'${property}' is a time as text: times with an offset from UTC do not sort by ` + 'time',
    fix: `declare @Segment('isoDate') ${property}: Date`,
  }),
  nullableSegment: (property: string) => ({
    problem: `'${property}' is nullable: SQL reads null as empty text`,
    fix:
      "write a value such as 'none' instead of null, or ignore K13 if no SQL reads the " + 'table',
  }),
  literalsTooLong: (literals: readonly string[], bytes: number, shorter: readonly string[]) => ({
    problem: `the literals ${quotedList(literals)} take ${bytes} bytes of each key`,
    fix:
      `shorten them, for example to ${quotedList(shorter)}; this moves the rows of an ` +
      'existing table',
  }),
  unreversedDomain: (property: string) => ({
    problem: `'${property}' is a domain name, and its labels are not reversed`,
    fix: `declare @Segment('domain') ${property}`,
  }),
} satisfies FaultTexts;
