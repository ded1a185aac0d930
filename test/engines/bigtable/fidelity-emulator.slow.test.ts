/** The fidelity cases (docs/fidelity.md) on the live engine over Google's emulator. */
import { isDeepStrictEqual } from 'node:util';
import { fidelityCases } from '../../fidelity/fidelity.js';
import { runStep, type FidelityCase, type Step } from '../../fidelity/step.js';
import { findEmulator } from '../../support/emulator.js';
import { openOverEmulator } from './live-backends.js';

/** Cases that need a clock that can be set, or garbage collection on demand. */
function needsOurServer({ id, steps }: FidelityCase): boolean {
  return (
    id.startsWith('J') ||
    JSON.stringify(steps, (_key, value: unknown) =>
      typeof value === 'bigint' ? `${value}` : value,
    ).includes('@1700000000')
  );
}

/** Some cases crash the emulator: there retries are pointless. */
const shortTimeouts = { totalTimeoutMs: 3_000, attemptTimeoutMs: 3_000 };

const emulator = findEmulator();
(emulator === undefined ? describe.skip : describe)(
  "fidelity cases on the live engine over Google's emulator",
  () => {
    test.each(
      fidelityCases
        .filter((one) => !needsOurServer(one))
        .map((one) => [one.id, one.title, one] as const),
    )('%s: %s', async (_id, _what, one) => {
      const { families = { a: {}, b: {} }, granularity, steps } = one;
      const { engine, close } = await openOverEmulator(
        emulator!,
        one.emulatorDifference === undefined ? {} : shortTimeouts,
      );
      try {
        const create: Step = {
          op: 'createTable',
          schema: { name: 't', families: new Map(Object.entries(families)), granularity },
        };
        for (const [at, [step, expected]] of [[create, undefined] as const, ...steps].entries()) {
          const actual = await runStep(engine, step, () => undefined);
          if (isDeepStrictEqual(actual, expected)) continue;
          // A known deviation of the emulator: the state differs for the following steps.
          if (one.emulatorDifference === undefined)
            expect({ at, actual }).toEqual({ at, actual: expected });
          return;
        }
      } finally {
        await close();
      }
    });
  },
);
