/**
 * Random reads through a server and a network that fail at random: statuses and broken streams
 * anywhere in a row, rows that are reset, silence, cut connections. Each read must give exactly the
 * rows of the engine behind, and never ask for more than is left. SEED=n repeats a run, SCANS=n
 * makes it longer.
 */
import { status } from '@grpc/grpc-js';
import {
  compareBytes,
  pointRange,
  rangeFrom,
  rangeHolds,
  toHex,
  unionRanges,
  type KeyRange,
} from '../../../src/bytes/index.js';
import { openMemoryEngine } from '../../../src/engines/local/index.js';
import {
  collectRows,
  type Engine,
  type Filter,
  type ReadPlan,
  type Row,
} from '../../../src/store/index.js';
import { chunksOf, messageOf, messagesOf } from '../../protocol/chunk-messages.js';
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

const scans = Number(process.env.SCANS ?? 1000);
/** Reads that are made however slow the machine is. */
const fewest = 200;
/**
 * Milliseconds after which no other read begins, but for those, unless SCANS says how many there
 * are to be: a machine that does ten other things does fewer.
 */
const budget = process.env.SCANS === undefined ? 10_000 : Infinity;
/** Reads at a time: most of their time is waiting for the next try. */
const atOnce = 50;
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

/** Keys with every kind of neighbour: prefixes of each other, 00 and FF at the end. */
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

let behind: Engine;
let server: ReadServer;
let proxy: FaultProxy;
let under: ReadsUnderTest;
/** Calls that were made to fail, and whether enough were. */
let faults = 0;
let calm = false;

