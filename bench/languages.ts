/**
 * `npm run bench -- bench/languages.ts [--only python]`: keys a second in generated code beside the
 * same by hand, in each language. Each program takes turns with both ways, and prints microseconds a
 * key as JSON. PYTHON is a Python with google-cloud-bigtable, by default python3; CLASSPATH has the
 * jars of Google's client in Java; `go` fetches the modules.
 */
import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { column, defineEntity, rowKey } from '../src/index.js';
import { buildModels } from '../src/entities/model/index.js';
import { generators } from '../src/tools/codegen/index.js';
import { type Timing, timingOf } from './interleave.js';
import { benchOptions, Results } from './results.js';

class Reading {
  tenant!: string;
  device!: string;
  at!: Date;
  temperature?: number;
}
defineEntity(Reading, {
  name: 'Reading',
  table: 'readings',
  families: { m: {} },
  key: rowKey('tenant', 'device', 'at'),
  segments: {
    tenant: { kind: 'string', maxLength: 20 },
    device: { kind: 'string', maxLength: 40 },
    at: { kind: 'timestamp', order: 'desc' },
  },
  columns: { temperature: column('m', 'double') },
});

/** The command of a language, for the folder that has its generated code. */
const languages: readonly { name: string; command: (folder: string) => readonly string[] }[] = [
  {
    name: 'python',
    command: (folder) => [
      ...[process.env.PYTHON ?? 'python3', 'bench/languages/keys.py'],
      join(folder, 'python'),
    ],
  },
  { name: 'go', command: goProgram },
  { name: 'java', command: javaProgram },
];

function goProgram(folder: string): readonly string[] {
  const module = readFileSync('test/clients/go/go.mod', 'utf8');
  writeFileSync(join(folder, 'go.mod'), module.replace(/^module .*$/m, 'module bench'));
  copyFileSync('test/clients/go/go.sum', join(folder, 'go.sum'));
  copyFileSync('bench/languages/keys.go', join(folder, 'keys.go'));
  execFileSync('go', ['build', '-o', 'keys', '.'], { cwd: folder, stdio: 'inherit' });
  return [join(folder, 'keys')];
}

function javaProgram(folder: string): readonly string[] {
  const jars = process.env.CLASSPATH ?? '';
  const rows = join(folder, 'java/rowsmith/rows');
  const files = readdirSync(rows).map((name) => join(rows, name));
  const classes = join(folder, 'classes');
  const compile = ['-cp', jars, '-d', classes, 'bench/languages/Keys.java', ...files];
  execFileSync('javac', compile, { stdio: 'inherit' });
  return ['java', '-cp', `${classes}:${jars}`, 'Keys'];
}

const options = benchOptions(process.argv.slice(2));
const results = new Results(options);
for (const { name, command } of languages) {
  if (options.only.length > 0 && !options.only.includes(name)) continue;
  const folder = mkdtempSync(join(tmpdir(), 'rowsmith-bench-'));
  try {
    await generate(name, folder);
    const [program, ...args] = command(folder);
    report(name, JSON.parse(execFileSync(program, args, { encoding: 'utf8' })) as Samples);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
process.exit(results.finish({}));

type Way = `${'encode' | 'decode'}.${'generated' | 'hand'}`;
/** Microseconds a key, of each round. */
type Samples = Readonly<Record<Way, number[]>>;

async function generate(name: string, folder: string): Promise<void> {
  const generator = generators.find((each) => each.name === name)!;
  for (const { path, content } of await generator.generate({ models: buildModels([Reading]) })) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
}

/**
 * The ratio is how many times as long generated code takes, by the fastest rounds: other programs
 * make the rest slower.
 */
function report(language: string, samples: Samples): void {
  for (const what of ['encode', 'decode'] as const) {
    const [generated, hand] = [`${what}.generated`, `${what}.hand`].map((way) =>
      timingOf(samples[way as Way]),
    );
    const of = `${language}.${what}.hand`;
    addKeys(`${language}.${what}.generated`, generated, { with: hand, of });
    addKeys(of, hand);
  }
}

function addKeys(name: string, timing: Timing, compared?: { with: Timing; of: string }): void {
  results.add({
    name,
    value: 1e6 / timing.min,
    unit: 'keys/s',
    ratio: compared && timing.min / compared.with.min,
    of: compared?.of,
    min: 1e6 / timing.max,
    max: 1e6 / timing.min,
  });
}
