/**
 * The promises of the kit that Google's emulator breaks; docs/fidelity.md has each with what says
 * that it is wrong.
 */
import type { Deviations } from '../conformance.js';

/** By the part of a test's title before the colon. */
export const emulatorDeviations: Deviations = {
  'A2, A3':
    'a refused entry leaves the cells before the fault; deleting an unknown family is no error',
  'A4, A5': 'a refused entry leaves the cells before the fault',
  A8: 'its clock cannot be set',
  'B1, B3, B4': 'a bad range of a missing row is no error',
  C: 'a refused read-modify-write leaves the cells before the fault',
  D: 'a refused branch leaves the cells before the fault',
  F: { byChance: 'families are counted in the order of creation, or by chance' },
  'G, I': 'a range finer than a millisecond is accepted',
  J: 'rules never run when asked',
  K: 'minima and maxima are not kept',
  'L2, L3': 'any name is accepted',
};
