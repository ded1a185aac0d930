/** The conformance suite on the live engine, over our own server and over Google's emulator. */
import { describeEngine } from '../conformance.js';
import { emulatorDeviations } from './emulator-deviations.js';
import { findEmulator } from '../../support/emulator.js';
import { openOverEmulator, openOverOurServer } from './live-backends.js';

describeEngine('the live engine over our server', (clock) => openOverOurServer({ clock }));

const emulator = findEmulator();
if (emulator !== undefined)
  describeEngine(
    "the live engine over Google's emulator",
    () => openOverEmulator(emulator),
    emulatorDeviations,
  );
