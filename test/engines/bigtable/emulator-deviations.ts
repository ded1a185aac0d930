/**
 * The guarantees of the conformance suite that Google's emulator does not fulfil; docs/fidelity.md
 * has the source for each.
 */
import type { Deviations } from '../conformance.js';

/** By the part of the test's title before the colon. */
export const emulatorDeviations: Deviations = {
  'A2, A3':
    'a rejected entry keeps the cells before the error; deleting an unknown family succeeds',
  'A4, A5': 'a rejected entry keeps the cells before the error',
  A8: 'its clock cannot be set',
  'B1, B3, B4': 'an invalid range in a missing row is accepted',
  C: 'a rejected read-modify-write keeps the cells before the error',
  D: 'a rejected branch keeps the cells before the error',
  E7: 'split keys are not sampled',
  F: { byChance: 'families are counted in order of creation, or at random' },
  'G, I': 'a range finer than a millisecond is accepted',
  J: 'garbage collection cannot be triggered',
  K: 'minimum and maximum aggregates are not supported',
  'L2, L3': 'any name is accepted',
};
