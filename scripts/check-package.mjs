/**
 * Checks the package that would be published: builds and packs it, runs publint (strict) and "are
 * the types wrong" on the tarball, and compares its size with a limit.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Bytes of the tarball, which contains code and declarations in two formats, and the documents.
 * Fixtures, source maps or the generated reference included by mistake exceed it. 401,000 of them are
 * the page of the studio (160,000) and the six pictures of its guide (241,000).
 */
const maxPackedBytes = 2_600_000;

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const scratch = mkdtempSync(join(tmpdir(), 'rowsmith-pack-'));
let failed = false;

/** @param {string} title @param {string} command @param {string[]} args */
function run(title, command, args) {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: root, encoding: 'utf8' });
  const ok = status === 0;
  console.log(`${ok ? 'ok    ' : 'FAILED'} ${title}`);
  if (!ok) {
    failed = true;
    console.log(`${stdout}${stderr}`.trimEnd());
  }
  return ok;
}

/**
 * Declarations are used without the types of Node as well. Where TypeScript infers `Buffer`, the constant needs a type.
 */
function checkDeclarations() {
  const folder = join(root, 'dist/esm');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const naming = files.filter(
    (name) =>
      name.endsWith('.d.ts') &&
      /\bBuffer\b/.test(readFileSync(join(folder, name), 'utf8').replace(/\/\*[^]*?\*\//g, '')),
  );
  console.log(`${naming.length === 0 ? 'ok    ' : 'FAILED'} declarations without Buffer`);
  for (const name of naming) console.log(`  ${name}`);
  failed ||= naming.length > 0;
}

/** @param {string} path */
const script = (path) => join(root, 'node_modules', path);

try {
  if (
    // `npm run types` checks the types.
    run('build', process.execPath, ['scripts/build.mjs', root, '--noCheck']) &&
    run('npm pack', 'npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', scratch])
  ) {
    checkDeclarations();
    const tarball = join(scratch, readdirSync(scratch)[0]);
    run('publint --strict', process.execPath, [
      script('publint/src/cli.js'),
      'run',
      tarball,
      '--strict',
    ]);
    // All resolutions of modules: node10, which reads typesVersions, node16 and bundler.
    run('attw', process.execPath, [
      script('@arethetypeswrong/cli/dist/index.js'),
      tarball,
      '--profile',
      'node16',
      '--no-emoji',
    ]);
    const { size } = statSync(tarball);
    const ok = size <= maxPackedBytes;
    failed ||= !ok;
    console.log(`${ok ? 'ok    ' : 'FAILED'} size  ${size} bytes packed, limit ${maxPackedBytes}`);
  }
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
process.exit(failed ? 1 : 0);
