/**
 * What `design:type` says about a property: the kind where none is named, and whether it agrees
 * with the one that is.
 */
import type { FieldKind, ScalarKind } from '../../cell/index.js';
import type { SegmentKind } from '../../key/index.js';
import type { DesignType } from './declaration.js';

/** What is wrong and what to write instead. */
export interface Finding {
  /** What is wrong, in a sentence. */
  readonly problem: string;
  /** What to write instead, in a sentence. */
  readonly fix: string;
}

/** The classes that the compiler may emit for a property of each kind; an empty list allows any. */
export const segmentDesigns: Readonly<Record<SegmentKind, readonly unknown[]>> = {
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

/** The same for scalar columns. */
export const scalarDesigns: Readonly<Record<ScalarKind, readonly unknown[]>> = {
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
export const fieldDesigns: Readonly<Record<FieldKind, readonly unknown[]>> = {
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

/**
 * `Object` stands for every type the compiler cannot name (unions, interfaces), so it contradicts
 * nothing.
 */
function emittedClass(designType: DesignType): { readonly name: string } | undefined {
  const emitted = designType();
  return typeof emitted === 'function' && emitted !== Object ? emitted : undefined;
}

/**
 * What is wrong when the property's type is none of `allowed`; undefined when nothing is known or
 * all is well.
 */
export function contradiction(
  designType: DesignType,
  allowed: readonly unknown[],
  declared: string,
): Finding | undefined {
  const emitted = emittedClass(designType);
  if (emitted === undefined || allowed.length === 0 || allowed.includes(emitted)) return undefined;
  // A class that the message class extends fits too: the property may be typed with a base.
  if (
    allowed.some(
      (each) =>
        typeof each === 'function' && each.prototype instanceof (emitted as new () => object),
    )
  )
    return undefined;
  const expected = (allowed[0] as { name: string }).name;
  return {
    problem: `it is declared as ${declared}, but the compiler says its type is ${emitted.name}`,
    fix: `give the property a type that ${declared} holds (${expected}), or name another kind`,
  };
}

/**
 * The kind that the property's type implies, or why none does. `example` is the decorator with its
 * kind named.
 */
export function inferKind<K extends string>(
  designType: DesignType,
  kinds: ReadonlyMap<unknown, K>,
  example: (kind: string) => string,
  number: string,
): K | Finding {
  const emitted = designType();
  const kind = kinds.get(emitted);
  if (kind !== undefined) return kind;
  if (emitted === Number)
    return {
      problem: 'a number can be stored in several ways, and none is named',
      fix: `name the kind: ${example(number)}`,
    };
  if (emitted === undefined) {
    return {
      problem: 'no kind is named, and the compiler emitted none',
      fix:
        `name the kind: ${example('string')}; or compile with experimentalDecorators and emitDecoratorMetadata in a compiler that emits types ` +
        '(tsc, ts-node, ts-jest, swc with decoratorMetadata; not tsx, esbuild or standard decorators)',
    };
  }
  const name = typeof emitted === 'function' ? emitted.name : typeof emitted;
  return {
    problem: `no kind is named, and the emitted type ${name} does not say how to store it`,
    fix: `name the kind: ${example('string')}`,
  };
}

/** Kinds that a property's type implies, for columns and fields. */
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
/** The same for segments, whose integer of any size is called bigint. */
export const impliedSegments: ReadonlyMap<unknown, SegmentKind> = new Map<unknown, SegmentKind>([
  ...impliedScalars,
  [BigInt, 'bigint'],
] as [unknown, SegmentKind][]);
