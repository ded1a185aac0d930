/**
 * Builds dist/: the same sources by plain tsc twice, once as ESM and once as CommonJS, each with its declarations (a CommonJS program
 * needs declarations that are CommonJS too). No maps: the emitted JavaScript is the source less its types, and maps without the sources
 * would only make the package bigger. `node scripts/build.mjs DIRECTORY` builds DIRECTORY/dist instead, for tests of what is shipped.
 */
import { spawn } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const dist = join(process.argv[2] === undefined ? root : resolve(process.argv[2]), 'dist');
const tsc = join(root, 'node_modules/typescript/bin/tsc');

/** @param {'esm' | 'cjs'} form */
function compile(form) {
  return new Promise((done, fail) => {
    const args = [tsc, '-p', `tsconfig.${form}.json`, '--outDir', join(dist, form)];
    const child = spawn(process.execPath, args, { cwd: root, stdio: 'inherit' });
    child.on('error', fail);
    child.on('exit', (code) => code === 0 ? done(undefined) : fail(new Error(`tsc -p tsconfig.${form}.json ended with ${code}`)));
  });
}

rmSync(dist, { recursive: true, force: true });
const results = await Promise.allSettled([compile('esm'), compile('cjs')]);
const faults = results.flatMap((result) => result.status === 'rejected' ? [String(result.reason.message)] : []);
if (faults.length > 0) {
  console.error(faults.join('\n'));
  process.exit(1);
}
// The package says "type": "module"; the CommonJS half says otherwise for itself.
writeFileSync(join(dist, 'cjs/package.json'), '{ "type": "commonjs" }\n');
