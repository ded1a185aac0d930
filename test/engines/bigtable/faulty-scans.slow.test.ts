/**
 * Random reads with a server and a network that fail at random: error statuses and broken streams
 * anywhere in a row, row resets, hanging calls, cut connections. Each read must return exactly the
 * rows of the backend, and must not request rows again. SEED=n repeats a run, RUNS=n makes it
 * longer.
 */
import { status } from '@grpc/grpc-js';
import {
  compareBytes,
  type KeyRange,
  pointRange,
  rangeContains,
  rangeFrom,
  toHex,
  unionRanges,
} from '../../../src/base/index.js';
import { openMemoryEngine } from '../../../src/engines/local/index.js';
import {
  collectRows,
  type Engine,
  type Filter,
  type ReadPlan,
  type Row,
} from '../../../src/data/store/index.js';
import { chunksOf, messageOf, messagesOf } from '../protocol/chunk-messages.js';
import { startFaultProxy, type FaultProxy } from '../../support/fault-proxy.js';
import { seed } from '../../support/seed.js';
import {
  readsOf,
  StatusError,
  resetRow,
  scannedTo,
  startReadServer,
  type ReadCall,
  type ReadServer,
  type ReadsUnderTest,
} from './read-server.js';

const scans = Number(process.env.RUNS ?? 200);
/** Reads that are run however slow the machine is. */
const minReads = 200;
/**
 * After this many milliseconds no further read starts, except for `minReads`: a busy machine runs
 * fewer reads. No limit if RUNS is set.
 */
const budgetMs = process.env.RUNS === undefined ? 10_000 : Infinity;
/** Concurrent reads: most of the time is spent waiting for a retry. */
const concurrency = 50;
const utf8 = (text: string): Uint8Array => new Uint8Array(Buffer.from(text));

