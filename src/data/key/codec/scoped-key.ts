/**
 * The key of an entity with its first segments fixed. Whatever builds keys or ranges with it stays
 * within them: the fixed segments come from the scope, never from the caller.
 */
import {
  equalBytes,
  isBytes,
  isDate,
  type KeyRange,
  RowsmithError,
  unionRanges,
  type Values,
  valueText,
  type FaultTexts,
} from '../../../base/index.js';
import type { KeyCodec, KeyCondition, KeyScope } from './key-codec.js';

/**
 * `codec` with the leading segments `fixed`, which is not a whole key. Throws INVALID_QUERY or
 * INVALID_KEY if they are not leading segments, or their values are invalid.
 */
export function scopedKey(codec: KeyCodec, entity: string, fixed: Values): KeyCodec {
  const given = copyValues(fixed);
  const ranges = unionRanges(codec.ranges({ fixed: given }).perShard.flat());
  const names = codec.names.filter((name) => !Object.hasOwn(given, name));
  const scope: KeyScope = {
    names: Object.freeze(codec.names.slice(0, codec.names.length - names.length)),
    values: () => copyValues(given),
    decoder: () => codec.decoder(),
    ranges: Object.freeze(ranges),
    assertInside(values) {
      for (const name of scope.names)
        assertSame(codec, entity, given, name, (values as Values)[name]);
    },
  };
  /** The values of a whole key. Each property of the caller's object is read once. */
  const whole = (values: Values): Values => {
    scope.assertInside(values);
    const result: Record<string, unknown> = { ...given };
    for (const name of names) result[name] = values[name];
    return result;
  };
  const inside = ({ fixed: values, bound }: KeyCondition): KeyCondition => {
    scope.assertInside(values);
    return { fixed: { ...values, ...given }, bound };
  };
  return Object.freeze({
    ...codec,
    names: Object.freeze(names),
    scope,
    encode: (values: Values) => codec.encode(whole(values)),
    decoder: () => scopedDecoder(codec, names),
    decode: (key: Uint8Array) => {
      const segments = codec.decode(key);
      return segments && Object.fromEntries(names.map((name) => [name, segments[name]]));
    },
    ranges: (condition: KeyCondition) => codec.ranges(inside(condition)),
    rangesOfAny: (conditions: readonly KeyCondition[]) => codec.rangesOfAny(conditions.map(inside)),
  });
}

/**
 * Entities have all segments; plain objects, the results of a query, have no segments of the scope.
 */
function scopedDecoder(codec: KeyCodec, names: readonly string[]): ReturnType<KeyCodec['decoder']> {
  const decode = codec.decoder();
  return (bytes, start, end, target) => {
    if (Object.getPrototypeOf(target) !== Object.prototype)
      return decode(bytes, start, end, target);
    const segments: Record<string, unknown> = {};
    if (!decode(bytes, start, end, segments)) return false;
    for (const name of names) target[name] = segments[name];
    return true;
  };
}

/** Throws OUTSIDE_SCOPE if a given value, as the key stores it, differs from the scope. */
function assertSame(
  codec: KeyCodec,
  entity: string,
  fixed: Values,
  name: string,
  value: unknown,
): void {
  if (value === undefined || value === fixed[name]) return;
  const before = codec.names.slice(0, codec.names.indexOf(name));
  const prefix = Object.fromEntries(before.map((each) => [each, fixed[each]]));
  if (
    sameRanges(
      rangesOrNone(codec, { ...prefix, [name]: value }),
      rangesOrNone(codec, { ...prefix, [name]: fixed[name] }),
    )
  )
    return;
  throw new RowsmithError('OUTSIDE_SCOPE', {
    entity,
    property: name,
    ...faults.outsideScope(name, valueText(value)),
  });
}

/** None for a value that is no value of the segment. */
function rangesOrNone(codec: KeyCodec, fixed: Values): readonly KeyRange[] {
  try {
    return codec.ranges({ fixed }).perShard.flat();
  } catch (error) {
    if (error instanceof RowsmithError) return [];
    throw error;
  }
}

function sameRanges(a: readonly KeyRange[], b: readonly KeyRange[]): boolean {
  return a.length === b.length && a.every(({ start }, i) => equalBytes(start, b[i].start));
}

/** Values that later changes of a Date or of bytes do not change. */
function copyValues(values: Values): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => {
      if (isDate(value)) return [name, new Date(value)];
      if (isBytes(value)) return [name, new Uint8Array(value)];
      return [name, value];
    }),
  );
}

const faults = {
  outsideScope: (name: string, given: string) => ({
    problem: `the scope gives '${name}', and the call names another value, ${given}`,
    fix: `leave '${name}' out, or use the repository of the database or of another scope`,
  }),
} satisfies FaultTexts;
