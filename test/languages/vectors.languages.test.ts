/**
 * vectors.jsonl: what TypeScript makes of the inputs in support/vector-cases.ts. Every language runs
 * its lines. `UPDATE_GOLDEN=1 npx jest --config scripts/jest/languages.mjs test/languages/vectors`
 * writes it; then read the diff.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { makeVectors, readVectors, vectorPath } from './support/vectors.js';

test('TypeScript makes the vectors', async () => {
  const text = (await makeVectors()).map((vector) => `${JSON.stringify(vector)}\n`).join('');
  if (process.env.UPDATE_GOLDEN === '1') writeFileSync(vectorPath, text);
  expect(readFileSync(vectorPath, 'utf8')).toBe(text);
});

test('they have every operation, with results and errors', () => {
  const seen = readVectors().map(({ op, error }) => `${op} ${error === undefined ? 'ok' : 'no'}`);
  const all = ['encode', 'parse', 'ranges', 'write', 'read'].flatMap((op) => [
    `${op} ok`,
    `${op} no`,
  ]);
  expect(new Set(seen)).toEqual(new Set(all));
});
