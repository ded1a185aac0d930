/** A repository with campaigns of small commands, for tests of scripts/campaigns.mjs. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../support/built-package.js';

/** Notes its name and seed, and does what `.tmp/orders.json` says: fail, hang or count nothing. */
const program = `
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
const [name, seed] = process.argv.slice(2);
appendFileSync('.tmp/ran', name + ' ' + seed + ' ' + process.pid + '\\n');
const orders = existsSync('.tmp/orders.json') ? JSON.parse(readFileSync('.tmp/orders.json')) : {};
const order = orders[name];
if (order === 'hang') setInterval(() => undefined, 1000);
else if (order === 'fail') {
  console.log('the reason of ' + name);
  process.exitCode = 1;
} else if (order === 'skip') console.log('SKIPPED: no tool');
else console.log('5 passed, 0 failed, 0 skipped');
`;

const campaigns = `
const part = (name, more) => ({ script: 'step.mjs', args: [name, '{seed}'], ...more });
export const campaigns = [
  { name: 'three', about: 'three steps', minutes: 1, parts: [part('a', { slice: ['a-slice', '{seed}'] }), part('b'), part('c')] },
  { name: 'rounds', about: 'two rounds', minutes: 1, parts: [part('r', { rounds: 2, slice: ['r-slice', '{seed}'] })] },
  { name: 'elsewhere', about: 'sliced by CI', minutes: 1, section: 'elsewhere', parts: [part('e', { slice: ['e-slice'] })] },
];
`;

export interface Ran {
  readonly status: number | null;
  readonly output: string;
  readonly errors: string;
}

export class Repository {
  readonly folder = mkdtempSync(join(tmpdir(), 'rowsmith-campaigns-'));

  constructor() {
    mkdirSync(join(this.folder, '.tmp'));
    this.write('.gitignore', '.tmp/\n');
    this.write('step.mjs', program);
    this.write('campaigns.mjs', campaigns);
    this.git('init', '--quiet');
    this.commit('first');
  }

  write(name: string, text: string): void {
    writeFileSync(join(this.folder, name), text);
  }

  order(orders: Readonly<Record<string, 'hang' | 'fail' | 'skip'>>): void {
    this.write('.tmp/orders.json', JSON.stringify(orders));
  }

  git(...args: readonly string[]): string {
    const identity = ['-c', 'user.name=A', '-c', 'user.email=a@example.com'];
    return execFileSync('git', [...identity, ...args], {
      cwd: this.folder,
      encoding: 'utf8',
    }).trim();
  }

  /** Returns the hash. */
  commit(message: string): string {
    appendFileSync(join(this.folder, 'notes'), `${message}\n`);
    this.git('add', '--all');
    this.git('commit', '--quiet', '--message', message);
    return this.git('rev-parse', 'HEAD');
  }

  /** Names of the steps that have started since the last call. */
  started(): string[] {
    return this.lines().map((line) => line.split(' ')[0]);
  }

  /** Names, seeds and process ids of them. */
  lines(): string[] {
    const file = join(this.folder, '.tmp/ran');
    if (!existsSync(file)) return [];
    const text = readFileSync(file, 'utf8').trim();
    rmSync(file);
    return text.split('\n');
  }

  hasStarted(name: string): boolean {
    const file = join(this.folder, '.tmp/ran');
    return existsSync(file) && new RegExp(`^${name} .*\n`, 'm').test(readFileSync(file, 'utf8'));
  }

  get record(): string {
    const file = join(this.folder, 'test/campaigns/RESULTS.md');
    return existsSync(file) ? readFileSync(file, 'utf8') : '';
  }

  start(args: readonly string[], env: NodeJS.ProcessEnv = {}): ChildProcess {
    const { SEED: _, ...inherited } = process.env;
    const script = join(root, 'scripts/campaigns.mjs');
    const options = ['--root', this.folder, '--campaigns', join(this.folder, 'campaigns.mjs')];
    return spawn(process.execPath, [script, ...options, ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...inherited, ...env },
    });
  }

  run(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Ran> {
    return ended(this.start(args, env));
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

export function ended(child: ChildProcess): Promise<Ran> {
  let [output, errors] = ['', ''];
  child.stdout!.setEncoding('utf8').on('data', (text: string) => (output += text));
  child.stderr!.setEncoding('utf8').on('data', (text: string) => (errors += text));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (status) => resolve({ status, output, errors }));
  });
}
