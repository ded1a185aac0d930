/** Every fault of one segment's declaration, told at once. */
import type { KeyFormat } from '../kinds/key-format.js';
import type { SegmentKind, SegmentType } from '../kinds/segment-type.js';

/** One fault of a key's declaration. */
export interface KeyFault {
  /** Segment it belongs to; undefined for the key as a whole. */
  readonly segment?: string;
  /** What is wrong, in a sentence. */
  readonly problem: string;
  /** What to write instead, in a sentence. */
  readonly fix: string;
}

/** What is wrong and what to write instead. */
type Complaint = readonly [problem: string, fix: string];

/** The options each kind takes besides `order` and `nullable`. */
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

const widest: Partial<Record<SegmentKind, number>> = {
  int: 16,
  uint: 16,
  bigint: 99,
  decimal: 99,
  reversedId: 16,
};

/** The faults of the segment in the format. */
export function segmentFaults(segment: string, type: SegmentType, format: KeyFormat): KeyFault[] {
  if (!Object.hasOwn(optionsOf, type.kind)) {
    return [
      {
        segment,
        problem: `there is no segment kind '${String(type.kind)}'`,
        fix: `use one of ${Object.keys(optionsOf).join(', ')}`,
      },
    ];
  }
  const complaints = [
    ...unknownOptions(type),
    ...wrongValues(type),
    ...widthFaults(type),
    ...kindFaults(type),
    ...orderFaults(type, format),
    ...formatFaults(type, format),
  ];
  return complaints.map(([problem, fix]) => ({ segment, problem, fix }));
}

function unknownOptions(type: SegmentType): Complaint[] {
  const allowed = ['kind', 'order', 'nullable', ...optionsOf[type.kind]];
  return Object.entries(type)
    .filter(([name, value]) => value !== undefined && !allowed.includes(name))
    .map(([name]) => [
      `a ${type.kind} segment takes no option '${name}'`,
      `remove it; the options here are ${allowed.slice(1).join(', ')}`,
    ]);
}

function wrongValues(type: SegmentType): Complaint[] {
  const complaints: Complaint[] = [];
  for (const [name, value] of Object.entries(type)) {
    const allowed = choices[name];
    if (value !== undefined && allowed !== undefined && !allowed.includes(value)) {
      complaints.push([
        `option '${name}' is ${JSON.stringify(value)}`,
        `use one of ${allowed.map((choice) => JSON.stringify(choice)).join(', ')}`,
      ]);
    }
  }
  const { maxLength } = type;
  if (maxLength !== undefined && !(Number.isSafeInteger(maxLength) && maxLength >= 1)) {
    complaints.push([
      'maxLength is not a whole number of at least 1',
      'pass the longest value to allow, or leave it out',
    ]);
  }
  return complaints;
}

function widthFaults(type: SegmentType): Complaint[] {
  const complaints: Complaint[] = [];
  const { width, max } = type;
  const most = widest[type.kind];
  if (most === undefined) return [];
  const widthIsRight =
    width === undefined || (Number.isSafeInteger(width) && width >= 1 && width <= most);
  const maxIsRight = max === undefined || (Number.isSafeInteger(max) && max >= 1);
  if (!widthIsRight)
    complaints.push([
      `width ${String(width)} is not a whole number from 1 to ${most}`,
      `pass 1 to ${most}, or leave it out`,
    ]);
  if (!maxIsRight)
    complaints.push([
      `max ${String(max)} is not a safe integer of at least 1`,
      'pass the greatest value to allow, or leave it out',
    ]);
  if (
    widthIsRight &&
    maxIsRight &&
    width !== undefined &&
    max !== undefined &&
    String(max).length > width
  ) {
    complaints.push([
      `width ${width} is too small for max ${max}`,
      `declare width ${String(max).length}, or leave width out`,
    ]);
  }
  return complaints;
}

function kindFaults(type: SegmentType): Complaint[] {
  if (type.kind === 'decimal') return scaleFaults(type);
  if (type.kind === 'enum') return enumFaults(type);
  if (type.kind === 'timestamp') return timestampFaults(type);
  if (type.kind === 'micros' && type.reverseFrom !== undefined && type.order !== 'desc')
    return [['reverseFrom needs a descending segment', "add order: 'desc', or remove reverseFrom"]];
  return [];
}

