/**
 * What importing rowsmith costs over bare Node, in milliseconds of the processor: `node
 * bench/import-cost.mjs` after `npm run build`. Bare and loaded runs alternate and the least of
 * each counts, so that other work on the machine can only raise both; waiting for a processor does
 * not count. Rounds end once the cost is under the limit. Exit code 1 where it never is: 60 ms, and
 * on a machine where bare Node itself takes long, as many times its time.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const limitMs = 60;
/** On a machine where bare Node starts in 40 ms this is the same; a slow one is slow with both. */
const limitOfBare = 1.5;
const rounds = { least: 12, most: 60 };
const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const scratch = mkdtempSync(join(root, 'dist', 'import-cost-'));
const tell =
  "process.on('exit', () => { const { user, system } = process.cpuUsage(); process.stdout.write(String((user + system) / 1000)); });\n";

/** @param {string} file Milliseconds of one whole run of node. */
function once(file) {
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
    writeFileSync(bareFile, `${bare}${tell}`);
    writeFileSync(loadedFile, `${loaded}${tell}`);
    const best = { bare: Infinity, loaded: Infinity };
    const cost = () => best.loaded - best.bare;
    const limit = () => Math.max(limitMs, limitOfBare * best.bare);
    for (
      let round = 0;
      round < rounds.least || (round < rounds.most && cost() >= limit());
      round++
    ) {
      best.bare = Math.min(best.bare, once(bareFile));
      best.loaded = Math.min(best.loaded, once(loadedFile));
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
    `Importing rowsmith costs more than ${limitMs} ms over bare Node, and more than ${limitOfBare} times what bare Node takes.`,
  );
process.exit(failed ? 1 : 0);
