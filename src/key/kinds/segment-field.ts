/**
 * From a declared segment to its field, for each format; options are checked before, by
 * segmentFaults.
 */
import { bigIntegerField } from './big-integer.js';
import { domainField } from './domain-kind.js';
import type { Field } from './field.js';
import { backwardDigits, signedDigits, unsignedDigits } from './digit-layouts.js';
import { nines } from '../encoding/digits.js';
import { hexFloatField, orderedFloatField } from './float-kind.js';
import { hexField } from './hex-field.js';
import { orderedInt64 } from './int64-layouts.js';
import { integerField, type IntegerDomain } from './integer-field.js';
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
} from './raw-field.js';
import type { SegmentType } from './segment-type.js';
import {
  calendarDomain,
  dateLayout,
  epochDomain,
  epochLayout,
  flooredDomain,
  microsDomain,
  microsecondDates,
  unitWidth,
} from './time-kinds.js';
import { dayMs } from '../encoding/calendar.js';
import { ulidBytesField, ulidTextField } from './ulid-kind.js';
import { uuidBytesField, uuidTextField } from './uuid-kind.js';

/**
 * The field of a segment without faults. In the ordered format null is the field's own; elsewhere
 * it is the framing's.
 */
export function segmentField(type: SegmentType, format: KeyFormat): Field {
  if (format !== 'ordered') return textForm(type);
  const field = orderedForm(type);
  return type.nullable === true ? nullableOrdered(field) : field;
}

function widthOf({ kind, width, max }: SegmentType): number {
  return width ?? (max === undefined || kind === 'bigint' ? 16 : String(max).length);
}

function integerLimit(type: SegmentType): number | bigint {
  return type.max ?? nines(widthOf(type));
}

/** The domain of kinds that are integers in both formats. */
function plainIntegers(type: SegmentType): IntegerDomain | undefined {
  const limit = integerLimit(type);
  switch (type.kind) {
    case 'int':
      return numberDomain(-limit, limit);
    case 'uint':
      return numberDomain(0, limit);
    case 'bigint':
      return type.width === undefined ? undefined : bigintDomain(-BigInt(limit), BigInt(limit));
    case 'decimal':
      return decimalDomain(widthOf(type), type.scale ?? 0);
    case 'bool':
      return boolDomain;
    case 'enum':
      return type.by === 'ordinal' ? ordinalDomain(type.values ?? []) : undefined;
    default:
      return undefined;
  }
}

function textForm(type: SegmentType): Field {
  const descending = type.order === 'desc';
  const width = widthOf(type);
  const integers = plainIntegers(type);
  if (integers !== undefined) {
    if (type.kind === 'bool') return integerField(integers, unsignedDigits(1, descending));
    if (type.kind === 'enum') return integerField(integers, unsignedDigits(2, descending));
    return integerField(
      integers,
      type.kind === 'uint' ? unsignedDigits(width, descending) : signedDigits(width, descending),
    );
  }
  switch (type.kind) {
    case 'bigint':
      return bigIntegerField(descending);
    case 'float':
      return hexFloatField(descending);
    case 'timestamp':
      return textTimestamp(type, descending);
    case 'micros':
      return integerField(microsDomain, epochLayout('us', descending, type.reverseFrom ?? 'nines'));
    case 'isoDate':
      return isoDateField(type.precision ?? 'ms');
    case 'uuid':
      return uuidTextField(type.dashes !== false);
    case 'ulid':
      return ulidTextField;
    case 'bytes':
      return hexField(type.maxLength);
    default:
      return textual(type);
  }
}

/** Kinds whose raw bytes are the same in every format. */
function textual(type: SegmentType): Field {
  if (type.kind === 'enum') return namesField(type.values ?? []);
  if (type.kind === 'domain') return domainField;
  if (type.kind === 'reversedId')
    return integerField(numberDomain(0, nines(widthOf(type))), backwardDigits(widthOf(type)));
  return textField(type);
}

function textTimestamp(type: SegmentType, descending: boolean): Field {
  const unit = type.unit ?? 'ms';
  if (type.floor === 'hour' || type.floor === 'day')
    return integerField(
      calendarDomain(type.floor),
      unsignedDigits(type.floor === 'hour' ? 10 : 8, descending),
    );
  if (type.floor !== undefined)
    return integerField(
      flooredDomain(type.floor, unit === 'ns' ? 'us' : unit),
      signedDigits(unitWidth[unit], descending),
    );
  return integerField(epochDomain(unit), dateLayout(unit, descending, type.reverseFrom ?? 'nines'));
}

function orderedForm(type: SegmentType): Field {
  const descending = type.order === 'desc';
  const domain = orderedIntegers(type);
  if (domain !== undefined) return integerField(domain, orderedInt64(descending));
  if (type.kind === 'float') return orderedFloatField(descending);
  if (type.kind === 'bigint') return bigIntegerField(descending);
  const field =
    type.kind === 'uuid'
      ? uuidBytesField
      : type.kind === 'ulid'
        ? ulidBytesField
        : type.kind === 'bytes'
          ? bytesField(type.maxLength)
          : textual(type);
  const named: Field = type.kind === 'reversedId' ? { ...field, sqlType: 'STRING' } : field;
  return descending ? descendingBytes(named) : named;
}

/**
 * Widths up to 19 digits are INT64 in the ordered format; a longer bigint keeps its own rule, which
 * sorts at any size.
 */
function orderedIntegers(type: SegmentType): IntegerDomain | undefined {
  if (type.kind === 'bigint' && (type.width ?? 99) > 19) return undefined;
  switch (type.kind) {
    case 'micros':
      return microsDomain;
    case 'isoDate':
      return isoMicros(type.precision ?? 'ms');
    case 'timestamp': {
      const { floor } = type;
      return floor === undefined
        ? microsecondDates()
        : flooredDomain(floor === 'hour' ? dayMs / 24 : floor === 'day' ? dayMs : floor, 'us');
    }
    default:
      return plainIntegers(type);
  }
}

function isoMicros(precision: 'ms' | 'day'): IntegerDomain {
  const domain = precision === 'day' ? flooredDomain(dayMs, 'us') : microsecondDates();
  return { ...domain, min: -62_167_219_200_000_000n, max: 253_402_300_799_999_000n };
}
