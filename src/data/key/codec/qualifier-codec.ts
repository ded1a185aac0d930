/**
 * Qualifiers of column maps: values as bytes that sort like them, written as the only segment of a
 * key in the text format is before escaping. FORMAT.md specifies the bytes.
 */
import {
  compareBytes,
  copyBytes,
  maxQualifierBytes,
  nextPrefix,
  utf8Bytes,
  valueText,
  type FaultText,
  type FaultTexts,
} from '../../../base/index.js';
import { KeyWriter } from '../encoding/key-writer.js';
import { notAValue, SegmentValueError } from '../encoding/segment-value-error.js';
import type { SegmentField, FieldBound } from '../fields/field.js';
import type { QualifierKind, QualifierType } from '../kinds/qualifier-type.js';
import { segmentField } from '../kinds/segment-field.js';
import { type SegmentFault, segmentFaults } from './segment-faults.js';

/** Which qualifiers, in the order of values even if they are declared descending. */
export interface QualifierCondition {
  /** The smallest value, inclusive. */
  readonly from?: unknown;
  /** The end of the values, exclusive. */
  readonly to?: unknown;
  /** Text qualifiers: only those starting with this text. Not together with `from` and `to`. */
  readonly startsWith?: string;
}

/** A range of qualifiers as bytes; an absent end is unlimited. */
export interface QualifierRange {
  readonly start?: { readonly qualifier: Uint8Array; readonly inclusive: boolean };
  readonly end?: { readonly qualifier: Uint8Array; readonly inclusive: boolean };
}

/** Returns the value of the bytes `[start, end)`; undefined if it never writes these bytes. */
export type QualifierReader = (bytes: Uint8Array, start: number, end: number) => unknown;

/** The compiled qualifiers of one column map. */
export interface QualifierCodec {
  readonly type: QualifierType;
  /** The greatest value sorts first. */
  readonly descending: boolean;
  /** A short human-readable description of the encoding. */
  readonly encoding: string;
  /** Throws QualifierError for a value that is not of the kind, or out of its range. */
  encode(value: unknown): Uint8Array;
  /** Creates a reader, which may own small buffers. */
  reader(): QualifierReader;
  /** The range of the condition; undefined if it is empty. Throws QualifierError. */
  range(condition: QualifierCondition): QualifierRange | undefined;
}

/** A value that cannot be a qualifier: what is wrong with it, and how to fix it. */
export class QualifierError extends Error {
  readonly fix: string;

  constructor({ problem, fix }: FaultText) {
    super(problem);
    this.name = 'QualifierError';
    this.fix = fix;
  }
}

const optionsOf: Readonly<Record<QualifierKind, readonly (keyof QualifierType)[]>> = {
  string: [],
  int: ['order', 'width', 'max'],
  uint: ['order', 'width', 'max'],
  bigint: ['order', 'width'],
  timestamp: ['order', 'unit'],
  enum: ['order', 'values', 'by'],
};

const valueFixes: Readonly<Record<QualifierKind, string>> = {
  string: 'pass well-formed text',
  int: 'pass a whole number inside the range of the declaration',
  uint: 'pass a whole number inside the range of the declaration, zero or more',
  bigint: 'pass a bigint, such as 42n, inside the range of the declaration',
  timestamp: 'pass a valid Date since 1970 that is a whole number of the declared unit',
  enum: 'pass a declared member',
};

/** Compiles the qualifiers of a column map, or returns everything wrong with their declaration. */
export function buildQualifierCodec(
  type: QualifierType,
): { codec: QualifierCodec } | { faults: readonly SegmentFault[] } {
  const faults = qualifierFaults(type);
  if (faults.length > 0) return { faults };
  const frozen = Object.freeze({ ...type });
  if (type.kind === 'string') return { codec: textQualifiers(frozen) };
  return { codec: compile(frozen, segmentField(type, 'text')) };
}

function qualifierFaults(type: QualifierType): readonly SegmentFault[] {
  const kind: unknown = type.kind;
  if (typeof kind !== 'string' || !Object.hasOwn(optionsOf, kind))
    return [faults.unknownKind(typeof kind === 'string' ? `'${kind}'` : valueText(kind))];
  const allowed: readonly string[] = ['kind', ...optionsOf[type.kind]];
  const unknown = Object.entries(type)
    .filter(([name, value]) => value !== undefined && !allowed.includes(name))
    .map(([name]) => faults.unknownOption(type.kind, name, allowed.slice(1)));
  if (unknown.length > 0) return unknown;
  if (type.kind === 'enum' && type.order === 'desc' && type.by !== 'ordinal')
    return [faults.descendingEnumNames];
  return segmentFaults('', type, 'text').map(({ problem, fix }) => ({
    problem: problem.replaceAll('segment', 'qualifier'),
    fix: fix.replaceAll('segment', 'qualifier'),
  }));
}

