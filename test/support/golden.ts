/**
 * Golden files: readable text under test/golden. `UPDATE_GOLDEN=1 npx jest` rewrites them; read the
 * diff before committing it.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Expects `text` to equal the golden file of that name. */
export function expectGolden(name: string, text: string): void {
  const path = join(__dirname, '..', 'golden', name);
  if (process.env.UPDATE_GOLDEN === '1') writeFileSync(path, text);
  if (!existsSync(path))
    throw new Error(
      `test/golden/${name} is missing: run with UPDATE_GOLDEN=1, and read the new file`,
    );
  expect(text).toBe(readFileSync(path, 'utf8'));
}
