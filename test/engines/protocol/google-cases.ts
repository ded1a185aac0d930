/**
 * Conformance cases published by Google. They are not part of this repository; our own tables
 * (chunk-cases.ts, retry-cases.ts) cover the same situations and always run. Google's files run in
 * addition if they are in GOOGLE_CASES or in `../shared/data` beside the checkout.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const directory = process.env.GOOGLE_CASES ?? join(__dirname, '../../../shared/data');

/** Declares tests for the cases of a file, or reports loudly that they are skipped. */
export function describeGoogleCases<Case>(
  file: string,
  declareTests: (cases: readonly Case[]) => void,
): void {
  const path = join(directory, file);
  describe(`Google's ${file}`, () => {
    if (existsSync(path)) {
      declareTests((JSON.parse(readFileSync(path, 'utf8')) as { readonly tests: Case[] }).tests);
      return;
    }
    console.warn(`SKIPPED: Google's cases are missing, looked for ${path} (set GOOGLE_CASES).`);
    test.skip(`SKIPPED: no file ${path}`, () => undefined);
  });
}