beforeAll(async () => {
  behind = await openMemoryEngine();
  await behind.createTable({
    name: 't',
    families: new Map([
      ['a', {}],
      ['b', {}],
    ]),
  });
  await behind.mutateRows(
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
  server = await startReadServer(answer);
  proxy = await startFaultProxy(server.address);
  under = await readsOf(proxy.address, { attemptTimeoutMs: 3000, totalTimeoutMs: 600_000 });
});
afterAll(async () => {
  await under.close();
  await proxy.close();
  await server.close();
  await behind.close();
});

/** Sends the rows of the plan, in messages of any size, and mostly breaks off somewhere. */
async function answer(call: ReadCall): Promise<void> {
  const rows = await collectRows(behind.readRows(call.plan));
  const chunks = chunksOf(messagesOf(rows));
  const fails = !calm && next(100) < 40;
  const stop = fails ? next(chunks.length + 1) : chunks.length;
  for (let at = 0; at < stop;) {
    const size = Math.min(1 + next(8), stop - at);
    await call.send(messageOf(chunks.slice(at, (at += size))));
  }
  if (!fails) return;
  faults++;
  const { whole, begun } = committed(chunks.slice(0, stop), rows);
  if (begun && next(3) === 0) await call.send(resetRow);
  if (!begun && next(3) === 0) await sayScanned(call, rows, whole);
  switch (next(12)) {
    case 0:
    case 1:
      return void (await breakOff(call));
    case 2:
      if (next(6) === 0) return void proxy.cutAll();
      throw new StatusError(status.UNAVAILABLE);
    case 3:
      if (next(20) === 0) return silence(call);
      throw new StatusError(status.UNAVAILABLE);
    default:
      throw new StatusError(pick([status.UNAVAILABLE, status.ABORTED, status.DEADLINE_EXCEEDED]));
  }
}

/** How many rows the chunks complete, and whether they leave one begun. */
function committed(
  chunks: readonly Uint8Array[],
  rows: readonly Row[],
): { readonly whole: number; readonly begun: boolean } {
  let left = chunks.length;
  let whole = 0;
  while (whole < rows.length && left >= rows[whole].cells.length)
    left -= rows[whole++].cells.length;
  return { whole, begun: left > 0 };
}

/**
 * Says that it has looked further than the last row: at keys which the filter left out, or which
 * nobody asked for.
 */
async function sayScanned(call: ReadCall, rows: readonly Row[], whole: number): Promise<void> {
  const { reversed } = call.plan;
  const after = (a: Uint8Array, b: Uint8Array | undefined): boolean =>
    b === undefined || (reversed ? compareBytes(a, b) < 0 : compareBytes(a, b) > 0);
  const before = rows.at(whole)?.key;
  const passed = keys.filter(
    (key) => after(key, rows[whole - 1]?.key) && (before === undefined || after(before, key)),
  );
  // Nothing may come behind the last row of a limit.
  if (passed.length > 0 && (call.plan.limit === undefined || before !== undefined))
    await call.send(scannedTo(pick(passed)));
}

async function breakOff(call: ReadCall): Promise<void> {
  call.reset();
  await silence(call);
}

const silence = (call: ReadCall): Promise<void> =>
  new Promise((_resolve, reject) => {
    const left = (): void => reject(new StatusError(status.CANCELLED));
    if (call.signal.aborted) left();
    call.signal.addEventListener('abort', left);
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
    ...(next(3) === 0 ? { limit: 1 + next(30) } : {}),
    ...(filter === undefined ? {} : { filter }),
  };
}

const text = (rows: readonly Row[]): string[] =>
  rows.map(
    ({ key, cells }) =>
      `${Buffer.from(key).toString('latin1')}: ${cells.map((cell) => `${cell.family}:${Buffer.from(cell.qualifier).toString()}@${cell.timestamp}=${Buffer.from(cell.value).toString()}`).join(' ')}`,
  );

/** Reads the plan on both ways. */
async function scan(plan: ReadPlan, pageRows: number): Promise<void> {
  const expected = await collectRows(behind.readRows(plan));
  expect(text(await collectRows(under.reads.open(plan, { pageRows })))).toEqual(text(expected));
}

test(`up to ${scans} reads, with seed ${seed}`, async () => {
  const plans = Array.from({ length: scans }, () => ({ plan: anyPlan(), pageRows: 1 + next(300) }));
  const waiting = plans.values();
  const end = Date.now() + budget;
  let begun = 0;
  let done = 0;
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (const { plan, pageRows } of waiting) {
        if (Date.now() > end && begun >= fewest) {
          calm = true;
          return;
        }
        begun++;
        await scan(plan, pageRows);
        done++;
      }
    }),
  );
  calm = false;
  console.log(`${done} random reads of ${scans}, ${faults} calls made to fail`);
  expect(done).toBeGreaterThanOrEqual(Math.min(scans, fewest));
  // The run was one of faults.
  expect(faults).toBeGreaterThan(done / 5);
}, 600_000);

test('a read asks for less each time, and for nothing that it has', async () => {
  for (let i = 0; i < 15; i++) {
    const plan = {
      ...anyPlan(),
      ranges: unionRanges([anyRange(), anyRange(), rangeFrom(pick(keys), undefined)]),
    };
    const first = server.calls.length;
    const rows = await collectRows(under.reads.open(plan));
    expect(text(rows)).toEqual(text(await collectRows(behind.readRows(plan))));
    const calls = server.calls.slice(first).map((call) => call.plan);
    let before: ReadPlan = plan;
    for (const call of calls) {
      const asks = ({ ranges }: ReadPlan): readonly string[] =>
        keys.filter((key) => ranges.some((range) => rangeHolds(range, key))).map(toHex);
      const wider = asks(call).filter((key) => !asks(before).includes(key));
      expect(wider).toEqual([]);
      // Rows that were read count towards the limit: what is left of it, and what is left to ask
      // for, go together.
      const got = rows.filter(({ key }) => !asks(call).includes(toHex(key))).length;
      if (plan.limit !== undefined) expect(call.limit).toBe(plan.limit - got);
      else expect(call.limit).toBeUndefined();
      expect({ reversed: call.reversed, filter: call.filter }).toEqual({
        reversed: plan.reversed,
        filter: plan.filter,
      });
      before = call;
    }
  }
});
