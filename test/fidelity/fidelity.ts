/** The cases of docs/data-model.md, and how to run them on an engine. */
import type { Engine } from '../../src/data/store/index.js';
import { readCases } from './read-cases.js';
import { runStep, type FidelityCase, type Step, type StepResult } from './step.js';
import { writeCases } from './write-cases.js';

/** All cases, by section of docs/data-model.md. */
export const fidelityCases: readonly FidelityCase[] = [...writeCases, ...readCases].sort((a, b) =>
  a.id.slice(0, 1).localeCompare(b.id.slice(0, 1), 'en'),
);

/** Opens an empty database with a clock and a mode of garbage collection. */
export type OpenForCase = (options: {
  clock: () => number;
  gc: 'onRead' | 'lazy' | 'manual';
}) => Promise<{ readonly engine: Engine; readonly close: () => Promise<void> }>;

/** The initial time of a case in milliseconds. */
export const caseStart = 1_700_000_000_000;

/** Runs the steps of a case. `expected` converts an expected result to the form of `run`. */
export interface CaseRunner {
  readonly run: (step: Step) => Promise<unknown>;
  readonly expected: (result: StepResult, step: Step) => unknown;
  readonly close: () => Promise<void>;
}

/** Creates the table of a case, runs its steps, and checks each result. */
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
    for (const [at, [step, result]] of [
      [{ op: 'createTable', schema }, undefined] as const,
      ...one.steps,
    ].entries()) {
      expect({ at, result: await run(step) }).toEqual({ at, result: expected(result, step) });
    }
  } finally {
    await close();
  }
}

/** Runs a case on an engine, with a clock that only the case advances. */
export async function runOnEngine(open: OpenForCase, one: FidelityCase): Promise<void> {
  let now = caseStart;
  const { engine, close } = await open({ clock: () => now, gc: one.gc ?? 'onRead' });
  await runCase(one, {
    run: (step) => runStep(engine, step, (ms) => void (now += ms)),
    expected: (result) => result,
    close,
  });
}

/** Describes the cases that an engine supports, each as a test. */
export function describeFidelity(
  name: string,
  open: OpenForCase,
  isSupported: (one: FidelityCase) => boolean = () => true,
): void {
  describe(`docs/data-model.md on ${name}`, () => {
    test.each(fidelityCases.filter(isSupported).map((one) => [one.id, one.title, one] as const))(
      '%s: %s',
      (_id, _what, one) => runOnEngine(open, one),
    );
  });
}
