/**
 * Tests of one segment of a row key. Values are encoded as a key of that segment alone, so that
 * values compare as in prefixes and bounds.
 */
import { type KeyRange, rangeContains, type FaultTexts, latin1Text } from '../../../base/index.js';
import { CodecError } from '../../../data/cell/index.js';
import { buildKeyCodec, type KeyCodec, type SegmentBound } from '../../../data/key/index.js';
import type { EntityModel } from '../../model/index.js';
import type { Check, OrderOperator } from './condition.js';
import { isAbsent, type ValueMatcher } from './matcher.js';
import type { SegmentTest } from './test-subject.js';

const tests = new WeakMap<EntityModel, Map<string, SegmentTest>>();

/** The test of a segment of the model. */
export function segmentTest(model: EntityModel, name: string): SegmentTest {
  const known = tests.get(model) ?? new Map<string, SegmentTest>();
  tests.set(model, known);
  let test = known.get(name);
  if (test === undefined) known.set(name, (test = createTest(model, name)));
  return test;
}

/** Before the segment, so that no key is empty. */
const start = 'k';

function createTest(model: EntityModel, name: string): SegmentTest {
  const { format, parts } = model.key.spec;
  const part = parts.find((each) => each.kind === 'segment' && each.name === name)!;
  const built = buildKeyCodec(
    { format, parts: [{ kind: 'literal', text: start }, part] },
    model.name,
  );
  // The whole key had no fault, so neither has a part of it.
  if ('faults' in built) throw new Error(built.faults[0].problem);
  const key = built.codec;
  const decode = key.decoder();
  const encode = (value: unknown): Uint8Array => key.encode({ [name]: value });
  return {
    allows: { equality: true, order: true, text: 'string' },
    operand(value) {
      if (typeof value === 'number' && Number.isNaN(value)) throw new CodecError(faults.notANumber);
      const bytes = encode(value);
      const decoded: Record<string, unknown> = {};
      decode(bytes, 0, bytes.length, decoded);
      return decoded[name];
    },
    check(check) {
      for (const bound of boundsOf(name, check)) key.checkBound(bound);
    },
    compile: (checks) => compileChecks(key, name, encode, checks),
    keyBytes(value) {
      if (format !== 'text') return undefined;
      return encode(value).subarray(start.length + 1);
    },
  };
}

function compileChecks(
  key: KeyCodec,
  name: string,
  encode: (value: unknown) => Uint8Array,
  checks: readonly Check[],
): ValueMatcher {
  const tested = checks.map((check) => compileCheck(key, name, encode, check));
  return (value) => {
    const bytes = isAbsent(value) ? undefined : encode(value);
    return tested.every((matches) => matches(bytes));
  };
}

/** Tests the bytes of a value; undefined for null. */
type BytesTest = (bytes: Uint8Array | undefined) => boolean;

function compileCheck(
  key: KeyCodec,
  name: string,
  encode: (value: unknown) => Uint8Array,
  check: Check,
): BytesTest {
  switch (check.kind) {
    case 'absent':
      return (bytes) => bytes === undefined;
    case 'oneOf': {
      const set = new Set(check.values.map((value) => latin1Text(encode(value))));
      return (bytes) => (bytes === undefined ? check.orAbsent : set.has(latin1Text(bytes)));
    }
    case 'noneOf': {
      const set = new Set(check.values.map((value) => latin1Text(encode(value))));
      return (bytes) => bytes !== undefined && !set.has(latin1Text(bytes));
    }
    case 'order':
      return inRanges(rangesOf(key, boundsOf(name, check)), isStrict(check.operator));
    case 'startsWith':
      return inRanges(rangesOf(key, boundsOf(name, check)), check.negated);
    default:
      return (bytes) => bytes !== undefined;
  }
}

function rangesOf(key: KeyCodec, bounds: readonly SegmentBound[]): readonly KeyRange[] {
  return bounds.flatMap((bound) => key.ranges({ fixed: {}, bound }).perShard.flat());
}

function inRanges(ranges: readonly KeyRange[], negated: boolean): BytesTest {
  return (bytes) =>
    bytes !== undefined && ranges.some((range) => rangeContains(range, bytes)) !== negated;
}

/**
 * The check as a bound; none for checks of equality and presence. `above` has the bound of
 * `atMost`, and `below` the bound of `atLeast`: they pass what is outside. An exclusive bound would
 * not do, since one on a floored time covers every bucket with a time beyond it.
 */
function boundsOf(segment: string, check: Check): SegmentBound[] {
  if (check.kind === 'startsWith')
    return [{ kind: 'startsWith', segment, text: check.value as string }];
  if (check.kind !== 'order') return [];
  const { operator, value } = check;
  const end = { value, inclusive: true };
  if (operator === 'atLeast' || operator === 'below')
    return [{ kind: 'between', segment, from: end }];
  return [{ kind: 'between', segment, to: end }];
}

/** Whether the operator rejects equal values. */
function isStrict(operator: OrderOperator): boolean {
  return operator === 'above' || operator === 'below';
}

const faults = {
  notANumber: { problem: 'a segment cannot have the value NaN', fix: 'give a number' },
} satisfies FaultTexts;
