/**
 * Judges what would be published: builds and packs it once, asks publint (strict) and "are the
 * types wrong" about that one tarball, and holds its size to a limit.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Bytes of the tarball. What it holds is code and declarations twice over; a fixture or a map that
 * slips in goes past this.
 */
const packedLimit = 700_000;

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
/** @param {string} path */
const script = (path) => join(root, 'node_modules', path);

try {
  if (
    run('build', process.execPath, ['scripts/build.mjs']) &&
    run('npm pack', 'npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', scratch])
  ) {
    const tarball = join(scratch, readdirSync(scratch)[0]);
    run('publint --strict', process.execPath, [
      script('publint/src/cli.js'),
      'run',
      tarball,
      '--strict',
    ]);
    // node16: the resolutions that Node >= 20 and bundlers use. The node10 one cannot see
    // ./decorators, and TypeScript 6 has deprecated it.
    run('attw', process.execPath, [
      script('@arethetypeswrong/cli/dist/index.js'),
      tarball,
      '--profile',
      'node16',
      '--no-emoji',
    ]);
    const { size } = statSync(tarball);
    const ok = size <= packedLimit;
    failed ||= !ok;
    console.log(`${ok ? 'ok    ' : 'FAILED'} size  ${size} bytes packed, limit ${packedLimit}`);
  }
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
process.exit(failed ? 1 : 0);