function optionsFix(allowed: readonly string[]): string {
  if (allowed.length === 0) return 'remove it; they have no options';
  return `remove it; their options are ${allowed.join(', ')}`;
}

function compile(type: QualifierType, field: SegmentField): QualifierCodec {
  const out = new KeyWriter();
  const rejected = (error: unknown): unknown => {
    if (!(error instanceof SegmentValueError)) return error;
    return new QualifierError({ problem: error.message, fix: valueFixes[type.kind] });
  };
  const encode = (value: unknown): Uint8Array => {
    out.at = 0;
    try {
      field.write(out, value);
    } catch (error) {
      throw rejected(error);
    }
    return out.copy();
  };
  const mapBound = (side: 'from' | 'to', bound: FieldBound): FieldBound => {
    if (field.mapBound === undefined) return bound;
    try {
      return field.mapBound(side, bound);
    } catch (error) {
      throw rejected(error);
    }
  };
  const boundOf = (side: 'from' | 'to', value: unknown): QualifierRange['start'] => {
    if (value === undefined) return undefined;
    const bound = mapBound(side, { value, inclusive: side === 'from' });
    return { qualifier: encode(bound.value), inclusive: bound.inclusive };
  };
  return Object.freeze({
    type,
    descending: field.descending,
    encoding: field.encoding,
    encode,
    reader() {
      const read = field.reader();
      return (bytes: Uint8Array, start: number, end: number) => {
        const value = read(bytes, start, end);
        if (value === notAValue) return undefined;
        return value;
      };
    },
    range({ from, to }: QualifierCondition) {
      const low = boundOf('from', from);
      const high = boundOf('to', to);
      if (field.descending) return nonEmpty(high, low);
      return nonEmpty(low, high);
    },
  });
}

/** Text as UTF-8, without the limits of a row key. */
function textQualifiers(type: QualifierType): QualifierCodec {
  return Object.freeze({
    type,
    descending: false,
    encoding: 'UTF-8',
    encode: encodeText,
    reader: () => decodeText,
    range({ from, to, startsWith }: QualifierCondition) {
      if (startsWith === undefined) return nonEmpty(textBound(from, true), textBound(to, false));
      const prefix = encodeText(startsWith);
      if (prefix.length === 0) return {};
      const next = nextPrefix(prefix);
      if (next === undefined) return { start: { qualifier: prefix, inclusive: true } };
      return nonEmpty(
        { qualifier: prefix, inclusive: true },
        { qualifier: next, inclusive: false },
      );
    },
  });
}

function textBound(value: unknown, inclusive: boolean): QualifierRange['start'] {
  if (value === undefined) return undefined;
  return { qualifier: encodeText(value), inclusive };
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function encodeText(value: unknown): Uint8Array {
  if (typeof value !== 'string') throw new QualifierError(faults.notAString(typeof value));
  if (!value.isWellFormed()) throw new QualifierError(faults.loneSurrogate);
  const qualifier = utf8Bytes(value);
  if (qualifier.length > maxQualifierBytes)
    throw new QualifierError(faults.keyTooLong(qualifier.length));
  return qualifier;
}

function decodeText(bytes: Uint8Array, start: number, end: number): string | undefined {
  try {
    return utf8.decode(copyBytes(bytes, start, end));
  } catch {
    return undefined;
  }
}

/** The range between two bounds; undefined if it contains nothing. */
function nonEmpty(
  start: QualifierRange['start'],
  end: QualifierRange['end'],
): QualifierRange | undefined {
  if (start !== undefined && end !== undefined) {
    const order = compareBytes(start.qualifier, end.qualifier);
    if (order > 0 || (order === 0 && !(start.inclusive && end.inclusive))) return undefined;
  }
  if (start === undefined && end === undefined) return {};
  if (start === undefined) return { end };
  if (end === undefined) return { start };
  return { start, end };
}

const faults = {
  unknownKind: (text: string) => ({
    problem: `there is no kind of qualifiers ${text}`,
    fix: `use one of ${Object.keys(optionsOf).join(', ')}`,
  }),
  unknownOption: (kind: string, name: string, part: readonly string[]) => ({
    problem: `qualifiers of kind ${kind} have no option '${name}'`,
    fix: optionsFix(part),
  }),
  descendingEnumNames: {
    problem: 'enum qualifiers by name cannot be descending',
    fix: "add by: 'ordinal', or remove order",
  },
  notAString: (value: string) => ({
    problem: `a key of a column map must be a string, not ${value}`,
    fix: 'convert the key to a string',
  }),
  loneSurrogate: {
    problem: 'the key contains a lone surrogate, which UTF-8 cannot encode',
    fix: 'remove it, for instance with toWellFormed()',
  },
  keyTooLong: (length: number) => ({
    problem: `the key has ${length} bytes, but a qualifier has at most ${maxQualifierBytes}`,
    fix: 'use shorter keys',
  }),
} satisfies FaultTexts;
