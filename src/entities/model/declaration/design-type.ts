/**
 * The `design:type` that compilers emit for a decorated property: it implies the kind if none is
 * declared, and is compared with the declared one.
 */
import type { FaultTexts } from '../../../base/index.js';
import type { FieldKind, ScalarKind } from '../../../data/cell/index.js';
import type { SegmentKind } from '../../../data/key/index.js';
import type { DesignType } from './declaration.js';

export interface DesignFinding {
  /** What is wrong. */
  readonly problem: string;
  /** What to write instead. */
  readonly fix: string;
}

/** The types that compilers may emit for a segment of each kind; an empty list allows any. */
export const segmentDesignTypes: Readonly<Record<SegmentKind, readonly unknown[]>> = {
  string: [String],
  decimal: [String],
  enum: [String],
  uuid: [String],
  ulid: [String],
  domain: [String],
  int: [Number],
  uint: [Number],
  float: [Number],
  reversedId: [Number],
  bigint: [BigInt],
  micros: [BigInt],
  bool: [Boolean],
  timestamp: [Date],
  isoDate: [Date],
  bytes: [Uint8Array, Buffer],
};

/** The same for columns. */
export const scalarDesignTypes: Readonly<Record<ScalarKind, readonly unknown[]>> = {
  string: [String],
  date: [String],
  int32: [Number],
  uint32: [Number],
  double: [Number],
  float: [Number],
  int64: [BigInt],
  bool: [Boolean],
  timestamp: [Date],
  bytes: [Uint8Array, Buffer],
  json: [],
};

/** The same for fields of messages. */
export const fieldDesignTypes: Readonly<Record<FieldKind, readonly unknown[]>> = {
  double: [Number],
  float: [Number],
  int32: [Number],
  uint32: [Number],
  sint32: [Number],
  fixed32: [Number],
  sfixed32: [Number],
  int64: [BigInt],
  uint64: [BigInt],
  sint64: [BigInt],
  fixed64: [BigInt],
  sfixed64: [BigInt],
  bool: [Boolean],
  string: [String],
  bytes: [Uint8Array, Buffer],
  timestamp: [Date],
};

/** Undefined for `Object`: compilers emit it for types without a class (unions, interfaces). */
function emittedClass(designType: DesignType): { readonly name: string } | undefined {
  const emitted = designType();
  if (typeof emitted !== 'function' || emitted === Object) return undefined;
  return emitted;
}

/**
 * A finding if the emitted type of the property is not one of `allowed`; undefined if it is, or if
 * nothing useful was emitted.
 */
export function contradiction(
  designType: DesignType,
  allowed: readonly unknown[],
  declared: string,
): DesignFinding | undefined {
  const emitted = emittedClass(designType);
  if (emitted === undefined || allowed.length === 0 || allowed.includes(emitted)) return undefined;
  // The property may also be typed with a base class of the message class.
  if (
    allowed.some(
      (each) =>
        typeof each === 'function' && each.prototype instanceof (emitted as new () => object),
    )
  )
    return undefined;
  const expected = (allowed[0] as { name: string }).name;
  return faults.typeMismatch(declared, emitted.name, expected);
}

/**
 * The kind that the emitted type of the property implies, or why it implies none. `example` returns
 * the decorator with a kind; `numberKind` is the kind it suggests for numbers.
 */
export function inferKind<K extends string>(
  designType: DesignType,
  kinds: ReadonlyMap<unknown, K>,
  example: (kind: string) => string,
  numberKind: string,
): K | DesignFinding {
  const emitted = designType();
  const kind = kinds.get(emitted);
  if (kind !== undefined) return kind;
  if (emitted === Number) return faults.ambiguousNumber(example(numberKind));
  if (emitted === undefined) {
    return faults.missingKind(example('string'));
  }
  let name: string = typeof emitted;
  if (typeof emitted === 'function') name = emitted.name;
  return faults.ambiguousType(name, example('string'));
}

/** The kinds that emitted types imply, for columns and fields. */
export const impliedScalars: ReadonlyMap<unknown, ScalarKind & FieldKind> = new Map<
  unknown,
  ScalarKind & FieldKind
>([
  [String, 'string'],
  [BigInt, 'int64'],
  [Date, 'timestamp'],
  [Boolean, 'bool'],
  [Uint8Array, 'bytes'],
  [Buffer, 'bytes'],
]);
/** The same for segments, with `bigint` as the kind of unbounded integers. */
export const impliedSegments: ReadonlyMap<unknown, SegmentKind> = new Map<unknown, SegmentKind>([
  ...impliedScalars,
  [BigInt, 'bigint'],
] as [unknown, SegmentKind][]);

const faults = {
  typeMismatch: (declared: string, name: string, expected: string) => ({
    problem: `it is declared as ${declared}, but its type is ${name} according to the compiler`,
    fix: `give the property a type that ${declared} holds (${expected}), or name another kind`,
  }),
  ambiguousNumber: (example: string) => ({
    problem: 'a number can be stored in several ways, and no kind is named',
    fix: `name the kind: ${example}`,
  }),
  missingKind: (example: string) => ({
    problem: 'no kind is named, and the compiler emitted no type',
    fix:
      `name the kind: ${example}; or compile with experimentalDecorators and ` +
      'emitDecoratorMetadata in a compiler that emits types (tsc, ts-node, ts-jest, swc with ' +
      'decoratorMetadata; not tsx, esbuild or standard decorators)',
  }),
  ambiguousType: (name: string, example: string) => ({
    problem: `no kind is named, and the emitted type ${name} does not determine one`,
    fix: `name the kind: ${example}`,
  }),
} satisfies FaultTexts;
