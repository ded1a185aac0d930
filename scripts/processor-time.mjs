/**
 * Where the processor time of the tests goes: runs Jest and prints the sums and the most expensive
 * suites. `node scripts/processor-time.mjs --ignoreProjects slow` measures `npm test`. The figures
 * depend little on what else the machine does.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
/** How many suites are printed. */
const maxSuites = 60;

const scratch = mkdtempSync(join(tmpdir(), 'rowsmith-time-'));
process.once('exit', () => rmSync(scratch, { recursive: true, force: true }));
const file = join(scratch, 'suites.jsonl');
const jest = join(root, 'node_modules/jest/bin/jest.js');
const { status } = spawnSync(process.execPath, [jest, ...process.argv.slice(2)], {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, PROCESSOR_TIME: file },
});

/** @typedef {{ path: string, load: number, own: number, children: number, worker: number }} Suite */
/** @type {Suite[]} */
const suites = readFileSync(file, 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line));
/** @param {Suite} suite */
const whole = ({ own, children }) => own + children;
/** @param {(suite: Suite) => number} measure */
const seconds = (measure) =>
  (suites.reduce((sum, each) => sum + measure(each), 0) / 1000).toFixed(0);

console.log('\n     s  of loading  of processes  suite');
for (const each of [...suites].sort((a, b) => whole(b) - whole(a)).slice(0, maxSuites)) {
  const columns = [whole(each), each.load, each.children].map((ms) => (ms / 1000).toFixed(1));
  const path = relative(join(root, 'test'), each.path);
  console.log(
    `${columns[0].padStart(6)}${columns[1].padStart(12)}${columns[2].padStart(14)}  ${path}`,
  );
}
const workers = new Set(suites.map(({ worker }) => worker)).size;
console.log(
  `${suites.length} suites, ${seconds(whole)} s: ${seconds(({ load }) => load)} s of loading modules, ` +
    `${seconds(({ children }) => children)} s of child processes; ${workers} workers`,
);
process.exitCode = status ?? 1;
