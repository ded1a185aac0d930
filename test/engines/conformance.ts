/**
 * The conformance cases of src/tools/conformance as Jest tests, for any implementation of Engine.
 * docs/fidelity.md describes the cases (A1, B3...).
 */
import type { Engine } from '../../src/data/store/index.js';
import {
  CaseContext,
  caseFamilies,
  caseGroups,
  type ConformanceCase,
  historyGroup,
} from '../../src/tools/conformance/index.js';

export { read, rejects, set, shown, utf8 } from '../../src/tools/conformance/index.js';

/** An open engine under test; `clock` is what it was opened with. */
export interface EngineUnderTest {
  readonly engine: Engine;
  /** Closes and opens the same database again, where it outlives its process. */
  readonly reopen?: () => Promise<Engine>;
  readonly close: () => Promise<void>;
}

/** All cases, with a short random history. */
export const conformanceCases: readonly ConformanceCase[] = [
  ...caseGroups,
  historyGroup({ seed: 1, operations: 150 }),
].flatMap(({ cases }) => cases);

/**
 * The tests that a foreign storage is known to fail, and why: by title, or by its part before the
 * colon. They are run and must fail, so that the list is kept up to date, except tests that fail by
 * chance.
 */
export type Deviations = Readonly<Record<string, string | { readonly byChance: string }>>;

/**
 * Defines the tests. `open` opens an engine on an empty database with the given clock and otherwise
 * default options. Tests in `deviations` are run and expected to fail.
 */
export function describeEngine(
  name: string,
  open: (clock: () => number) => Promise<EngineUnderTest>,
  deviations: Deviations = {},
): void {
  const usedDeviations = new Set<string>();
  describe(`${name}: engine conformance`, () => {
    afterAll(() => expect([...usedDeviations].sort()).toEqual(Object.keys(deviations).sort()));

    for (const each of conformanceCases) {
      const { title } = each;
      const deviation = [title, title.split(':')[0]].find((key) => key in deviations);
      if (deviation === undefined) {
        test(title, () => runCase(each, open));
        continue;
      }
      usedDeviations.add(deviation);
      const how = deviations[deviation];
      test(`${title} (known to break: ${typeof how === 'string' ? how : how.byChance})`, async () => {
        const holds = await runCase(each, open).then(
          () => true,
          () => false,
        );
        if (typeof how === 'string')
          expect({ promise: title, holds }).toEqual({ promise: title, holds: false });
      });
    }
  });
}

/** Runs a case on a new database with the clock of the case. */
async function runCase(
  each: ConformanceCase,
  open: (clock: () => number) => Promise<EngineUnderTest>,
): Promise<void> {
  let now = 1_700_000_000_000;
  const { engine, reopen, close } = await open(() => now);
  try {
    await engine.createTable({ name: 't', families: caseFamilies });
    const clock = { now: () => now, advance: (ms: number) => void (now += ms) };
    await each.run(new CaseContext({ engine, clock, reopen }));
  } finally {
    await close();
  }
}
