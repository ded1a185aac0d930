/**
 * The cost of importing rowsmith, in milliseconds of processor time more than Node alone: `node
 * bench/import-cost.mjs` after `npm run build`. Runs with and without the import alternate, and the
 * minimum of each counts, because other work on the machine only adds time. Rounds end when the cost
 * is below the limit: 60 ms, or on a slow machine 1.5 times the time of Node alone. The exit code is
 * 1 if the cost never is.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const limitMs = 60;
/** Times the time of Node alone. Equal to limitMs where that is 40 ms. */
const limitRatio = 1.5;
const minRounds = 12;
const maxRounds = 60;
const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const scratch = mkdtempSync(join(root, 'dist', 'import-cost-'));
const printCpuTime =
  "process.on('exit', () => { const { user, system } = process.cpuUsage(); process.stdout.write(String((user + system) / 1000)); });\n";

/** Milliseconds of processor time for one run of node. @param {string} file */
function measure(file) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [file], { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  return Number(stdout);
}

let failed = false;
try {
  for (const [form, bare, loaded] of [
    ['esm', 'export {};\n', "import 'rowsmith';\n"],
    ['cjs', '\n', "require('rowsmith');\n"],
  ]) {
    const extension = form === 'esm' ? 'mjs' : 'cjs';
    const [bareFile, loadedFile] = [
      join(scratch, `bare.${extension}`),
      join(scratch, `loaded.${extension}`),
    ];
    writeFileSync(bareFile, `${bare}${printCpuTime}`);
    writeFileSync(loadedFile, `${loaded}${printCpuTime}`);
    const best = { bare: Infinity, loaded: Infinity };
    const cost = () => best.loaded - best.bare;
    const limit = () => Math.max(limitMs, limitRatio * best.bare);
    for (let round = 0; round < minRounds || (round < maxRounds && cost() >= limit()); round++) {
      best.bare = Math.min(best.bare, measure(bareFile));
      best.loaded = Math.min(best.loaded, measure(loadedFile));
    }
    failed ||= !(cost() < limit());
    console.log(
      `import-${form}  ${cost().toFixed(1)}  ms-over-bare-node  ${(cost() / limit()).toFixed(2)}`,
    );
  }
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
if (failed)
  console.error(
    `Importing rowsmith costs more than ${limitMs} ms more than Node alone, and more than ${limitRatio} times its time.`,
  );
process.exit(failed ? 1 : 0);
