/** `rowsmith simulate` and `rowsmith load` as processes. */
import { spawn } from 'node:child_process';
import { readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { everyKey } from '../../src/base/index.js';
import { openEngine } from '../../src/engines/index.js';
import { startServer } from '../../src/server/index.js';
import { collectRows, type Engine } from '../../src/data/store/index.js';
import { root } from '../support/built-package.js';
import { buildLinkedPackage, makeProject, rowsmithProcess } from '../support/linked-package.js';

const entity = `
import { Column, Entity, Segment, accessPatterns, rowKey } from 'rowsmith';
import { defineWorkload } from 'rowsmith/config';
@Entity({ table: 'readings', families: { m: {} } })
export class Reading {
  static readonly key = rowKey('device', 'at');
  static readonly patterns = accessPatterns({ latest: { prefix: ['device'], limit: 1 } });
  @Segment('string', { maxLength: 40 }) device!: string;
  @Segment('timestamp', { order: 'desc' }) at!: Date;
  @Column('m', 'double') value?: number;
}
`;
const workload = (options: string, name = 'export default'): string =>
  `${name} defineWorkload(Reading, { rows: 10_000, writesPerSecond: 200, readsPerSecond: 50,
  segments: { device: { cardinality: 20 }, at: { distribution: 'time' } }, reads: { latest: 1 }, ${options} });\n`;

let linked = '';
let project = '';
beforeAll(() => {
  linked = buildLinkedPackage();
  // A peer dependency, which the user's project would have.
  symlinkSync(join(root, 'node_modules/@google-cloud'), join(linked, 'node_modules/@google-cloud'));
  project = makeProject(linked, {
    'package.json': '{ "type": "module" }',
    'workload.ts': entity + workload(''),
    'two.ts':
      entity +
      workload("name: 'a'", 'export const a =') +
      workload("name: 'b'", 'export const b ='),
    'different.ts':
      entity +
      workload("name: 'a'", 'export const a =') +
      workload("name: 'b', writesPerSecond: 10", 'export const b ='),
    'same.ts': entity + workload('', 'export const a =') + workload('rows: 5', 'export const b ='),
    'negative.ts': entity + workload('writesPerSecond: -1'),
    'nothing.ts': entity,
    'example.ts': readFileSync(join(root, 'examples/workload.ts'), 'utf8'),
    'config/rowsmith.config.ts':
      "import { Reading } from '../workload.js';\nimport readings from '../workload.js';\n" +
      "export default { entities: [Reading], url: 'file:../configured', workloads: [readings] };",
    'config/wrong.config.ts':
      "import { Reading } from '../workload.js';\nexport default { entities: [Reading], workloads: [Reading] };",
  });
});
afterAll(() => {
  for (const each of [linked, project]) rmSync(each, { recursive: true, force: true });
});
const run = (...args: string[]) => rowsmithProcess(linked, project, args);
const small = ['--duration', '400ms', '--warm-up', '100ms'];

test('simulate prints a report that ends in a recommendation, the same for a seed', () => {
  const args = ['simulate', 'workload.ts', '--minutes', '3', '--sample', '2000', '--seed', '7'];
  const { status, output } = run(...args);
  expect(status).toBe(0);
  expect(output).toMatch(/^Reading: 10,000 rows/);
  for (const text of ['storage', 'tablets', 'busiest of 8', 'latest: 1 request, 1 range'])
    expect(output).toContain(text);
  expect(output).toMatch(/at first {2}\d+#device-\d\d\n/);
  // At 0.017 nodes that is no error.
  expect(output).toContain('info  writes are sequential');
  expect(output).toMatch(
    /Recommendation: declared\n {2}declared: 1 node on SSD: 1 for the load of 0.017 nodes, /,
  );
  expect(run(...args).output).toBe(output);
  expect(run(...args.slice(0, -1), '8').output).not.toBe(output);
});

test('simulate --html writes a page of all designs', () => {
  const found = run('simulate', 'workload.ts', '--minutes', '2', '--html', 'page.html');
  expect(found.status).toBe(0);
  const page = readFileSync(join(project, 'page.html'), 'utf8');
  const { maps, conclusion } = dataOf(page);
  const names = maps.map(({ name }) => name);
  expect(names).toEqual(
    expect.arrayContaining(['declared', 'at first', '16 shards by device, at']),
  );
  expect(names[0]).toBe('declared');
  expect(conclusion).toEqual({
    verdict: 'declared',
    reasons: expect.arrayContaining([expect.stringMatching(/^declared: 1 node on SSD: /)]),
  });
  // All keys are of one entity, and findings stand with the design that they are about.
  for (const { keys, entities } of maps) {
    expect(entities.map(({ name }) => name)).toEqual(['Reading']);
    expect(keys.filter(([entity]) => entity === -1)).toEqual([]);
  }
  expect(maps.filter(({ findings }) => findings.length > 0).map(({ name }) => name)).toEqual([
    'at first',
  ]);
  expect(page).not.toMatch(/(src|href)="?https?:/);
  expect(run('simulate', 'workload.ts', '--html', 'none/page.html').status).toBe(1);
});

/** The data of a page. */
function dataOf(page: string): PageData {
  const [, json] = /id="data">(.*?)<\/script>/s.exec(page)!;
  return JSON.parse(json) as PageData;
}
interface PageData {
  readonly conclusion: { readonly verdict: string; readonly reasons: readonly string[] };
  readonly maps: readonly {
    readonly name: string;
    readonly entities: readonly { readonly name: string }[];
    readonly keys: readonly (readonly [entity: number, ...rest: unknown[]])[];
    readonly findings: readonly object[];
  }[];
}

test('simulate --json is one document', () => {
  const { status, output } = run(
    'simulate',
    'workload.ts',
    '--minutes',
    '2',
    '--sample',
    '500',
    '--json',
  );
  expect(status).toBe(0);
  const report = JSON.parse(output) as {
    readonly recommendation: { readonly design: string };
    readonly workloads: readonly { readonly designs: readonly Record<string, unknown>[] }[];
  };
  expect(report.recommendation.design).toBe('declared');
  const [declared] = report.workloads[0].designs;
  expect(declared).toMatchObject({ name: 'declared', shards: 1 });
  expect(declared).not.toHaveProperty('access');
});

test('the example has a billion rows, and the guide shows its report', () => {
  const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();
  const { status, output } = run('simulate', 'example.ts');
  expect(status).toBe(0);
  const guide = readFileSync(join(root, 'docs/guide/simulate.md'), 'utf8');
  const [, shown] = /\n```text\n\$ npx rowsmith simulate [^\n]*\n([\s\S]*?)\n```\n/.exec(guide)!;
  for (const part of shown.split('\n...\n')) expect(oneLine(output)).toContain(oneLine(part));
});

test('workloads of the config', () => {
  const config = ['--config', 'config/rowsmith.config.ts'];
  const { status, output } = run('simulate', '--minutes', '2', '--sample', '500', ...config);
  expect([status, output.slice(0, 20)]).toEqual([0, 'Reading: 10,000 rows']);
  const wrong = run('simulate', '--config', 'config/wrong.config.ts');
  expect(wrong.status).toBe(1);
  expect(wrong.output).toContain('workloads[0] is');
});

test.each<[args: readonly string[], status: number, text: string]>([
  [['simulate', 'missing.ts'], 1, "there is no file 'missing.ts'"],
  [['simulate', 'same.ts', '--workload', 'Reading'], 1, "two workloads have the name 'Reading'"],
  [['simulate', 'nothing.ts'], 1, 'the module exports no workload'],
  [['simulate', 'negative.ts'], 1, 'writesPerSecond is -1'],
  [['simulate', 'workload.ts', 'two.ts'], 2, 'too many arguments'],
  [['simulate', 'workload.ts', '--rows', '0'], 2, '--rows takes a whole number'],
  [
    ['simulate', 'workload.ts', '--nodes', '5000'],
    2,
    '--nodes takes a whole number from 1 to 1,000',
  ],
  [
    ['simulate', 'workload.ts', '--minutes', '1'],
    2,
    '--minutes takes a whole number from 2 to 1,440',
  ],
  [['simulate', 'different.ts'], 2, 'a and b differ in their rows or rates'],
  [['simulate', 'workload.ts', '--seed', 'x'], 2, '--seed takes a whole number'],
  [['simulate', 'two.ts', '--workload', 'c'], 2, "there is no workload 'c'"],
  [['load', 'two.ts', '--url', 'memory:'], 2, 'choose one by --workload NAME of a, b'],
  [['load', 'workload.ts', '--url', 'memory:', '--rate', '0'], 2, '--rate takes operations'],
  [['load', 'workload.ts', '--url', 'memory:', '--duration', '5'], 2, '--duration takes a time'],
  [['load', 'workload.ts', '--url', 'memory:', '--duration', '0s'], 2, 'a time above 0'],
  [['load', 'workload.ts', '--url', 'memory:', '--dataset', 'device=*'], 2, 'the whole table'],
  [
    ['load', 'workload.ts', '--url', 'memory:', '--start', 'now'],
    2,
    '--start takes an ISO 8601 time',
  ],
  [['load', 'workload.ts', '--url', 'memory:', '--dataset', 'x=1'], 2, "'x' is not a segment"],
  [
    ['load', 'workload.ts', '--url', 'memory:', '--dataset', 'at=1'],
    2,
    'without gaps: add device=...',
  ],
  [['load', 'workload.ts', '--url', 'memory:', '--dataset', 'device'], 2, 'takes SEGMENT=VALUE'],
  [['load', 'workload.ts', '--url', 'bigtable://p/i'], 2, 'is live Bigtable'],
])('rowsmith %j', (args, status, text) => {
  const found = run(...args);
  expect([found.status, found.output]).toEqual([status, expect.stringContaining(text)]);
});

test('load asks for --yes if the table has rows, and --clean removes only its own', async () => {
  const first = run('load', 'workload.ts', '--url', 'file:./data', ...small);
  expect(first.status).toBe(0);
  expect(first.output).toMatch(/^Reading: \d+ operations? in \d+\.\d s/);
  expect(first.output).toContain('p99.9');
  const second = run('load', 'workload.ts', '--url', 'file:./data', ...small);
  expect(second.status).toBe(2);
  expect(second.output).toContain('has rows');
  const noDataset = run(
    'load',
    'workload.ts',
    '--url',
    'file:./data',
    ...small,
    '--yes',
    '--clean',
  );
  expect(noDataset.status).toBe(2);
  expect(noDataset.output).toContain('give --dataset device=...');
  const before = await keysOf('data');
  expect(before).toBeGreaterThan(10);
  const dataset = ['--dataset', 'device=test-*', '--yes'];
  const kept = run('load', 'workload.ts', '--url', 'file:./data', ...small, ...dataset);
  expect(kept.status).toBe(0);
  expect(await keysOf('data')).toBeGreaterThan(before);
  const cleaned = run(
    'load',
    'workload.ts',
    '--url',
    'file:./data',
    ...small,
    ...dataset,
    '--clean',
    '--json',
  );
  expect(cleaned.status).toBe(0);
  expect((JSON.parse(cleaned.output) as { deleted: number }).deleted).toBeGreaterThan(10);
  expect(await keysOf('data')).toBe(before);
});

async function keysOf(folder: string): Promise<number> {
  const engine = await openEngine(`file:${join(project, folder)}`);
  const plan = { table: 'readings', ranges: [everyKey], reversed: false };
  const rows = await collectRows(engine.readRows(plan));
  await engine.close();
  return rows.length;
}

test('load against a server needs its tables; a signal prints the report so far', async () => {
  let engine: Engine | undefined;
  const server = await startServer(async () => (engine = await openEngine('memory:')), {
    instance: 'projects/p/instances/i',
  });
  const env = { ...process.env, BIGTABLE_EMULATOR_HOST: server.address };
  try {
    const url = ['--url', 'bigtable://p/i'];
    const missing = await runAsync(['load', 'workload.ts', ...url, ...small], env);
    expect(missing.code).toBe(1);
    expect(missing.output).toContain('rowsmith schema apply');
    const config = ['--config', 'config/rowsmith.config.ts'];
    expect((await runAsync(['schema', 'apply', ...url, ...config], env)).code).toBe(0);
    const stopped = await runAsync(
      ['load', 'workload.ts', ...url, '--duration', '60s', '--warm-up', '0s', '--json'],
      env,
      () => hasRow(engine!),
    );
    expect(stopped.code).toBe(130);
    const report = JSON.parse(stopped.output) as { stopped: boolean; operations: number };
    expect(report.stopped).toBe(true);
    expect(report.operations).toBeGreaterThan(0);
  } finally {
    await server.close({ graceMs: 100 });
  }
});

async function hasRow(engine: Engine): Promise<boolean> {
  const plan = { table: 'readings', ranges: [everyKey], reversed: false, limit: 1 };
  return (await collectRows(engine.readRows(plan))).length > 0;
}

/** Runs a command beside the server of this process, and interrupts it when a condition is met. */
async function runAsync(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  interruptWhen?: () => Promise<boolean>,
): Promise<{ readonly code: number | null; readonly output: string }> {
  const child = spawn(process.execPath, [join(linked, 'dist/esm/src/cli/main.js'), ...args], {
    cwd: project,
    env,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  let ended = false;
  const end = new Promise<number | null>((resolve) => child.on('close', resolve));
  void end.then(() => (ended = true));
  if (interruptWhen !== undefined) {
    while (!ended && !(await interruptWhen()))
      await new Promise((resolve) => setTimeout(resolve, 50));
    child.kill('SIGINT');
  }
  return { code: await end, output };
}
