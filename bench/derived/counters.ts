/**
 * `npm run bench -- bench/derived/counters.ts`: 1,000,000 increments of 1,000 rows through
 * `bufferedCounters`, beside a hundredth as many by `increment()` for each with 64 in flight; for
 * counters of plain and of aggregate families. In memory, on disk, and live to our server and to
 * Google's emulator in processes of their own. Options: --rows N (increments), --only NAME (memory,
 * disk, ours, emulator), --json. The exit code is 2 if a flush took more
 * than one request for each row.
 */
import { join } from 'node:path';
import { Counter, Entity, Segment } from '../../decorators/index.js';
import { bufferedCounters, maxVersions, rowKey, aggregate } from '../../src/index.js';
import { Database, openParts, type OpenOptions } from '../../src/entities/repository/index.js';
import { type Engine, type Stage, withStages } from '../../src/data/store/index.js';
import { interleave, type Variant } from '../interleave.js';
import { benchOptions, progress, Results } from '../results.js';
import { scratchDirectory } from '../stores.js';
import { type Running, startEmulator, startProgram } from '../wire/processes.js';

@Entity({ table: 'pages', families: { c: { gc: maxVersions(1) }, a: aggregate('sum') } })
class Page {
  static readonly key = rowKey('id');
  @Segment('uint', { max: 999 }) id!: number;
  @Counter('c') plain?: bigint;
  @Counter('a') aggregate?: bigint;
}

/** What one run has sent. */
interface Sent {
  readonly requests: number;
  readonly flushes: number;
}

const options = benchOptions(process.argv.slice(2));
const increments = options.rows;
const rows = 1000;
const callsInFlight = 64;
const rounds = 3;
/** Additions between two turns of the event loop, in which timers run. */
const perTurn = 1000;
const wants = (name: string): boolean => options.only.length === 0 || options.only.includes(name);
const results = new Results(options);

if (wants('memory')) await measure('memory', 'memory:');
if (wants('disk')) await measure('disk', `file:${join(scratchDirectory(), 'data')}`);
if (wants('ours')) await live('ours', await startProgram('server-process', 'ours', 'memory'));
if (wants('emulator')) {
  const emulator = await startEmulator();
  if (emulator === undefined)
    console.error("Google's emulator is not on this machine and is not measured.");
  else await live('emulator', emulator);
}
process.exit(results.finish({ increments, rows }));

async function live(name: string, server: Running): Promise<void> {
  await measure(name, 'bigtable://p/i', { bigtable: { emulatorHost: server.address } });
  await server.stop();
}

async function measure(
  name: string,
  url: string,
  settings: Partial<OpenOptions> = {},
): Promise<void> {
  const parts = await openParts(url, { ...settings, entities: [Page] });
  const requests = { count: 0 };
  const db = new Database({ ...parts, engine: counted(parts.engine, requests) });
  await db.admin.apply();
  for (const property of ['plain', 'aggregate'] as const) {
    progress(`${name}.${property}`);
    const sent: Sent[] = [];
    const each = { name: 'increment', run: () => callEach(db, property) };
    const buffered = {
      name: 'buffered',
      run: async () => {
        const before = requests.count;
        const flushes = await buffer(db, property);
        sent.push({ requests: requests.count - before, flushes });
        return increments;
      },
    };
    await report(`${name}.${property}`, [each, buffered], sent);
  }
  await db.close();
}

async function report(
  name: string,
  variants: readonly Variant[],
  sent: readonly Sent[],
): Promise<void> {
  const timings = await interleave(variants, rounds, 1);
  const each = timings.get('increment')!;
  results.addTiming(`${name}.increment`, each, 'us/increment');
  const comparison = { with: each, of: 'increment' };
  results.addTiming(`${name}.buffered`, timings.get('buffered')!, 'us/increment', comparison);
  const [most] = [...sent].sort((a, b) => b.requests - a.requests);
  results.add({
    name: `${name}.requests`,
    value: most.requests,
    unit: 'requests',
    ratio: most.requests / (most.flushes * rows),
    of: `rows x ${most.flushes} flushes`,
    target: { kind: 'atMost', ratio: 1 },
  });
}

/** One request for each increment. */
async function callEach(db: Database, property: 'plain' | 'aggregate'): Promise<number> {
  const pages = db.repository(Page);
  const count = Math.ceil(increments / 100);
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < count) await pages.increment({ id: next++ % rows }, property);
  };
  await Promise.all(Array.from({ length: callsInFlight }, lane));
  return count;
}

/** All increments through buffered counters; the number of flushes. */
async function buffer(db: Database, property: 'plain' | 'aggregate'): Promise<number> {
  let written = 0n;
  let flushes = 0;
  const counters = bufferedCounters(db.repository(Page), {
    onFlush: (result) => {
      flushes++;
      for (const { amount } of result.written) written += amount;
    },
  });
  for (let i = 0; i < increments; i++) {
    const waits = counters.add({ id: i % rows }, property);
    if (waits !== undefined) await waits;
    if (i % perTurn === 0) await new Promise((resolve) => void setImmediate(resolve));
  }
  await counters.close();
  if (written !== BigInt(increments)) throw new Error(`${written} of ${increments} were written`);
  return flushes;
}

/** The engine, with its writes counted. */
function counted(engine: Engine, requests: { count: number }): Engine {
  const counter: Stage = {
    write(request, send) {
      requests.count++;
      return send(request);
    },
  };
  return withStages(engine, [counter]);
}