function random(start: number): (below: number) => number {
  let state = start >>> 0;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
const next = random(seed);
const pick = <T>(list: readonly T[]): T => list[next(list.length)];

/** Keys that are prefixes of each other, or end with 00 or FF. */
const keys = [
  ...new Set(
    Array.from(
      { length: 120 },
      (_, i) =>
        `${'abcdef'[i % 6]}${String((i * 7) % 40).padStart(2, '0')}${['', '\0', '\xff', 'x'][i % 4]}`,
    ),
  ),
]
  .map((key) => new Uint8Array(Buffer.from(key, 'latin1')))
  .sort(compareBytes);

let backend: Engine;
let server: ReadServer;
let proxy: FaultProxy;
let under: ReadsUnderTest;
/** Number of injected failures, and whether injection is off. */
let faults = 0;
let calm = false;

beforeAll(async () => {
  backend = await openMemoryEngine();
  await backend.createTable({
    name: 't',
    families: new Map([
      ['a', {}],
      ['b', {}],
    ]),
  });
  await backend.mutateRows(
    't',
    keys.map((key, i) => ({
      key,
      mutations: Array.from({ length: 1 + (i % 5) }, (_, n) => ({
        kind: 'setCell' as const,
        family: n % 2 === 0 ? 'a' : 'b',
        qualifier: utf8(`q${n}`),
        timestamp: 1000 * (i + 1),
        value: utf8(`${i}.${n}`),
      })),
    })),
  );
  server = await startReadServer(respond);
  proxy = await startFaultProxy(server.address);
  under = await readsOf(proxy.address, { attemptTimeoutMs: 3000, totalTimeoutMs: 600_000 });
});
afterAll(async () => {
  await under.close();
  await proxy.close();
  await server.close();
  await backend.close();
});

/** Sends the rows of the plan in messages of random size, and often fails somewhere. */
async function respond(call: ReadCall): Promise<void> {
  const rows = await collectRows(backend.readRows(call.plan));
  const chunks = chunksOf(messagesOf(rows));
  const fails = !calm && next(100) < 40;
  const stop = fails ? next(chunks.length + 1) : chunks.length;
  for (let at = 0; at < stop;) {
    const size = Math.min(1 + next(8), stop - at);
    await call.send(messageOf(chunks.slice(at, (at += size))));
  }
  if (!fails) return;
  faults++;
  const { complete, isInRow } = sentRows(chunks.slice(0, stop), rows);
  if (isInRow && next(3) === 0) await call.send(resetRow);
  if (!isInRow && next(3) === 0) await sendScanned(call, rows, complete);
  switch (next(12)) {
    case 0:
    case 1:
      return void (await resetStream(call));
    case 2:
      if (next(6) === 0) return void proxy.disconnectAll();
      throw new StatusError(status.UNAVAILABLE);
    case 3:
      if (next(20) === 0) return hang(call);
      throw new StatusError(status.UNAVAILABLE);
    default:
      throw new StatusError(pick([status.UNAVAILABLE, status.ABORTED, status.DEADLINE_EXCEEDED]));
  }
}

/** The number of complete rows in the chunks, and whether they end inside a row. */
function sentRows(
  chunks: readonly Uint8Array[],
  rows: readonly Row[],
): { readonly complete: number; readonly isInRow: boolean } {
  let left = chunks.length;
  let complete = 0;
  while (complete < rows.length && left >= rows[complete].cells.length)
    left -= rows[complete++].cells.length;
  return { complete, isInRow: left > 0 };
}

/** Sends a last_scanned_row_key after the last row: a key that is filtered out or not requested. */
async function sendScanned(call: ReadCall, rows: readonly Row[], complete: number): Promise<void> {
  const { reversed } = call.plan;
  const isAfter = (a: Uint8Array, b: Uint8Array | undefined): boolean =>
    b === undefined || (reversed ? compareBytes(a, b) < 0 : compareBytes(a, b) > 0);
  const nextKey = rows.at(complete)?.key;
  const scanned = keys.filter(
    (key) =>
      isAfter(key, rows[complete - 1]?.key) && (nextKey === undefined || isAfter(nextKey, key)),
  );
  // A server sends nothing after the last row of a limit.
  if (scanned.length > 0 && (call.plan.limit === undefined || nextKey !== undefined))
    await call.send(scannedTo(pick(scanned)));
}

async function resetStream(call: ReadCall): Promise<void> {
  call.reset();
  await hang(call);
}

const hang = (call: ReadCall): Promise<void> =>
  new Promise((_resolve, reject) => {
    const cancel = (): void => reject(new StatusError(status.CANCELLED));
    if (call.signal.aborted) cancel();
    call.signal.addEventListener('abort', cancel);
  });

function anyRange(): KeyRange {
  const [a, b] = [pick(keys), pick(keys)].sort(compareBytes);
  return pick([
    pointRange(a),
    rangeFrom(a, b),
    rangeFrom(a, undefined),
    rangeFrom(utf8(''), b),
    rangeFrom(utf8(''), undefined),
    pointRange(utf8('nobody')),
  ]);
}

function anyPlan(): ReadPlan {
  const points = next(3) === 0;
  const ranges = unionRanges(
    points
      ? Array.from({ length: 1 + next(50) }, () => pointRange(pick(keys)))
      : Array.from({ length: 1 + next(4) }, anyRange),
  );
  const filter = pick<Filter | undefined>([
    undefined,
    undefined,
    { kind: 'families', families: ['a'] },
    { kind: 'rowKeyRegex', pattern: utf8('[ace].*') },
    { kind: 'cellsPerRow', count: 2 },
    { kind: 'columns', columns: [{ family: 'b', qualifiers: [utf8('q1')] }] },
    { kind: 'chain', filters: [{ kind: 'families', families: ['b'] }, { kind: 'stripValue' }] },
  ]);
  return {
    table: 't',
    ranges: ranges.length === 0 ? [pointRange(keys[0])] : ranges,
    reversed: next(2) === 0,
    limit: next(3) === 0 ? 1 + next(30) : undefined,
    filter,
  };
}

const text = (rows: readonly Row[]): string[] =>
  rows.map(
    ({ key, cells }) =>
      `${Buffer.from(key).toString('latin1')}: ${cells.map((cell) => `${cell.family}:${Buffer.from(cell.qualifier).toString()}@${cell.timestamp}=${Buffer.from(cell.value).toString()}`).join(' ')}`,
  );

/** Compares a read through the faulty server with one of the backend. */
async function scan(plan: ReadPlan, pageRows: number): Promise<void> {
  const expected = await collectRows(backend.readRows(plan));
  expect(text(await collectRows(under.reads.open(plan, { pageRows })))).toEqual(text(expected));
}

test(`up to ${scans} reads, with seed ${seed}`, async () => {
  const plans = Array.from({ length: scans }, () => ({ plan: anyPlan(), pageRows: 1 + next(300) }));
  const waiting = plans.values();
  const end = Date.now() + budgetMs;
  let started = 0;
  let done = 0;
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      for (const { plan, pageRows } of waiting) {
        if (Date.now() > end && started >= minReads) {
          calm = true;
          return;
        }
        started++;
        await scan(plan, pageRows);
        done++;
      }
    }),
  );
  calm = false;
  console.log(`${done} of ${scans} random reads, ${faults} injected failures`);
  expect(done).toBeGreaterThanOrEqual(Math.min(scans, minReads));
  // Failures were injected.
  expect(faults).toBeGreaterThan(done / 5);
}, 600_000);

test('each request of a read asks for less, and for no row that was read', async () => {
  for (let i = 0; i < 15; i++) {
    const plan = {
      ...anyPlan(),
      ranges: unionRanges([anyRange(), anyRange(), rangeFrom(pick(keys), undefined)]),
    };
    const first = server.calls.length;
    const rows = await collectRows(under.reads.open(plan));
    expect(text(rows)).toEqual(text(await collectRows(backend.readRows(plan))));
    const calls = server.calls.slice(first).map((call) => call.plan);
    let before: ReadPlan = plan;
    for (const call of calls) {
      const requested = ({ ranges }: ReadPlan): readonly string[] =>
        keys.filter((key) => ranges.some((range) => rangeContains(range, key))).map(toHex);
      const wider = requested(call).filter((key) => !requested(before).includes(key));
      expect(wider).toEqual([]);
      // The limit is reduced by the rows that are not requested again.
      const rowsRead = rows.filter(({ key }) => !requested(call).includes(toHex(key))).length;
      if (plan.limit !== undefined) expect(call.limit).toBe(plan.limit - rowsRead);
      else expect(call.limit).toBeUndefined();
      expect({ reversed: call.reversed, filter: call.filter }).toEqual({
        reversed: plan.reversed,
        filter: plan.filter,
      });
      before = call;
    }
  }
});
