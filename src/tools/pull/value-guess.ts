/** Guesses the type of a column from its values. */
import { scalarCodec, type ScalarKind } from '../../data/cell/index.js';
import { guessMessage, isPlausibleFloat, isText, type MessageGuess } from './message-guess.js';
import { isPlausibleTimestamp } from './plausible-timestamp.js';

/** A probable column: a scalar or a message. */
export type ValueGuess = { readonly note?: string } & (
  | { readonly kind: 'scalar'; readonly scalar: ScalarKind }
  | { readonly kind: 'message'; readonly message: MessageGuess }
);

/** A larger int64 is more probably something else. */
const maxPlausibleInt64 = 2n ** 48n;

type Test = (value: never) => boolean;
/**
 * The scalars with a test whether a decoded value is plausible, the most reliable first. Each
 * codec decodes only bytes that it would have encoded.
 */
const scalars: readonly (readonly [kind: ScalarKind, isPlausible: Test, note?: string])[] = [
  ['bool', () => true],
  ['date', () => true],
  ['json', (value: unknown) => typeof value === 'object' && value !== null],
  ['timestamp', (value: Date) => isPlausibleTimestamp(value), 'microseconds since 1970'],
  ['int64', (value: bigint) => value > -maxPlausibleInt64 && value < maxPlausibleInt64],
  ['double', (value: number) => isPlausibleFloat(value)],
  ['float', (value: number) => isPlausibleFloat(value)],
];

/** The most probable type. Empty values are ignored, unless all are empty. */
export function guessValue(values: readonly Uint8Array[]): ValueGuess {
  const filled = values.filter((value) => value.length > 0);
  if (filled.length === 0)
    return { kind: 'scalar', scalar: 'string', note: 'always empty in the sample' };
  const text = filled.every(isText);
  // Only text, bytes and messages have empty values.
  const candidates = filled.length === values.length ? scalars : [];
  for (const [scalar, isPlausible, note] of candidates) {
    // Text of four or eight characters could be a float or a double as well.
    if (text && (scalar === 'double' || scalar === 'float')) continue;
    if (decodesAll(scalar, filled, isPlausible)) return { kind: 'scalar', scalar, note };
  }
  if (text) return { kind: 'scalar', scalar: 'string' };
  const message = guessMessage(filled);
  if (message === undefined) return { kind: 'scalar', scalar: 'bytes' };
  const note = 'the bytes have the form of a protobuf message; the names are not in the bytes';
  return { kind: 'message', message, note };
}

function decodesAll(scalar: ScalarKind, values: readonly Uint8Array[], isPlausible: Test): boolean {
  const codec = scalarCodec(scalar);
  try {
    return values.every((value) => isPlausible(codec.decode(value, 0, value.length) as never));
  } catch {
    return false;
  }
}
