/** All faults of one segment's declaration. */
import { literalText, type FaultText, type FaultTexts } from '../../../base/index.js';
import type { KeyFormat } from '../kinds/key-format.js';
import type { SegmentKind, SegmentType } from '../kinds/segment-type.js';

/** One fault of a key's declaration. */
export interface SegmentFault {
  /** The segment at fault; undefined for the key as a whole. */
  readonly segment?: string;
  /** What is wrong. */
  readonly problem: string;
  /** What to write instead. */
  readonly fix: string;
}

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
export function segmentFaults(
  segment: string,
  type: SegmentType,
  format: KeyFormat,
): SegmentFault[] {
  const kind: unknown = type.kind;
  if (typeof kind !== 'string' || !Object.hasOwn(optionsOf, kind)) {
    const shown = typeof kind === 'string' ? `'${kind}'` : literalText(kind);
    return [
      {
        segment,
        ...faults.unknownKind(shown),
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
  return problems.map((each) => ({ segment, ...each }));
}

function unknownOptions(type: SegmentType): FaultText[] {
  const allowed = ['kind', 'order', 'nullable', ...optionsOf[type.kind]];
  return Object.entries(type)
    .filter(([name, value]) => value !== undefined && !allowed.includes(name))
    .map(([name]) => faults.unknownOption(type.kind, name, allowed.slice(1).join(', ')));
}

function wrongValues(type: SegmentType): FaultText[] {
  const problems: FaultText[] = [];
  for (const [name, value] of Object.entries(type)) {
    if (value === undefined || !Object.hasOwn(choices, name)) continue;
    const allowed = choices[name];
    if (!allowed.includes(value)) {
      problems.push(
        faults.unknownChoice(
          name,
          literalText(value),
          allowed.map((choice) => JSON.stringify(choice)).join(', '),
        ),
      );
    }
  }
  const { maxLength } = type;
  if (maxLength !== undefined && !(Number.isSafeInteger(maxLength) && maxLength >= 1)) {
    problems.push(faults.wrongMaxLength);
  }
  return problems;
}

function widthFaults(type: SegmentType): FaultText[] {
  const problems: FaultText[] = [];
  const { width, max } = type;
  const maxWidth = maxWidths[type.kind];
  if (maxWidth === undefined) return [];
  const isWidthValid =
    width === undefined || (Number.isSafeInteger(width) && width >= 1 && width <= maxWidth);
  const isMaxValid = max === undefined || (Number.isSafeInteger(max) && max >= 1);
  if (!isWidthValid) problems.push(faults.wrongWidth(width, maxWidth));
  if (!isMaxValid) problems.push(faults.wrongMax(max));
  if (
    isWidthValid &&
    isMaxValid &&
    width !== undefined &&
    max !== undefined &&
    String(max).length > width
  ) {
    problems.push(faults.maxTooWide(width, max, String(max).length));
  }
  return problems;
}

function kindFaults(type: SegmentType): FaultText[] {
  if (type.kind === 'decimal') return scaleFaults(type);
  if (type.kind === 'enum') return enumFaults(type);
  if (type.kind === 'timestamp') return timestampFaults(type);
  if (type.kind === 'micros' && type.reverseFrom !== undefined && type.order !== 'desc')
    return [faults.ascendingReverse];
  return [];
}

function scaleFaults({ scale, width = 16 }: SegmentType): FaultText[] {
  if (scale === undefined || !Number.isSafeInteger(scale) || scale < 0)
    return [faults.missingScale];
  if (scale <= width) return [];
  return [faults.scaleTooWide(scale, width)];
}

function enumFaults({ values, by }: SegmentType): FaultText[] {
  if (!Array.isArray(values) || values.length === 0) return [faults.noMembers];
  const members = values as readonly unknown[];
  const problems: FaultText[] = [];
  if (
    !members.every((member) => typeof member === 'string' && member !== '' && member.isWellFormed())
  ) {
    problems.push(faults.wrongMember);
  }
  if (new Set(members).size !== members.length) problems.push(faults.memberTwice);
  if (by === 'ordinal' && members.length > 100)
    problems.push(faults.tooManyMembers(members.length));
  return problems;
}

function timestampFaults({ unit = 'ms', floor, reverseFrom, order }: SegmentType): FaultText[] {
  const problems: FaultText[] = [];
  if (reverseFrom !== undefined && order !== 'desc') problems.push(faults.ascendingReverse);
  if (floor === undefined) return problems;
  if (reverseFrom === 'long') problems.push(faults.floorFromLong);
  return [...problems, ...floorFaults(floor, unit)];
}

function floorFaults(floor: 'hour' | 'day' | number, unit: string): FaultText[] {
  if (floor === 'hour' || floor === 'day') {
    if (unit === 'ms') return [];
    return [faults.floorWithUnit(floor)];
  }
  if (!Number.isSafeInteger(floor) || floor < 1) return [faults.wrongFloor];
  const problem = `floor ${floor} ms cannot be written in unit '${unit}'`;
  if (unit === 'ns') return [faults.floorInNanos(problem)];
  if (unit === 's' && floor % 1000 !== 0) return [faults.floorInSeconds(problem)];
  return [];
}

function orderFaults(type: SegmentType, format: KeyFormat): FaultText[] {
  if (type.order !== 'desc') return [];
  if (type.kind === 'reversedId' || type.kind === 'domain') return [faults.noOrder(type.kind)];
  const textual =
    ['string', 'isoDate', 'uuid', 'ulid', 'bytes'].includes(type.kind) ||
    (type.kind === 'enum' && type.by !== 'ordinal');
  if (!textual || format === 'ordered') return [];
  return [
    faults.unreadableOrder(
      type.kind,
      ascendingOnlyFixes[type.kind] ?? "use keyFormat 'ordered', or the ascending order",
    ),
  ];
}

const ascendingOnlyFixes: Partial<Record<SegmentKind, string>> = {
  isoDate: "use kind 'timestamp', or keyFormat 'ordered'",
  enum: "use by: 'ordinal', or keyFormat 'ordered'",
};

function formatFaults(type: SegmentType, format: KeyFormat): FaultText[] {
  const problems: FaultText[] = [];
  if (format === 'ordered') {
    if (type.kind === 'timestamp' && (type.unit === 's' || type.unit === 'ns')) {
      problems.push(faults.unitInOrdered(type.unit));
    }
    if (type.reverseFrom !== undefined && type.order === 'desc')
      problems.push(faults.reverseInOrdered);
    if (type.dashes !== undefined && type.kind === 'uuid') problems.push(faults.dashesInOrdered);
    if (type.kind === 'decimal' && (type.width ?? 16) > 19) {
      problems.push(faults.widthInOrdered(type.width));
    }
  }
  if (typeof format === 'object' && type.nullable === true) problems.push(faults.nullInDelimited);
  return problems;
}

const faults = {
  unknownKind: (shown: string) => ({
    problem: `there is no segment kind ${shown}`,
    fix: `use one of ${Object.keys(optionsOf).join(', ')}`,
  }),
  unknownOption: (kind: string, name: string, list: string) => ({
    problem: `a ${kind} segment has no option '${name}'`,
    fix: `remove it; its options are ${list}`,
  }),
  unknownChoice: (name: string, literal: string, list: string) => ({
    problem: `option '${name}' is ${literal}`,
    fix: `use one of ${list}`,
  }),
  wrongMaxLength: {
    problem: 'maxLength is not a whole number of at least 1',
    fix: 'pass the maximum length of a value, or omit it',
  },
  wrongWidth: (width: number, maxWidth: number) => ({
    problem: `width ${literalText(width)} is not a whole number from 1 to ${maxWidth}`,
    fix: `pass 1 to ${maxWidth}, or omit it`,
  }),
  wrongMax: (max: number) => ({
    problem: `max ${literalText(max)} is not a safe integer of at least 1`,
    fix: 'pass the greatest value to allow, or omit it',
  }),
  maxTooWide: (width: number, max: number, length: number) => ({
    problem: `width ${width} is too small for max ${max}`,
    fix: `declare width ${length}, or omit width`,
  }),
  ascendingReverse: {
    problem: 'reverseFrom needs a descending segment',
    fix: "add order: 'desc', or remove reverseFrom",
  },
  missingScale: {
    problem: 'a decimal segment needs scale, the number of digits after the point',
    fix: 'add scale: 2, or another whole number',
  },
  scaleTooWide: (scale: number, width: number) => ({
    problem: `scale ${scale} is greater than the width ${width}`,
    fix: `declare a width of at least ${scale}`,
  }),
  noMembers: {
    problem: 'an enum segment needs values, its members',
    fix: "add values: ['NEW', 'DONE']",
  },
  wrongMember: {
    problem: 'a member of values is not a non-empty, well-formed string',
    fix: 'name every member',
  },
  memberTwice: { problem: 'values contains a member twice', fix: 'remove the second one' },
  tooManyMembers: (length: number) => ({
    problem: `${length} members do not fit two-digit ordinals`,
    fix: "use by: 'name', or at most 100 members",
  }),
  floorFromLong: {
    problem: "floored times do not support reverseFrom: 'long'",
    fix: 'remove reverseFrom',
  },
  floorWithUnit: (floor: string) => ({
    problem: `floor: '${floor}' writes calendar digits and has no unit`,
    fix: 'remove unit',
  }),
  wrongFloor: {
    problem: "floor is not 'hour', 'day' or a whole number of milliseconds",
    fix: 'pass one of them, such as 300000 for five minutes',
  },
  floorInNanos: (problem: string) => ({ problem, fix: "use unit 'us' or 'ms'" }),
  floorInSeconds: (problem: string) => ({
    problem,
    fix: 'floor to whole seconds: a multiple of 1000',
  }),
  noOrder: (kind: string) => ({
    problem: `a ${kind} segment has no order to reverse`,
    fix: 'remove order',
  }),
  unreadableOrder: (kind: string, ascendingOnlyFixe: string) => ({
    problem: `descending ${kind} segments would be unreadable in this format and are not supported`,
    fix: ascendingOnlyFixe,
  }),
  unitInOrdered: (unit: string) => ({
    problem: `the ordered format writes microseconds, not '${unit}'`,
    fix: 'remove unit; floor: 1000 keeps whole seconds',
  }),
  reverseInOrdered: {
    problem: 'the ordered format reverses times without reverseFrom',
    fix: 'remove reverseFrom',
  },
  dashesInOrdered: {
    problem: 'the ordered format writes a UUID as 16 bytes',
    fix: 'remove dashes',
  },
  widthInOrdered: (width: undefined | number) => ({
    problem: `width ${String(width)} does not fit the int64 of the ordered format`,
    fix: 'declare a width of at most 19, or use bigint',
  }),
  nullInDelimited: {
    problem: 'the delimited format has no bytes for null',
    fix: "remove nullable, or use keyFormat 'text' or 'ordered'",
  },
} satisfies FaultTexts;
