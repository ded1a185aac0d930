/** All faults of one segment's declaration. */
import { literalText } from '../../../base/index.js';
import type { KeyFormat } from '../kinds/key-format.js';
import type { SegmentKind, SegmentType } from '../kinds/segment-type.js';

/** One fault of a key's declaration. */
export interface KeyFault {
  /** The segment at fault; undefined for the key as a whole. */
  readonly segment?: string;
  /** What is wrong. */
  readonly problem: string;
  /** What to write instead. */
  readonly fix: string;
}

type ProblemAndFix = readonly [problem: string, fix: string];

/** The options of each kind besides `order` and `nullable`. */
const optionsOf: Readonly<Record<SegmentKind, readonly string[]>> = {
  string: ['maxLength', 'normalize', 'lower'],
  int: ['width', 'max'],
  uint: ['width', 'max'],
  bigint: ['width'],
  float: [],
  decimal: ['width', 'scale'],
  bool: [],
  enum: ['values', 'by'],
  timestamp: ['unit', 'floor', 'reverseFrom'],
  micros: ['reverseFrom'],
  isoDate: ['precision'],
  uuid: ['dashes'],
  ulid: [],
  bytes: ['maxLength'],
  reversedId: ['width'],
  domain: [],
};

/** Options with values from a fixed list. */
const choices: Readonly<Record<string, readonly unknown[]>> = {
  order: ['asc', 'desc'],
  nullable: [true, false],
  normalize: ['NFC'],
  lower: [true, false],
  by: ['name', 'ordinal'],
  unit: ['s', 'ms', 'us', 'ns'],
  reverseFrom: ['nines', 'long'],
  precision: ['ms', 'day'],
  dashes: [true, false],
};

const maxWidths: Partial<Record<SegmentKind, number>> = {
  int: 16,
  uint: 16,
  bigint: 99,
  decimal: 99,
  reversedId: 16,
};

/** The faults of a segment in a format. */
export function segmentFaults(segment: string, type: SegmentType, format: KeyFormat): KeyFault[] {
  const kind: unknown = type.kind;
  if (typeof kind !== 'string' || !Object.hasOwn(optionsOf, kind)) {
    const shown = typeof kind === 'string' ? `'${kind}'` : literalText(kind);
    return [
      {
        segment,
        problem: `there is no segment kind ${shown}`,
        fix: `use one of ${Object.keys(optionsOf).join(', ')}`,
      },
    ];
  }
  const problems = [
    ...unknownOptions(type),
    ...wrongValues(type),
    ...widthFaults(type),
    ...kindFaults(type),
    ...orderFaults(type, format),
    ...formatFaults(type, format),
  ];
  return problems.map(([problem, fix]) => ({ segment, problem, fix }));
}

function unknownOptions(type: SegmentType): ProblemAndFix[] {
  const allowed = ['kind', 'order', 'nullable', ...optionsOf[type.kind]];
  return Object.entries(type)
    .filter(([name, value]) => value !== undefined && !allowed.includes(name))
    .map(([name]) => [
      `a ${type.kind} segment has no option '${name}'`,
      `remove it; its options are ${allowed.slice(1).join(', ')}`,
    ]);
}

function wrongValues(type: SegmentType): ProblemAndFix[] {
  const problems: ProblemAndFix[] = [];
  for (const [name, value] of Object.entries(type)) {
    if (value === undefined || !Object.hasOwn(choices, name)) continue;
    const allowed = choices[name];
    if (!allowed.includes(value)) {
      problems.push([
        `option '${name}' is ${literalText(value)}`,
        `use one of ${allowed.map((choice) => JSON.stringify(choice)).join(', ')}`,
      ]);
    }
  }
  const { maxLength } = type;
  if (maxLength !== undefined && !(Number.isSafeInteger(maxLength) && maxLength >= 1)) {
    problems.push([
      'maxLength is not a whole number of at least 1',
      'pass the maximum length of a value, or omit it',
    ]);
  }
  return problems;
}

function widthFaults(type: SegmentType): ProblemAndFix[] {
  const problems: ProblemAndFix[] = [];
  const { width, max } = type;
  const maxWidth = maxWidths[type.kind];
  if (maxWidth === undefined) return [];
  const isWidthValid =
    width === undefined || (Number.isSafeInteger(width) && width >= 1 && width <= maxWidth);
  const isMaxValid = max === undefined || (Number.isSafeInteger(max) && max >= 1);
  if (!isWidthValid)
    problems.push([
      `width ${literalText(width)} is not a whole number from 1 to ${maxWidth}`,
      `pass 1 to ${maxWidth}, or omit it`,
    ]);
  if (!isMaxValid)
    problems.push([
      `max ${literalText(max)} is not a safe integer of at least 1`,
      'pass the greatest value to allow, or omit it',
    ]);
  if (
    isWidthValid &&
    isMaxValid &&
    width !== undefined &&
    max !== undefined &&
    String(max).length > width
  ) {
    problems.push([
      `width ${width} is too small for max ${max}`,
      `declare width ${String(max).length}, or omit width`,
    ]);
  }
  return problems;
}

