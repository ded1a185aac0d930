/**
 * Builds dist/: the same sources twice, as CommonJS by plain tsc and as ESM, each with its
 * declarations (a CommonJS program needs declarations that are CommonJS too). The ESM JavaScript is
 * gathered by esbuild into one file for each door and the chunks they share: Node resolves and
 * reads every ESM file for itself, and 170 of them cost 25 ms at the door. Nothing is minified, and
 * no maps: the code is the source less its types and comments, which stand in the declarations.
 * What no door leads to is left out. `node scripts/build.mjs DIRECTORY` builds DIRECTORY/dist
 * instead, for tests of what is shipped.
 */
import { spawn } from 'node:child_process';
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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
    child.on('exit', (code) =>
      code === 0
        ? done(undefined)
        : fail(new Error(`tsc -p tsconfig.${form}.json ended with ${code}`)),
    );
  });
}

rmSync(dist, { recursive: true, force: true });
const gatherEsm = () =>
  build({
    absWorkingDir: root,
    entryPoints: [
      'src/index.ts',
      'src/storage.ts',
      'decorators/index.ts',
      'src/server/index.ts',
      'src/testing/index.ts',
      'src/testing/jest.ts',
      'src/cli/define-config.ts',
      'src/cli/main.ts',
      'src/codegen/runtime/wire.ts',
      'src/vite/index.ts',
    ],
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

/**
 * Removes what no door leads to: the command's parts as CommonJS, and declarations that none of the
 * public ones names.
 */
function prune() {
  const { exports, bin } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const doors = Object.values(exports).flatMap((door) =>
    typeof door === 'string' ? [] : Object.values(door).flatMap((form) => Object.values(form)),
  );
  const reached = new Set();
  /** @param {string} path */
  const reach = (path) => {
    if (reached.has(path) || !existsSync(path)) return;
    reached.add(path);
    for (const [, specifier] of readFileSync(path, 'utf8').matchAll(
      /(?:from|import|require)\s*\(?\s*["'](\.[^"']+)["']/g,
    )) {
      const target = join(dirname(path), specifier);
      reach(path.endsWith('.d.ts') ? target.replace(/\.js$/, '.d.ts') : target);
    }
  };
  for (const path of [...doors, ...Object.values(bin)]) reach(join(dist, '..', path));
  for (const form of ['esm', 'cjs']) {
    for (const name of readdirSync(join(dist, form), { recursive: true, encoding: 'utf8' })) {
      if (/\.(js|d\.ts)$/.test(name) && !reached.has(join(dist, form, name)))
        rmSync(join(dist, form, name));
    }
  }
}

const results = await Promise.allSettled([
  compile('esm', '--emitDeclarationOnly'),
  gatherEsm(),
  compile('cjs', '--declaration', 'false', '--removeComments'),
]);
const faults = results.flatMap((result) =>
  result.status === 'rejected' ? [String(result.reason.message)] : [],
);
if (faults.length > 0) {
  console.error(faults.join('\n'));
  process.exit(1);
}
// The same text serves both: what a relative specifier means follows from the folder's
// package.json.
cpSync(join(dist, 'esm'), join(dist, 'cjs'), {
  recursive: true,
  filter: (path) => !/\.js$/.test(path),
});
prune();
// The package says "type": "module"; the CommonJS half says otherwise for itself.
writeFileSync(join(dist, 'cjs/package.json'), '{ "type": "commonjs" }\n');
