/**
 * How long the event loop is held up while the embedded engine works on disk: the turns of each kind
 * of work as a histogram. `npm run bench -- bench/turns.ts [--rows 1000000]`
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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

/** The turns since it was last read, in milliseconds. */
class Turns {
  #all: number[] = [];
  #last = performance.now();

  constructor() {
    const tick = (): void => {
      const now = performance.now();
      this.#all.push(now - this.#last);
      this.#last = now;
      setImmediate(tick).unref();
    };
    tick();
  }

  take(): number[] {
    return this.#all.splice(0).sort((a, b) => a - b);
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
  const at = (part: number): string => (all[Math.floor((all.length - 1) * part)] ?? 0).toFixed(1);
  const long = all.filter((turn) => turn > target).length;
  const columns = [ms.toFixed(0), String(all.length), at(0.5), at(0.99), at(0.999), at(1), long];
  console.log(`${name.padEnd(30)}${columns.map((text) => String(text).padStart(10)).join('')}`);
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
    ['work', 'ms', 'turns', 'p50', 'p99', 'p99.9', 'longest', `> ${target} ms`]
      .map((text, i) => (i === 0 ? text.padEnd(30) : text.padStart(10)))
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
