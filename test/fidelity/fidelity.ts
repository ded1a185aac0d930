/** Runs the cases of FIDELITY.md on an engine; each is a test of its own. */
/* eslint max-len: off -- a case is a line */
import type { Engine } from '../../src/store/index.js';
import { readCases } from './read-cases.js';
import { runStep, type Answer, type FidelityCase, type Step } from './step.js';
import { writeCases } from './write-cases.js';

/** Every case, in the order of FIDELITY.md. */
export const fidelityCases: readonly FidelityCase[] = [...writeCases, ...readCases].sort((a, b) =>
  a.id[0] < b.id[0] ? -1 : a.id[0] > b.id[0] ? 1 : 0,
);

/**
 * An empty database with the clock and the mode of a case; the clock starts at a whole millisecond.
 */
export type OpenForCase = (options: {
  clock: () => number;
  gc: 'onRead' | 'lazy' | 'manual';
}) => Promise<{ readonly engine: Engine; readonly close: () => Promise<void> }>;

/** The clock of a case, before any `wait`. */
export const caseStart = 1_700_000_000_000;

/** What runs a case: the steps of `t` and what each answers, in the form of `expected`. */
export interface CaseRunner {
  readonly run: (step: Step) => Promise<unknown>;
  readonly expected: (answer: Answer, step: Step) => unknown;
  readonly close: () => Promise<void>;
}

/** Runs a case from creating its table to its last answer. */
export async function runCase(
  one: FidelityCase,
  { run, expected, close }: CaseRunner,
): Promise<void> {
  const schema = {
    name: 't',
    families: new Map(Object.entries(one.families ?? { a: {}, b: {} })),
    granularity: one.granularity,
  };
  try {
    for (const [at, [step, answer]] of [
      [{ op: 'createTable', schema }, undefined] as const,
      ...one.steps,
    ].entries()) {
      expect({ at, answer: await run(step) }).toEqual({ at, answer: expected(answer, step) });
    }
  } finally {
    await close();
  }
}

/** Describes the cases; a back end that cannot run one leaves it out with `can`. */
export function describeFidelity(
  name: string,
  open: OpenForCase,
  can: (one: FidelityCase) => boolean = () => true,
): void {
  describe(`FIDELITY.md on ${name}`, () => {
    test.each(fidelityCases.filter(can).map((one) => [one.id, one.what, one] as const))(
      '%s: %s',
      async (_id, _what, one) => {
        let now = caseStart;
        const { engine, close } = await open({ clock: () => now, gc: one.gc ?? 'onRead' });
        await runCase(one, {
          run: (step) => runStep(engine, step, (ms) => void (now += ms)),
          expected: (answer) => answer,
          close,
        });
      },
    );
  });
}
