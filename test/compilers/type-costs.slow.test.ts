/**
 * What the types cost the compiler (bench/types.mjs). Instantiations depend on nothing but the
 * types and the compiler, so a goal that holds once holds on every machine.
 */
import { run, root } from '../support/built-package.js';

interface Result {
  readonly program: 'declarations' | 'calls' | 'moreCalls';
  readonly compiler: string;
  readonly instantiations: number;
}

/** Maximum for 20 entities: declared, with 13 calls of each, and with 20 further ones. */
const goals = { declarations: 13_900, calls: 46_400, moreCalls: 115_000 };

test('the types cost no more than the goals', () => {
  const { output } = run(root, process.execPath, ['bench/types.mjs']);
  const results = JSON.parse(output) as readonly Result[];
  const compilers = new Set(results.map(({ compiler }) => compiler));
  expect([...compilers]).toEqual(['typescript59', 'typescript', 'typescript7']);
  expect(results).toHaveLength(9);
  for (const { program, instantiations } of results) {
    expect(instantiations).toBeLessThanOrEqual(goals[program]);
    // Far fewer: the program did not compile as intended.
    expect(instantiations).toBeGreaterThan(goals[program] / 2);
  }
});

test('a missed target is exit code 2', () => {
  const { status } = run(root, process.execPath, [
    'bench/types.mjs',
    '--compiler',
    'typescript7',
    '--entities',
    '2',
    '--max',
    '1',
  ]);
  expect(status).toBe(2);
});