function scaleFaults({ scale, width = 16 }: SegmentType): Complaint[] {
  if (scale === undefined || !Number.isSafeInteger(scale) || scale < 0)
    return [
      [
        'a decimal segment needs scale, the digits after the point',
        'add scale: 2, or another whole number',
      ],
    ];
  return scale > width
    ? [[`scale ${scale} is more than the width ${width}`, `declare a width of at least ${scale}`]]
    : [];
}

function enumFaults({ values, by }: SegmentType): Complaint[] {
  if (!Array.isArray(values) || values.length === 0)
    return [['an enum segment needs values, its members', "add values: ['NEW', 'DONE']"]];
  const members = values as readonly unknown[];
  const complaints: Complaint[] = [];
  if (
    !members.every((member) => typeof member === 'string' && member !== '' && member.isWellFormed())
  ) {
    complaints.push([
      'a member of values is not a non-empty, well-formed string',
      'name every member',
    ]);
  }
  if (new Set(members).size !== members.length)
    complaints.push(['values holds a member twice', 'remove the second one']);
  if (by === 'ordinal' && members.length > 100)
    complaints.push([
      `${members.length} members do not fit two-digit ordinals`,
      "use by: 'name', or at most 100 members",
    ]);
  return complaints;
}

function timestampFaults({ unit = 'ms', floor, reverseFrom, order }: SegmentType): Complaint[] {
  const complaints: Complaint[] = [];
  if (reverseFrom !== undefined && order !== 'desc')
    complaints.push([
      'reverseFrom needs a descending segment',
      "add order: 'desc', or remove reverseFrom",
    ]);
  if (floor === undefined) return complaints;
  if (reverseFrom === 'long')
    complaints.push(["reverseFrom: 'long' is not offered for floored times", 'remove reverseFrom']);
  if (floor === 'hour' || floor === 'day') {
    if (unit !== 'ms')
      complaints.push([`floor: '${floor}' writes calendar digits and has no unit`, 'remove unit']);
  } else if (!Number.isSafeInteger(floor) || floor < 1) {
    complaints.push([
      "floor is not 'hour', 'day' or a whole number of milliseconds",
      'pass one of them, such as 300000 for five minutes',
    ]);
  } else if (unit === 'ns' || (unit === 's' && floor % 1000 !== 0)) {
    complaints.push([
      `floor ${floor} ms cannot be written in unit '${unit}'`,
      unit === 's' ? 'floor to whole seconds: a multiple of 1000' : "use unit 'us' or 'ms'",
    ]);
  }
  return complaints;
}

function orderFaults(type: SegmentType, format: KeyFormat): Complaint[] {
  if (type.order !== 'desc') return [];
  if (type.kind === 'reversedId' || type.kind === 'domain')
    return [[`a ${type.kind} segment has no order to turn round`, 'remove order']];
  const textual =
    ['string', 'isoDate', 'uuid', 'ulid', 'bytes'].includes(type.kind) ||
    (type.kind === 'enum' && type.by !== 'ordinal');
  if (!textual || format === 'ordered') return [];
  const fix =
    type.kind === 'isoDate'
      ? "use kind 'timestamp', or keyFormat 'ordered'"
      : type.kind === 'enum'
        ? "use by: 'ordinal', or keyFormat 'ordered'"
        : "use keyFormat 'ordered', or the ascending order";
  return [
    [
      `descending ${type.kind} segments would be unreadable in this format and are not offered`,
      fix,
    ],
  ];
}

function formatFaults(type: SegmentType, format: KeyFormat): Complaint[] {
  const complaints: Complaint[] = [];
  if (format === 'ordered') {
    if (type.kind === 'timestamp' && (type.unit === 's' || type.unit === 'ns')) {
      complaints.push([
        `the ordered format writes microseconds, not '${type.unit}'`,
        'remove unit; floor: 1000 keeps whole seconds',
      ]);
    }
    if (type.reverseFrom !== undefined && type.order === 'desc')
      complaints.push([
        'the ordered format turns times round without reverseFrom',
        'remove reverseFrom',
      ]);
    if (type.dashes !== undefined && type.kind === 'uuid')
      complaints.push(['the ordered format writes a UUID as 16 bytes', 'remove dashes']);
    if (type.kind === 'decimal' && (type.width ?? 16) > 19) {
      complaints.push([
        `width ${String(type.width)} does not fit the int64 of the ordered format`,
        'declare a width of at most 19, or use bigint',
      ]);
    }
  }
  if (typeof format === 'object' && type.nullable === true)
    complaints.push([
      'the delimited format has no bytes for null',
      "remove nullable, or use keyFormat 'text' or 'ordered'",
    ]);
  return complaints;
}
