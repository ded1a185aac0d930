/** Runs the cases of FIDELITY.md on an engine; each is a test of its own. */
/* eslint max-len: off -- a case is a line */
import type { Engine } from '../../src/store/index.js';
import { readCases } from './read-cases.js';
import { runStep, type FidelityCase } from './step.js';
import { writeCases } from './write-cases.js';

/** Every case, in the order of FIDELITY.md. */
export const fidelityCases: readonly FidelityCase[] = [...writeCases, ...readCases].sort((a, b) => (a.id[0] < b.id[0] ? -1 : a.id[0] > b.id[0] ? 1 : 0));

/** An empty database with the clock and the mode of a case; the clock starts at a whole millisecond. */
export type OpenForCase = (options: { clock: () => number; gc: 'onRead' | 'lazy' | 'manual' }) => Promise<{ readonly engine: Engine; readonly close: () => Promise<void> }>;

/** The clock of a case, before any `wait`. */
export const caseStart = 1_700_000_000_000;

/** Describes the cases; a back end that cannot run one leaves it out with `can`. */
export function describeFidelity(name: string, open: OpenForCase, can: (one: FidelityCase) => boolean = () => true): void {
  describe(`FIDELITY.md on ${name}`, () => {
    test.each(fidelityCases.filter(can).map((one) => [one.id, one.what, one] as const))('%s: %s', async (_id, _what, one) => {
      let now = caseStart;
      const { engine, close } = await open({ clock: () => now, gc: one.gc ?? 'onRead' });
      try {
        await engine.createTable({ name: 't', families: new Map(Object.entries(one.families ?? { a: {}, b: {} })), granularity: one.granularity });
        for (const [at, [step, expected]] of one.steps.entries()) {
          const answer = await runStep(engine, step, (ms) => void (now += ms));
          expect({ at, answer }).toEqual({ at, answer: expected });
        }
      } finally {
        await close();
      }
    });
  });
}