function kindFaults(type: SegmentType): ProblemAndFix[] {
  if (type.kind === 'decimal') return scaleFaults(type);
  if (type.kind === 'enum') return enumFaults(type);
  if (type.kind === 'timestamp') return timestampFaults(type);
  if (type.kind === 'micros' && type.reverseFrom !== undefined && type.order !== 'desc')
    return [['reverseFrom needs a descending segment', "add order: 'desc', or remove reverseFrom"]];
  return [];
}

function scaleFaults({ scale, width = 16 }: SegmentType): ProblemAndFix[] {
  if (scale === undefined || !Number.isSafeInteger(scale) || scale < 0)
    return [
      [
        'a decimal segment needs scale, the number of digits after the point',
        'add scale: 2, or another whole number',
      ],
    ];
  if (scale <= width) return [];
  return [
    [`scale ${scale} is greater than the width ${width}`, `declare a width of at least ${scale}`],
  ];
}

function enumFaults({ values, by }: SegmentType): ProblemAndFix[] {
  if (!Array.isArray(values) || values.length === 0)
    return [['an enum segment needs values, its members', "add values: ['NEW', 'DONE']"]];
  const members = values as readonly unknown[];
  const problems: ProblemAndFix[] = [];
  if (
    !members.every((member) => typeof member === 'string' && member !== '' && member.isWellFormed())
  ) {
    problems.push([
      'a member of values is not a non-empty, well-formed string',
      'name every member',
    ]);
  }
  if (new Set(members).size !== members.length)
    problems.push(['values contains a member twice', 'remove the second one']);
  if (by === 'ordinal' && members.length > 100)
    problems.push([
      `${members.length} members do not fit two-digit ordinals`,
      "use by: 'name', or at most 100 members",
    ]);
  return problems;
}

function timestampFaults({ unit = 'ms', floor, reverseFrom, order }: SegmentType): ProblemAndFix[] {
  const problems: ProblemAndFix[] = [];
  if (reverseFrom !== undefined && order !== 'desc')
    problems.push([
      'reverseFrom needs a descending segment',
      "add order: 'desc', or remove reverseFrom",
    ]);
  if (floor === undefined) return problems;
  if (reverseFrom === 'long')
    problems.push(["floored times do not support reverseFrom: 'long'", 'remove reverseFrom']);
  return [...problems, ...floorFaults(floor, unit)];
}

function floorFaults(floor: 'hour' | 'day' | number, unit: string): ProblemAndFix[] {
  if (floor === 'hour' || floor === 'day') {
    if (unit === 'ms') return [];
    return [[`floor: '${floor}' writes calendar digits and has no unit`, 'remove unit']];
  }
  if (!Number.isSafeInteger(floor) || floor < 1)
    return [
      [
        "floor is not 'hour', 'day' or a whole number of milliseconds",
        'pass one of them, such as 300000 for five minutes',
      ],
    ];
  const problem = `floor ${floor} ms cannot be written in unit '${unit}'`;
  if (unit === 'ns') return [[problem, "use unit 'us' or 'ms'"]];
  if (unit === 's' && floor % 1000 !== 0)
    return [[problem, 'floor to whole seconds: a multiple of 1000']];
  return [];
}

function orderFaults(type: SegmentType, format: KeyFormat): ProblemAndFix[] {
  if (type.order !== 'desc') return [];
  if (type.kind === 'reversedId' || type.kind === 'domain')
    return [[`a ${type.kind} segment has no order to reverse`, 'remove order']];
  const textual =
    ['string', 'isoDate', 'uuid', 'ulid', 'bytes'].includes(type.kind) ||
    (type.kind === 'enum' && type.by !== 'ordinal');
  if (!textual || format === 'ordered') return [];
  return [
    [
      `descending ${type.kind} segments would be unreadable in this format and are not supported`,
      ascendingOnlyFixes[type.kind] ?? "use keyFormat 'ordered', or the ascending order",
    ],
  ];
}

const ascendingOnlyFixes: Partial<Record<SegmentKind, string>> = {
  isoDate: "use kind 'timestamp', or keyFormat 'ordered'",
  enum: "use by: 'ordinal', or keyFormat 'ordered'",
};

function formatFaults(type: SegmentType, format: KeyFormat): ProblemAndFix[] {
  const problems: ProblemAndFix[] = [];
  if (format === 'ordered') {
    if (type.kind === 'timestamp' && (type.unit === 's' || type.unit === 'ns')) {
      problems.push([
        `the ordered format writes microseconds, not '${type.unit}'`,
        'remove unit; floor: 1000 keeps whole seconds',
      ]);
    }
    if (type.reverseFrom !== undefined && type.order === 'desc')
      problems.push([
        'the ordered format reverses times without reverseFrom',
        'remove reverseFrom',
      ]);
    if (type.dashes !== undefined && type.kind === 'uuid')
      problems.push(['the ordered format writes a UUID as 16 bytes', 'remove dashes']);
    if (type.kind === 'decimal' && (type.width ?? 16) > 19) {
      problems.push([
        `width ${String(type.width)} does not fit the int64 of the ordered format`,
        'declare a width of at most 19, or use bigint',
      ]);
    }
  }
  if (typeof format === 'object' && type.nullable === true)
    problems.push([
      'the delimited format has no bytes for null',
      "remove nullable, or use keyFormat 'text' or 'ordered'",
    ]);
  return problems;
}
