/**
 * The cases of FIDELITY.md through the live engine: over our server, and over Google's emulator
 * where it does not say otherwise.
 */
import { isDeepStrictEqual } from 'node:util';
import { describeFidelity, fidelityCases } from '../../fidelity/fidelity.js';
import { runStep, type FidelityCase, type Step } from '../../fidelity/step.js';
import { findEmulator } from '../../support/emulator.js';
import { openOverEmulator, openOverOurServer } from './live-backends.js';

describeFidelity('the live engine', async (options) => {
  const { engine, behind, close } = await openOverOurServer(options);
  // Collecting is the storage's own affair; here the test may ask for it.
  engine.compact = (table) => behind.compact(table);
  return { engine, close };
});

/** Cases that need our clock, or garbage collection on demand. */
function needsOurs({ id, steps }: FidelityCase): boolean {
  return (
    id.startsWith('J') ||
    JSON.stringify(steps, (_key, value: unknown) =>
      typeof value === 'bigint' ? `${value}` : value,
    ).includes('@1700000000')
  );
}

/** Some cases end the emulator's process: waiting for another is vain. */
const short = { totalTimeoutMs: 3_000, attemptTimeoutMs: 3_000 };

const emulator = findEmulator();
(emulator === undefined ? describe.skip : describe)(
  "FIDELITY.md on the live engine over Google's emulator",
  () => {
    test.each(
      fidelityCases.filter((one) => !needsOurs(one)).map((one) => [one.id, one.what, one] as const),
    )('%s: %s', async (_id, _what, one) => {
      const { families = { a: {}, b: {} }, granularity, steps } = one;
      const { engine, close } = await openOverEmulator(
        emulator!,
        one.emulator === undefined ? {} : short,
      );
      try {
        const create: Step = {
          op: 'createTable',
          schema: { name: 't', families: new Map(Object.entries(families)), granularity },
        };
        for (const [at, [step, answer]] of [[create, undefined] as const, ...steps].entries()) {
          const got = await runStep(engine, step, () => undefined);
          if (isDeepStrictEqual(got, answer)) continue;
          // The case says how the emulator differs, and what follows stands on another state.
          if (one.emulator === undefined) expect({ at, answer: got }).toEqual({ at, answer });
          return;
        }
      } finally {
        await close();
      }
    });
  },
);
