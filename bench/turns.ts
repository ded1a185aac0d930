/**
 * How long the event loop is held up while the embedded engine works on disk: the turns of each kind
 * of work as a histogram, and what the longest was made of. A turn is a round of the loop with all
 * that is ready in it, this benchmark included; the peak is of the resident memory, 50,000 rows of
 * the benchmark included. `npm run bench -- bench/turns.ts [--rows 1000000]`
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PerformanceObserver } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import type { Engine, Mutation, RowMutation } from '../src/data/store/index.js';
import { openEngine } from '../src/engines/index.js';

const { values } = parseArgs({ options: { rows: { type: 'string', default: '1000000' } } });
const rows = Number(values.rows);
const requestRows = 1000;
const target = 30;

const utf8 = (text: string): Uint8Array => new Uint8Array(Buffer.from(text));
const set = (bytes: number, qualifier = 'q'): Mutation => ({
  kind: 'setCell',
  family: 'f',
  qualifier: utf8(qualifier),
  timestamp: 1000n,
  value: new Uint8Array(bytes).fill(120),
});
/** Keys in a scattered order. */
const keyOf = (i: number): Uint8Array =>
  utf8(`device-${String((i * 7_919) % 1_000_003).padStart(7, '0')}#${i}`);
const rowOf = (i: number, bytes = 100): RowMutation => ({ key: keyOf(i), mutations: [set(bytes)] });

/** A turn: when it began, its length, and how long it waited for a processor, in milliseconds. */
interface Turn {
  readonly start: number;
  readonly wall: number;
  readonly waited: number;
}

/** How long this thread has waited for a processor, in ms; 0 where the system does not tell. */
function threadWaited(): number {
  try {
    const text = readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'latin1');
    return Number(text.split(' ')[1]) / 1e6;
  } catch {
    return 0;
  }
}

/** The turns and the pauses of the garbage collector since they were last read. */
class Turns {
  #all: Turn[] = [];
  #start = performance.now();
  #waited = threadWaited();
  readonly #pauses: { start: number; ms: number }[] = [];

  constructor() {
    new PerformanceObserver((list) => {
      for (const { startTime, duration } of list.getEntries())
        this.#pauses.push({ start: startTime, ms: duration });
    }).observe({ entryTypes: ['gc'] });
    this.#tick();
  }

  #tick(): void {
    const now = performance.now();
    const waited = threadWaited();
    this.#all.push({ start: this.#start, wall: now - this.#start, waited: waited - this.#waited });
    this.#start = now;
    this.#waited = waited;
    setImmediate(() => void this.#tick()).unref();
  }

  take(): Turn[] {
    return this.#all.splice(0).sort((a, b) => a.wall - b.wall);
  }

  /** How much of a turn the garbage collector took, in milliseconds. */
  collected({ start, wall }: Turn): number {
    let sum = 0;
    for (const pause of this.#pauses)
      if (pause.start >= start && pause.start < start + wall) sum += pause.ms;
    return sum;
  }
}

const turns = new Turns();

/** Runs work and prints its turns. The rows that it writes are made before. */
async function measure(name: string, work: () => Promise<unknown>): Promise<void> {
  await new Promise((resolve) => void setTimeout(resolve, 200));
  turns.take();
  const start = performance.now();
  await work();
  const ms = performance.now() - start;
  const all = turns.take();
  // What the observer has not reported yet.
  await new Promise((resolve) => void setTimeout(resolve, 50));
  const at = (part: number): Turn | undefined => all[Math.floor((all.length - 1) * part)];
  const shown = (value = 0): string => value.toFixed(1);
  // In kilobytes, of the whole process since it began.
  const peak = process.resourceUsage().maxRSS / 1024;
  const long = all.filter((turn) => turn.wall > target);
  const own = long.filter((turn) => turn.wall - turn.waited - turns.collected(turn) > target);
  const longest = at(1);
  const columns = [
    ms.toFixed(0),
    all.length,
    ...[0.5, 0.99, 0.999, 1].map((part) => shown(at(part)?.wall)),
    shown(longest?.waited),
    shown(longest === undefined ? 0 : turns.collected(longest)),
    long.length,
    own.length,
    peak.toFixed(0),
  ];
  console.log(`${name.padEnd(30)}${columns.map((text) => String(text).padStart(9)).join('')}`);
}

async function scan(engine: Engine): Promise<void> {
  const stream = engine.readRows({
    table: 't',
    ranges: [{ start: new Uint8Array() }],
    reversed: false,
  });
  for (let page = await stream.next(); page !== undefined; page = await stream.next())
    while (page.nextRow()) while (page.nextCell());
}

async function main(): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'rowsmith-turns-'));
  const url = `file:${join(directory, 'data')}`;
  console.log(
    [
      'work',
      'ms',
      'turns',
      'p50',
      'p99',
      'p99.9',
      'longest',
      'waited',
      'gc',
      `> ${target} ms`,
      'own',
      'peak MB',
    ]
      .map((text, i) => (i === 0 ? text.padEnd(30) : text.padStart(9)))
      .join(''),
  );
  let engine = await openEngine(url);
  await engine.createTable({ name: 't', families: new Map([['f', {}]]) });
  const many = Array.from({ length: 50_000 }, (_, i) => rowOf(i));
  await measure('a request of 50,000 rows', () => engine.mutateRows('t', many));
  await measure(`${rows} rows, requests of ${requestRows}`, async () => {
    for (let i = 0; i < rows; i += requestRows)
      await engine.mutateRows(
        't',
        Array.from({ length: requestRows }, (_, j) => rowOf(i + j)),
      );
  });
  await measure('scan beside merges', () => scan(engine));
  await measure('10,000 saves, 200 at a time', async () => {
    for (let i = 0; i < 10_000; i += 200)
      await Promise.all(Array.from({ length: 200 }, (_, j) => engine.mutateRow('t', rowOf(i + j))));
  });
  await measure('30 rows of 1 MB', async () => {
    for (let i = 0; i < 30; i++) await engine.mutateRow('t', rowOf(i, 1_000_000));
  });
  await measure('sampleRowKeys', () => engine.sampleRowKeys('t'));
  await measure('40,000 rows deleted', () =>
    engine.mutateRows(
      't',
      many.slice(0, 40_000).map(({ key }) => ({ key, mutations: [{ kind: 'deleteFromRow' }] })),
    ),
  );
  await measure('compact', () => engine.compact());
  await measure('scan', () => scan(engine));
  await measure('close', () => engine.close());
  await measure('open', async () => void (engine = await openEngine(url)));
  await measure('a tenth dropped', () =>
    engine.dropRowRange('t', { kind: 'prefix', prefix: utf8('device-00') }),
  );
  await measure('the table dropped', () => engine.deleteTable('t'));
  await measure('close', () => engine.close());
  rmSync(directory, { recursive: true });
}

await main();
