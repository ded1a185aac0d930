/**
 * `tsx scripts/check-vectors.ts FILE [--json]`: runs a file of key vectors. The exit code is 1 if a
 * vector fails, 2 if the file cannot be read.
 */
import { readFileSync } from 'node:fs';
import { errorMessage } from '../src/base/index.js';
import { runVectors } from './vector-runner.js';
import type { SectionResult } from './vector-runner.js';

function readResults(path: string | undefined): SectionResult[] | string {
  if (path === undefined) return 'usage: check-vectors FILE [--json]';
  try {
    return runVectors(JSON.parse(readFileSync(path, 'utf8')) as unknown);
  } catch (error) {
    return `cannot read ${path} as key vectors: ${errorMessage(error)}`;
  }
}

const options = process.argv.slice(2);
const results = readResults(options.find((option) => !option.startsWith('--')));
if (typeof results === 'string') {
  console.error(results);
  process.exitCode = 2;
} else {
  const passed = results.reduce((sum, result) => sum + result.passed, 0);
  const failed = results.reduce((sum, result) => sum + result.failures.length, 0);
  if (options.includes('--json')) {
    console.log(JSON.stringify({ passed, failed, sections: results }));
  } else {
    for (const { section, passed: good, failures } of results) {
      console.log(`${section}: ${good} passed, ${failures.length} failed`);
      for (const { id, expected, got } of failures)
        console.log(`  ${id}: expected ${expected}, got ${got}`);
    }
    console.log(`total: ${passed} passed, ${failed} failed`);
  }
  process.exitCode = failed > 0 ? 1 : 0;
}
