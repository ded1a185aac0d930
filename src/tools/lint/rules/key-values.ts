/** Values in keys: how they read, sort and grow. */
import { maxRowKeyBytes, quotedList, type FaultTexts } from '../../../base/index.js';
import { segmentField } from '../../../data/key/index.js';
import type { EntityModel, SegmentModel } from '../../../entities/model/index.js';
import { namesHash } from '../subject/names/ids.js';
import { namesHashedPerson } from '../subject/names/people.js';
import { type LintRule, type RuleFinding, sources } from '../rule.js';
import { isValidatedAs, type LintSubject, validatedNumber } from '../subject/subject.js';

const k04: LintRule = {
  id: 'K04',
  level: 'warning',
  title: 'The key starts with a hash',
  reason:
    'Hashed keys spread writes, but related rows are not neighbours: there are no ranges to ' +
    'read, and nobody can interpret Key Visualizer.',
  source: sources.avoid,
  fix: 'Use readable segments, and declare `shards`, which computes the hash and merges the reads.',
  check(subject) {
    const [first] = subject.model.segments;
    if (!['string', 'bytes', 'uint', 'int', 'bigint'].includes(first.type.kind)) return [];
    const { property } = first;
    const isValidated = isValidatedAs(subject, property, hashRules);
    if (!namesHash(property) && !isValidated) return [];
    if (namesHashedPerson(property)) return [];
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

const k08: LintRule = {
  id: 'K08',
  level: 'warning',
  title: 'The key has no maximum length, or a very large one',
  reason:
    'Bigtable allows 4,096 bytes, and recommends short keys, because each cell comes with its ' +
    'key. Without a limit, only the write finds a value that is too long.',
  source: sources.rowKeys,
  fix: 'Give text and bytes a maxLength, and keep long texts in columns.',
  check(subject) {
    const { key, segments } = subject.model;
    if (Number.isFinite(key.maxLength)) return longKey(subject.model);
    return segments
      .filter((segment) => isUnbounded(segment, subject))
      .map(({ property, type }) => ({
        property,
        ...faults.unboundedText(property, type.kind),
      }));
  },
};

/** Half of what Bigtable allows. */
const longKeyBytes = maxRowKeyBytes / 2;

function longKey({ key, segments }: EntityModel): readonly RuleFinding[] {
  if (key.maxLength <= longKeyBytes) return [];
  const [longest] = [...segments].sort((a, b) => (b.type.maxLength ?? 0) - (a.type.maxLength ?? 0));
  return [
    {
      property: longest.property,
      ...faults.longKey(key.maxLength, longest.property),
      level: 'info',
    },
  ];
}

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

/** Bytes of constant text above which a prefix is worth shortening. */
const maxPrefixBytes = 16;

const k15: LintRule = {
  id: 'K15',
  level: 'info',
  title: 'A long constant prefix is stored in each key',
  reason: 'The key is stored with each cell and sent with each row.',
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

/** Rules about the values in keys. */
export const keyValues: readonly LintRule[] = [k04, k05, k08, k09, k15];

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
  unboundedText: (property: string, kind: string) => ({
    problem:
      `'${property}' has no maximum length, and Bigtable allows keys of ${maxRowKeyBytes} ` +
      'bytes',
    fix: `declare @Segment('${kind}', { maxLength: 64 }) ${property}`,
  }),
  longKey: (bytes: number, property: string) => ({
    problem:
      `keys can have ${bytes.toLocaleString('en')} bytes, most of them in '${property}', and each ` +
      'cell that is read comes with its key',
    fix:
      `lower the maxLength of '${property}', of which a unit can take 3 bytes, or put an id into ` +
      'the key and the text into a column',
  }),
  charsBeforeDelimiter: (property: string, delimiter: string) => ({
    problem:
      `values of '${property}' may have characters that sort before '${delimiter}': ` +
      'its ranges are rejected',
    fix: "use keyFormat 'text' for a new table, or bound only the segments after it",
  }),
  literalsTooLong: (literals: readonly string[], bytes: number, shorter: readonly string[]) => ({
    problem: `the literals ${quotedList(literals)} take ${bytes} bytes of each key`,
    fix:
      `shorten them, for example to ${quotedList(shorter)}; this moves the rows of an ` +
      'existing table',
  }),
} satisfies FaultTexts;
