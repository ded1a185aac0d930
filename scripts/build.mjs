/**
 * Builds dist/: the same sources twice, as CommonJS by plain tsc and as ESM, each with its declarations (a CommonJS program needs declarations
 * that are CommonJS too). The ESM JavaScript is gathered by esbuild into one file for each door and the chunks they share: Node resolves and
 * reads every ESM file for itself, and 170 of them cost 25 ms at the door. Nothing is minified, and no maps: the code is the source less its
 * types. `node scripts/build.mjs DIRECTORY` builds DIRECTORY/dist instead, for tests of what is shipped.
 */
import { spawn } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const dist = join(process.argv[2] === undefined ? root : resolve(process.argv[2]), 'dist');
const tsc = join(root, 'node_modules/typescript/bin/tsc');

/** @param {'esm' | 'cjs'} form @param {string[]} options */
function compile(form, ...options) {
  return new Promise((done, fail) => {
    const args = [tsc, '-p', `tsconfig.${form}.json`, '--outDir', join(dist, form), ...options];
    const child = spawn(process.execPath, args, { cwd: root, stdio: 'inherit' });
    child.on('error', fail);
    child.on('exit', (code) => code === 0 ? done(undefined) : fail(new Error(`tsc -p tsconfig.${form}.json ended with ${code}`)));
  });
}

rmSync(dist, { recursive: true, force: true });
const gatherEsm = () => build({
  absWorkingDir: root,
  entryPoints: ['src/index.ts', 'decorators/index.ts', 'src/server/index.ts', 'src/testing/index.ts', 'src/testing/jest.ts', 'src/cli/define-config.ts', 'src/cli/main.ts', 'src/codegen/wire.ts'],
  outbase: '.',
  outdir: join(dist, 'esm'),
  chunkNames: 'src/chunks/[name]-[hash]',
  bundle: true,
  splitting: true,
  packages: 'external',
  format: 'esm',
  platform: 'node',
  target: 'node20',
  tsconfig: join(root, 'tsconfig.esm.json'),
  logLevel: 'warning',
});
const results = await Promise.allSettled([compile('esm', '--emitDeclarationOnly'), gatherEsm(), compile('cjs')]);
const faults = results.flatMap((result) => result.status === 'rejected' ? [String(result.reason.message)] : []);
if (faults.length > 0) {
  console.error(faults.join('\n'));
  process.exit(1);
}
// The package says "type": "module"; the CommonJS half says otherwise for itself.
writeFileSync(join(dist, 'cjs/package.json'), '{ "type": "commonjs" }\n');
