/** What kind of column wrote these values. */
import { scalarCodec, type ScalarKind } from '../../../cell/index.js';
import { guessMessage, isPlausibleReal, isText, type MessageGuess } from './message-guess.js';
import { isPlausibleMoment } from './moment.js';

/** A probable column: a scalar or a message. */
export type ValueGuess = { readonly note?: string } & (
  | { readonly kind: 'scalar'; readonly scalar: ScalarKind }
  | { readonly kind: 'message'; readonly message: MessageGuess }
);

/** An int64 beyond this is more probably the bytes of something else. */
const plausibleInteger = 2n ** 48n;

type Test = (value: never) => boolean;
/** In the order in which they are believed; each reads only what it would have written. */
const scalars: readonly (readonly [kind: ScalarKind, means: Test, note?: string])[] = [
  ['bool', () => true],
  ['date', () => true],
  ['json', (value: unknown) => typeof value === 'object' && value !== null],
  ['timestamp', (value: Date) => isPlausibleMoment(value), 'microseconds since 1970'],
  ['int64', (value: bigint) => value > -plausibleInteger && value < plausibleInteger],
  ['double', (value: number) => isPlausibleReal(value)],
  ['float', (value: number) => isPlausibleReal(value)],
];

/** The most probable kind. Empty values say nothing, unless all are empty. */
export function guessValue(values: readonly Uint8Array[]): ValueGuess {
  const filled = values.filter((value) => value.length > 0);
  if (filled.length === 0)
    return { kind: 'scalar', scalar: 'string', note: 'always empty in the sample' };
  const empty = filled.length < values.length;
  const text = filled.every(isText);
  for (const [scalar, means, note] of empty ? [] : scalars) {
    // Four digits as text are the bytes of a float, too: text is believed first.
    if (text && (scalar === 'double' || scalar === 'float')) continue;
    if (readsAll(scalar, filled, means))
      return { kind: 'scalar', scalar, ...(note === undefined ? {} : { note }) };
  }
  if (text) return { kind: 'scalar', scalar: 'string' };
  const message = guessMessage(filled);
  if (message !== undefined)
    return {
      kind: 'message',
      message,
      note: 'bytes that are made as protobuf is; the names are yours to give',
    };
  return { kind: 'scalar', scalar: 'bytes' };
}

function readsAll(scalar: ScalarKind, values: readonly Uint8Array[], means: Test): boolean {
  const codec = scalarCodec(scalar);
  try {
    return values.every((value) => means(codec.decode(value, 0, value.length) as never));
  } catch {
    return false;
  }
}
