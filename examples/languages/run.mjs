/**
 * Generates the code of each language, and runs the programs of this folder, one after another,
 * against `rowsmith serve --memory`. A program in a language that is not installed is skipped.
 *
 * PYTHON=path takes another Python, with google-cloud-bigtable. CLASSPATH=jars takes Google's client
 * for Java from there; without it, Maven fetches it.
 */
import { spawn, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const folder = dirname(fileURLToPath(import.meta.url));
const { resolve } = createRequire(import.meta.url);
const rowsmith = join(dirname(resolve('rowsmith/package.json')), 'dist/esm/src/cli/main.js');
const python = process.env.PYTHON ?? 'python3';
/** @type {NodeJS.ProcessEnv} */
const env = { ...process.env, PYTHONPATH: join(folder, 'generated/python') };

/** What a program needs to be run, and how it runs. */
const programs = [
  { name: 'TypeScript writes readings', run: () => typescript('write.ts') },
  {
    name: 'Python computes the values of each hour',
    needs: [python, '-c', 'import google.cloud.bigtable.data'],
    run: () => succeed(python, 'hourly.py'),
  },
  { name: 'Go serves the newest readings', needs: ['go', 'version'], run: serveNewest },
  { name: 'Java exports the values', needs: ['javac', '-version'], run: exportHours },
  { name: 'TypeScript reads the values', run: () => typescript('show.ts') },
];

const serve = [rowsmith, 'serve', '--memory', '--port', '0'];
const server = start(process.execPath, ...serve, '--instance', 'projects/demo/instances/plant');
try {
  env.BIGTABLE_EMULATOR_HOST = await printed(server, / at (127\.0\.0\.1:\d+)/);
  succeed(process.execPath, rowsmith, 'generate', 'python', 'go', 'java');
  for (const { name, needs, run } of programs) {
    if (needs !== undefined && spawnSync(needs[0], needs.slice(1)).status !== 0) {
      console.log(`SKIPPED ${name}: '${needs.join(' ')}' fails`);
      continue;
    }
    console.log(`# ${name}`);
    await run();
  }
} finally {
  server.kill();
}

/** @param {string} file */
function typescript(file) {
  succeed(process.execPath, '--import', import.meta.resolve('tsx'), file);
}

/** Builds and starts the service, and asks it for the newest reading of each device. */
async function serveNewest() {
  // Writes go.sum.
  succeed('go', 'build', '-mod=mod', '-o', 'generated/newest', '.');
  const service = start(join(folder, 'generated/newest'));
  try {
    const address = await printed(service, /^listening at (.*)/);
    for (const device of ['boiler', 'pump', 'fan']) {
      const path = `/readings/${device}/newest`;
      const response = await fetch(`${address}${path}`);
      console.log(`GET ${path}: ${response.status} ${(await response.text()).trim()}`);
    }
  } finally {
    service.kill();
  }
}

function exportHours() {
  if (env.CLASSPATH === undefined) {
    const goal = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:build-classpath';
    succeed('mvn', '-q', goal, '-Dmdep.outputFile=generated/class-path');
  }
  const jars = env.CLASSPATH ?? readFileSync(join(folder, 'generated/class-path'), 'utf8');
  const rows = 'generated/java/rowsmith/rows';
  const files = readdirSync(join(folder, rows)).map((name) => join(rows, name));
  succeed('javac', '-cp', jars, '-d', 'generated/classes', 'Export.java', ...files);
  const csv = 'generated/hourly.csv';
  succeed('java', '-cp', `generated/classes:${jars}`, 'Export', csv);
  console.log(readFileSync(join(folder, csv), 'utf8').trim());
}

/**
 * Runs a program, which must succeed.
 *
 * @param {string} program @param {string[]} args
 */
function succeed(program, ...args) {
  const { status } = spawnSync(program, args, { cwd: folder, env, stdio: 'inherit' });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} failed`);
}

/** @param {string} program @param {string[]} args */
function start(program, ...args) {
  return spawn(program, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] });
}

/**
 * The part of a program's output that a pattern finds.
 *
 * @param {import('node:child_process').ChildProcess} child @param {RegExp} pattern
 */
async function printed(child, pattern) {
  for await (const line of createInterface({ input: /** @type {any} */ (child.stdout) })) {
    const found = pattern.exec(line);
    if (found !== null) return found[1];
  }
  throw new Error(`a program has ended before it printed ${pattern}`);
}
