/** The promises of an engine, kept by the live one: over our own server and over Google's emulator. */
import { describeEngine, type Deviations } from '../conformance.js';
import { findEmulator } from '../../support/emulator.js';
import { openOverEmulator, openOverOurServer } from './live-backends.js';

describeEngine('the live engine over our server', (clock) => openOverOurServer({ clock }));

describeEngine('the live engine over our server, through the generated client', (clock) => openOverOurServer({ clock }, { transport: 'generated' }));

/** What the emulator does otherwise; docs/fidelity.md has each with what says that it is wrong. */
const deviations: Deviations = {
  'A2, A3': 'a refused entry leaves the cells before the fault; deleting an unknown family is no error',
  'A4, A5': 'a refused entry leaves the cells before the fault',
  'A8': 'its clock cannot be set',
  'B1, B3, B4': 'a bad range of a missing row is no error',
  'C': 'a refused read-modify-write leaves the cells before the fault',
  'D': 'a refused branch leaves the cells before the fault',
  'F': 'families are counted in the order of creation, or by chance',
  'G, I': 'a range finer than a millisecond is accepted',
  'J': 'rules never run when asked',
  'K': 'minima and maxima are not kept',
  'L2, L3': 'any name is accepted',
};

const emulator = findEmulator();
if (emulator !== undefined) describeEngine("the live engine over Google's emulator", () => openOverEmulator(emulator), deviations);
