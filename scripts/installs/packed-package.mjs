/** The package as npm would publish it. It is built again only if its sources have changed. */
import { copyFileSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { buildInputs, hashOf } from '../source-hash.mjs';
import { runCommand } from './run-command.mjs';

/**
 * The path of the tarball, whose name changes with its content. Undefined, with a line in the
 * report, if it cannot be built.
 *
 * @param {string} root @param {string} into @param {string | undefined} given
 * @param {import('./report.mjs').Report} report
 */
export async function packedPackage(root, into, given, report) {
  if (given !== undefined)
    return named(resolve(given), into, hashOf('/', [resolve(given).slice(1)]));
  const hash = hashOf(root, [...buildInputs, 'README.md', 'LICENSE']);
  const tarball = join(into, `rowsmith-${hash}.tgz`);
  if (existsSync(tarball)) return tarball;
  report.progress('building and packing the package');
  const folder = join(into, 'package');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const name of ['package.json', 'README.md', 'LICENSE'])
    copyFileSync(join(root, name), join(folder, name));
  // `npm run types` checks the types.
  const build = `node scripts/build.mjs ${JSON.stringify(folder)} --noCheck`;
  const built = await runCommand(build, root);
  const packed = built.ok ? await runCommand('npm pack --silent --ignore-scripts', folder) : built;
  if (!packed.ok) {
    report.failure('the package', 'npm pack', packed.output);
    return undefined;
  }
  const name = readdirSync(folder).find((each) => each.endsWith('.tgz')) ?? 'no tarball';
  return named(join(folder, name), into, hash);
}

/** @param {string} file @param {string} into @param {string} hash */
function named(file, into, hash) {
  mkdirSync(into, { recursive: true });
  for (const old of readdirSync(into).filter((name) => /^rowsmith-\w+\.tgz$/.test(name)))
    rmSync(join(into, old));
  const tarball = join(into, `rowsmith-${hash}.tgz`);
  copyFileSync(file, `${tarball}.part`);
  renameSync(`${tarball}.part`, tarball);
  return tarball;
}
