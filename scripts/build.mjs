/**
 * Builds dist/: the same sources by plain tsc twice, once as ESM and once as CommonJS, each with its declarations (a CommonJS program
 * needs declarations that are CommonJS too). No maps: the emitted JavaScript is the source less its types, and maps without the sources
 * would only make the package bigger.
 */
import { spawn } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const tsc = join(root, 'node_modules/typescript/bin/tsc');

/** @param {string} project */
function compile(project) {
  return new Promise((done, fail) => {
    const child = spawn(process.execPath, [tsc, '-p', project], { cwd: root, stdio: 'inherit' });
    child.on('error', fail);
    child.on('exit', (code) => code === 0 ? done(undefined) : fail(new Error(`tsc -p ${project} ended with ${code}`)));
  });
}

rmSync(join(root, 'dist'), { recursive: true, force: true });
const results = await Promise.allSettled([compile('tsconfig.esm.json'), compile('tsconfig.cjs.json')]);
const faults = results.flatMap((result) => result.status === 'rejected' ? [String(result.reason.message)] : []);
if (faults.length > 0) {
  console.error(faults.join('\n'));
  process.exit(1);
}
// The package says "type": "module"; the CommonJS half says otherwise for itself.
writeFileSync(join(root, 'dist/cjs/package.json'), '{ "type": "commonjs" }\n');
