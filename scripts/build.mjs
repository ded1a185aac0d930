/**
 * Builds dist/: the sources as ESM and as CommonJS, each with its own declarations, because a
 * CommonJS program needs CommonJS declarations. esbuild bundles the ESM code into one file for each
 * entry point and the chunks they share, because loading 300 separate files takes longer than
 * running them; the same files converted one by one are the CommonJS code. The code is not minified
 * and has no source maps; its comments are in the declarations, which are bundled in the same way
 * (bundle-declarations.mjs). Files that no entry point reaches are left out.
 * `node scripts/build.mjs DIRECTORY` builds DIRECTORY/dist instead, for tests of the package;
 * `--noCheck` after it emits the same files without checking types, or copies them from .tmp/cache
 * if they were emitted from the same sources before: CI builds four times.
 */
import { spawn } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, transform } from 'esbuild';
import { buildStudioPage } from './build-studio-page.mjs';
import { bundleDeclarations } from './bundle-declarations.mjs';
import { buildInputs, hashOf } from './source-hash.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const dist = join(process.argv[2] === undefined ? root : resolve(process.argv[2]), 'dist');
const noCheck = process.argv[3] === '--noCheck';
const tsc = join(root, 'node_modules/typescript/bin/tsc');
/** What users import; the command has no declarations. */
const entryPoints = [
  'src/index.ts',
  'src/storage.ts',
  'src/tools/index.ts',
  'src/types.ts',
  'src/server/index.ts',
  'src/tools/testing/index.ts',
  'src/tools/testing/jest.ts',
  'src/cli/define-config.ts',
  'src/wire.ts',
  'src/tools/vite/index.ts',
  'src/tools/nest/index.ts',
];

/** @param {string} folder */
function emitDeclarations(folder) {
  return new Promise((done, fail) => {
    const args = [tsc, '-p', 'tsconfig.esm.json', '--outDir', folder];
    args.push('--emitDeclarationOnly');
    if (noCheck) args.push('--noCheck');
    const child = spawn(process.execPath, args, { cwd: root, stdio: 'inherit' });
    child.on('error', fail);
    child.on('exit', (code) => {
      if (code === 0) done(undefined);
      else fail(new Error(`tsc -p tsconfig.esm.json ended with ${code}`));
    });
  });
}

rmSync(dist, { recursive: true, force: true });
const kept = join(root, '.tmp/cache', `dist-${hashOf(root, buildInputs)}`);
if (noCheck && existsSync(kept)) {
  cpSync(kept, dist, { recursive: true });
  process.exit();
}

const bundleEsm = () =>
  build({
    absWorkingDir: root,
    entryPoints: [...entryPoints, 'src/cli/main.ts'],
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

/** Removes files that no entry point reaches: the command as CommonJS. */
function prune() {
  const { exports, bin } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const entryPoints = Object.values(exports).flatMap((entry) =>
    typeof entry === 'string' ? [] : Object.values(entry).flatMap((form) => Object.values(form)),
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
  for (const path of [...entryPoints, ...Object.values(bin)]) reach(join(dist, '..', path));
  for (const form of ['esm', 'cjs']) {
    for (const name of readdirSync(join(dist, form), { recursive: true, encoding: 'utf8' })) {
      if (/\.(js|d\.ts)$/.test(name) && !reached.has(join(dist, form, name)))
        rmSync(join(dist, form, name));
    }
  }
}

/**
 * esbuild splits only ESM into shared chunks, so each of its files is converted to CommonJS. Its
 * `import()` becomes a `require()` that still runs on first use: Jest runs CommonJS in a context in
 * which `import()` throws. This would be wrong for the user's modules, which may be ESM; only the
 * command loads those, and it is not in the CommonJS build (test/package/jest.slow.test.ts).
 */
async function convertToCjs() {
  const [esm, cjs] = [join(dist, 'esm'), join(dist, 'cjs')];
  const names = readdirSync(esm, { recursive: true, encoding: 'utf8' });
  for (const name of names.filter((name) => name.endsWith('.js'))) {
    const { code } = await transform(readFileSync(join(esm, name), 'utf8'), {
      format: 'cjs',
      platform: 'node',
      target: 'node20',
      supported: { 'dynamic-import': false },
      // As .mjs, so that `default` of a CommonJS package is its module.exports, as it is in Node.
      sourcefile: name.replace(/js$/, 'mjs'),
    });
    mkdirSync(dirname(join(cjs, name)), { recursive: true });
    writeFileSync(join(cjs, name), code);
  }
}

/** Emitted one by one for the sources, beside the folder in which they are bundled. */
async function buildDeclarations() {
  const emitted = join(dist, 'declarations');
  await emitDeclarations(emitted);
  await bundleDeclarations(emitted, join(dist, 'esm'), entryPoints);
}

const results = await Promise.allSettled([buildDeclarations(), bundleEsm().then(convertToCjs)]);
const rejected = results.filter((result) => result.status === 'rejected');
if (rejected.length > 0) {
  for (const { reason } of rejected) console.error(String(reason.message));
  process.exit(1);
}
// The same declarations serve both formats: package.json of the folder decides which one it is.
cpSync(join(dist, 'esm'), join(dist, 'cjs'), {
  recursive: true,
  filter: (path) => !/\.js$/.test(path),
});
prune();
// What `rowsmith heatmap --html` embeds.
cpSync(join(root, 'src/tools/page/browser'), join(dist, 'esm/src/heatmap-page'), {
  recursive: true,
});
// What `rowsmith studio` serves.
await buildStudioPage(join(dist, 'esm/src/studio-page'));
// What `rowsmith generate python` and the other languages write.
for (const language of ['python', 'go', 'java'])
  cpSync(
    join(root, `src/tools/codegen/languages/${language}/runtime`),
    join(dist, `esm/src/${language}-runtime`),
    { recursive: true },
  );
// Overrides "type": "module" of the package for the CommonJS half.
writeFileSync(join(dist, 'cjs/package.json'), '{ "type": "commonjs" }\n');

/** Keeps what was built, and removes what was kept of other sources. */
function keep() {
  const cache = dirname(kept);
  mkdirSync(cache, { recursive: true });
  for (const name of readdirSync(cache).filter((each) => /^dist-[0-9a-f]+$/.test(each)))
    rmSync(join(cache, name), { recursive: true, force: true });
  const copying = `${kept}.${process.pid}`;
  cpSync(dist, copying, { recursive: true });
  try {
    renameSync(copying, kept);
  } catch (error) {
    // Another build has kept the same files meanwhile.
    rmSync(copying, { recursive: true });
    if (!existsSync(kept)) throw error;
  }
}
if (noCheck && !existsSync(kept)) keep();
