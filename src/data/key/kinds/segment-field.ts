/**
 * Creates the field of a declared segment in a format. The declaration has been checked by
 * segmentFaults.
 */
import { bigIntegerField } from './big-integer.js';
import { domainField } from './domain-kind.js';
import type { Field } from '../fields/field.js';
import { backwardDigits, signedDigits, unsignedDigits } from '../fields/digit-layouts.js';
import { nines } from '../encoding/digits.js';
import { hexFloatField, orderedFloatField } from './float-kind.js';
import { hexField } from '../fields/hex-field.js';
import { orderedInt64 } from '../fields/int64-layouts.js';
import { integerField, type IntegerDomain } from '../fields/integer-field.js';
import { isoDateField } from './iso-date.js';
import type { KeyFormat } from './key-format.js';
import {
  bigintDomain,
  boolDomain,
  decimalDomain,
  numberDomain,
  ordinalDomain,
} from './number-kinds.js';
import {
  bytesField,
  descendingBytes,
  namesField,
  nullableOrdered,
  textField,
} from '../fields/raw-field.js';
import type { SegmentKind, SegmentType } from './segment-type.js';
import {
  dateLayout,
  dayDomain,
  epochDomain,
  epochLayout,
  flooredDomain,
  hourDomain,
  microsDomain,
  microsecondDates,
  unitWidth,
} from './time-kinds.js';
import { dayMs, hourMs } from '../encoding/calendar.js';
import { ulidBytesField, ulidTextField } from './ulid-kind.js';
import { uuidBytesField, uuidTextField } from './uuid-kind.js';

/**
 * The field of a segment without faults. Null is part of the field in the ordered format, and of
 * the framing in other positions.
 */
export function segmentField(type: SegmentType, format: KeyFormat): Field {
  if (format !== 'ordered') return textFields[type.kind](type);
  const field = orderedFields[type.kind](type);
  if (type.nullable !== true) return field;
  return nullableOrdered(field);
}

type FieldsByKind = Readonly<Record<SegmentKind, (type: SegmentType) => Field>>;

/** The fields of the text and delimited formats. */
const textFields: FieldsByKind = {
  string: textField,
  int: (type) => integerField(intDomain(type), textDigits(type)),
  uint: (type) => integerField(uintDomain(type), unsignedDigits(widthOf(type), isDescending(type))),
  bigint(type) {
    if (type.width === undefined) return bigIntegerField(isDescending(type));
    return integerField(fixedBigintDomain(type.width), textDigits(type));
  },
  float: (type) => hexFloatField(isDescending(type)),
  decimal: (type) => integerField(scaledDomain(type), textDigits(type)),
  bool: (type) => integerField(boolDomain, unsignedDigits(1, isDescending(type))),
  enum(type) {
    const { by, values = [] } = type;
    if (by !== 'ordinal') return namesField(values);
    return integerField(ordinalDomain(values), unsignedDigits(2, isDescending(type)));
  },
  timestamp: textTimestamp,
  micros(type) {
    const layout = epochLayout('us', isDescending(type), type.reverseFrom ?? 'nines');
    return integerField(microsDomain, layout);
  },
  isoDate: ({ precision = 'ms' }) => isoDateField(precision),
  uuid: ({ dashes = true }) => uuidTextField(dashes),
  ulid: () => ulidTextField,
  bytes: ({ maxLength }) => hexField(maxLength),
  reversedId: reversedIdField,
  domain: () => domainField,
};

/** The fields of the ordered format. */
const orderedFields: FieldsByKind = {
  string: (type) => inOrder(type, textField(type)),
  int: (type) => orderedInteger(type, intDomain(type)),
  uint: (type) => orderedInteger(type, uintDomain(type)),
  bigint(type) {
    // Up to 19 digits fit an int64, within its limits; other bigints keep the text encoding.
    if (type.width === undefined || type.width > 19) return bigIntegerField(isDescending(type));
    return orderedInteger(type, fixedBigintDomain(type.width));
  },
  float: (type) => orderedFloatField(isDescending(type)),
  decimal: (type) => orderedInteger(type, scaledDomain(type)),
  bool: (type) => orderedInteger(type, boolDomain),
  enum(type) {
    const { by, values = [] } = type;
    if (by !== 'ordinal') return inOrder(type, namesField(values));
    return orderedInteger(type, ordinalDomain(values));
  },
  timestamp: (type) => orderedInteger(type, orderedTimestampDomain(type)),
  micros: (type) => orderedInteger(type, microsDomain),
  isoDate: (type) => orderedInteger(type, isoMicrosDomain(type)),
  uuid: (type) => inOrder(type, uuidBytesField),
  ulid: (type) => inOrder(type, ulidBytesField),
  bytes: (type) => inOrder(type, bytesField(type.maxLength)),
  reversedId: (type) => ({ ...reversedIdField(type), sqlType: 'STRING' }),
  domain: () => domainField,
};

function isDescending({ order }: SegmentType): boolean {
  return order === 'desc';
}

function inOrder(type: SegmentType, field: Field): Field {
  if (isDescending(type)) return descendingBytes(field);
  return field;
}

function orderedInteger(type: SegmentType, domain: IntegerDomain): Field {
  return integerField(domain, orderedInt64(isDescending(type)));
}

function textDigits(type: SegmentType) {
  return signedDigits(widthOf(type), isDescending(type));
}

function widthOf({ width, max }: SegmentType): number {
  if (width !== undefined) return width;
  if (max === undefined) return 16;
  return String(max).length;
}

function intDomain(type: SegmentType): IntegerDomain {
  const max = type.max ?? nines(widthOf(type));
  return numberDomain(-max, max);
}

function uintDomain(type: SegmentType): IntegerDomain {
  return numberDomain(0, type.max ?? nines(widthOf(type)));
}

function fixedBigintDomain(width: number): IntegerDomain {
  const max = BigInt(nines(width));
  return bigintDomain(-max, max);
}

function scaledDomain(type: SegmentType): IntegerDomain {
  return decimalDomain(widthOf(type), type.scale ?? 0);
}

function reversedIdField(type: SegmentType): Field {
  const width = widthOf(type);
  return integerField(numberDomain(0, nines(width)), backwardDigits(width));
}

function textTimestamp(type: SegmentType): Field {
  const { unit = 'ms', floor, reverseFrom = 'nines' } = type;
  const descending = isDescending(type);
  if (floor === 'hour') return integerField(hourDomain(), unsignedDigits(10, descending));
  if (floor === 'day') return integerField(dayDomain(), unsignedDigits(8, descending));
  if (floor === undefined)
    return integerField(epochDomain(unit), dateLayout(unit, descending, reverseFrom));
  // Floored nanoseconds are a declaration fault.
  if (unit === 'ns') throw new TypeError('floored times have no unit ns');
  return integerField(flooredDomain(floor, unit), signedDigits(unitWidth[unit], descending));
}

function orderedTimestampDomain({ floor }: SegmentType): IntegerDomain {
  if (floor === undefined) return microsecondDates();
  if (floor === 'hour') return flooredDomain(hourMs, 'us');
  if (floor === 'day') return flooredDomain(dayMs, 'us');
  return flooredDomain(floor, 'us');
}

function isoMicrosDomain({ precision }: SegmentType): IntegerDomain {
  const years = { min: -62_167_219_200_000_000n, max: 253_402_300_799_999_000n };
  if (precision === 'day') return { ...flooredDomain(dayMs, 'us'), ...years };
  return { ...microsecondDates(), ...years };
}
