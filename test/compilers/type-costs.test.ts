/**
 * What the types cost the compiler (bench/types.mjs). Instantiations depend on nothing but the
 * types and the compiler: more of them than recorded, by over 5 %, are a change to look at.
 */
import { run, root } from '../support/built-package.js';

interface Result {
  readonly program: 'declarations' | 'calls' | 'moreCalls';
  readonly compiler: string;
  readonly instantiations: number;
}

/** Of 20 entities: declared, with 13 calls of each, and with 20 further ones. */
const recorded = { declarations: 15_372, calls: 45_283, moreCalls: 114_401 };

test('the types cost no more than recorded', () => {
  const { output } = run(root, process.execPath, ['bench/types.mjs']);
  const results = JSON.parse(output) as readonly Result[];
  expect(results).toHaveLength(6);
  for (const { program, instantiations } of results) {
    expect(instantiations).toBeLessThanOrEqual(recorded[program] * 1.05);
    // Far fewer: the program did not compile as intended.
    expect(instantiations).toBeGreaterThan(recorded[program] / 2);
  }
});

test('a missed target is exit code 2', () => {
  const { status } = run(root, process.execPath, [
    'bench/types.mjs',
    '--entities',
    '2',
    '--max',
    '1',
  ]);
  expect(status).toBe(2);
});
