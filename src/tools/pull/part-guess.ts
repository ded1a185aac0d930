/** A guess of one part of a key. */
import type { SegmentGuess } from './segment-guess.js';

/** One part of a probable key. */
export type PartGuess =
  | { readonly kind: 'literal'; readonly text: string }
  | ({ readonly kind: 'segment'; readonly name: string } & SegmentGuess);
