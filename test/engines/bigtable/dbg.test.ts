/**
 * Random reads through a server and a network that fail at random: statuses and broken streams anywhere in a row, rows that are reset, silence, cut
 * connections. Each read must give exactly the rows of the engine behind, and never ask for more than is left. SEED=n repeats a run, SCANS=n makes it longer.
 */
import { status } from '@grpc/grpc-js';
import { compareBytes, pointRange, rangeFrom, rangeHolds, unionRanges, type KeyRange } from '../../../src/bytes/index.js';
import { openMemoryEngine } from '../../../src/engines/local/index.js';
import { collectRows, type Engine, type Filter, type ReadPlan, type Row } from '../../../src/store/index.js';
import { chunksOf, messageOf, messagesOf } from '../../protocol/chunk-messages.js';
import { startFaultProxy, type FaultProxy } from '../../support/fault-proxy.js';
import { readsOf, Refusal, resetRow, scannedTo, startReadServer, type ReadCall, type ReadServer, type ReadsUnderTest } from './read-server.js';

const scans = Number(process.env.SCANS ?? 1000);
const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31);
/** Reads at a time: most of their time is waiting for the next try. */
const atOnce = 25;
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
const keys = [...new Set(Array.from({ length: 120 }, (_, i) => `${'abcdef'[i % 6]}${String(i * 7 % 40).padStart(2, '0')}${['', '\0', '\xff', 'x'][i % 4]}`))].map((key) => new Uint8Array(Buffer.from(key, 'latin1'))).sort(compareBytes);

let behind: Engine;
let server: ReadServer;
let proxy: FaultProxy;
let under: ReadsUnderTest;
/** Calls that were made to fail. */
let faults = 0;

beforeAll(async () => {
  behind = await openMemoryEngine();
  await behind.createTable({ name: 't', families: new Map([['a', {}], ['b', {}]]) });
  await behind.mutateRows('t', keys.map((key, i) => ({
    key, mutations: Array.from({ length: 1 + (i % 5) }, (_, n) => ({ kind: 'setCell' as const, family: n % 2 === 0 ? 'a' : 'b', qualifier: utf8(`q${n}`), timestamp: 1000 * (i + 1), value: utf8(`${i}.${n}`) })),
  })));
  server = await startReadServer(answer);
  proxy = await startFaultProxy(server.address);
  under = await readsOf(proxy.address, { attemptTimeoutMs: 2000, totalTimeoutMs: 600_000 });
});
afterAll(async () => {
  await under.close();
  await proxy.close();
  await server.close();
  await behind.close();
});

/** Sends the rows of the plan, in messages of any size, and mostly breaks off somewhere. */
const state = new Map<number, string>();
async function answer(call: ReadCall): Promise<void> {
  state.set(call.index, 'run');
  call.signal.addEventListener('abort', () => state.set(call.index, (state.get(call.index) ?? '') + ' left'));
  try { await answer2(call); state.set(call.index, state.get(call.index) + ' ok'); } catch (e) { state.set(call.index, state.get(call.index) + ' fault ' + (e as Error).message); throw e; }
}
async function answer2(call: ReadCall): Promise<void> {
  const rows = await collectRows(behind.readRows(call.plan));
  const chunks = chunksOf(messagesOf(rows));
  const fails = !(global as any).nofaults && next(100) < 45;
  const stop = fails ? next(chunks.length + 1) : chunks.length;
  for (let at = 0; at < stop;) {
    const size = Math.min(1 + next(8), stop - at);
    await call.send(messageOf(chunks.slice(at, at += size)));
  }
  if (!fails) return;
  faults++;
  const { whole, begun } = committed(chunks.slice(0, stop), rows);
  if (begun && next(3) === 0) await call.send(resetRow);
  if (!begun && next(3) === 0) await sayScanned(call, rows, whole);
  switch (next(12)) {
    case 0: case 1: return void (await breakOff(call));
    case 2: return void proxy.cutAll();
    case 3: if (next(12) === 0) return silence(call); throw new Refusal(status.UNAVAILABLE);
    default: throw new Refusal(pick([status.UNAVAILABLE, status.ABORTED, status.DEADLINE_EXCEEDED]));
  }
}

/** How many rows the chunks complete, and whether they leave one begun. */
function committed(chunks: readonly Uint8Array[], rows: readonly Row[]): { readonly whole: number; readonly begun: boolean } {
  let left = chunks.length;
  let whole = 0;
  while (whole < rows.length && left >= rows[whole].cells.length) left -= rows[whole++].cells.length;
  return { whole, begun: left > 0 };
}

/** Says that it has looked further than the last row: at keys which the filter left out, or which nobody asked for. */
async function sayScanned(call: ReadCall, rows: readonly Row[], whole: number): Promise<void> {
  const { reversed } = call.plan;
  const after = (a: Uint8Array, b: Uint8Array | undefined): boolean => b === undefined || (reversed ? compareBytes(a, b) < 0 : compareBytes(a, b) > 0);
  const before = rows.at(whole)?.key;
  const passed = keys.filter((key) => after(key, rows[whole - 1]?.key) && (before === undefined || after(before, key)));
  // Nothing may come behind the last row of a limit.
  if (passed.length > 0 && (call.plan.limit === undefined || before !== undefined)) await call.send(scannedTo(pick(passed)));
}

async function breakOff(call: ReadCall): Promise<void> {
  call.reset();
  await silence(call);
}

const silence = (call: ReadCall): Promise<void> => new Promise((_resolve, reject) => {
  const left = (): void => reject(new Refusal(status.CANCELLED));
  if (call.signal.aborted) left();
  call.signal.addEventListener('abort', left);
});

function anyRange(): KeyRange {
  const [a, b] = [pick(keys), pick(keys)].sort(compareBytes);
  return pick([pointRange(a), rangeFrom(a, b), rangeFrom(a, undefined), rangeFrom(utf8(''), b), rangeFrom(utf8(''), undefined), pointRange(utf8('nobody'))]);
}

function anyPlan(): ReadPlan {
  const points = next(3) === 0;
  const ranges = unionRanges(points ? Array.from({ length: 1 + next(50) }, () => pointRange(pick(keys))) : Array.from({ length: 1 + next(4) }, anyRange));
  const filter = pick<Filter | undefined>([
    undefined, undefined, { kind: 'families', families: ['a'] }, { kind: 'rowKeyRegex', pattern: utf8('[ace].*') }, { kind: 'cellsPerRow', count: 2 },
    { kind: 'columns', columns: [{ family: 'b', qualifiers: [utf8('q1')] }] }, { kind: 'chain', filters: [{ kind: 'families', families: ['b'] }, { kind: 'stripValue' }] },
  ]);
  return { table: 't', ranges: ranges.length === 0 ? [pointRange(keys[0])] : ranges, reversed: next(2) === 0, ...(next(3) === 0 ? { limit: 1 + next(30) } : {}), ...(filter === undefined ? {} : { filter }) };
}

const text = (rows: readonly Row[]): string[] => rows.map(({ key, cells }) => `${Buffer.from(key).toString('latin1')}: ${cells.map((cell) => `${cell.family}:${Buffer.from(cell.qualifier).toString()}@${cell.timestamp}=${Buffer.from(cell.value).toString()}`).join(' ')}`);

/** The calls of a plan are those that ask for its rows: none may ask for a key that the plan does not hold. */
async function scan(plan: ReadPlan, pageRows: number): Promise<void> {
  const expected = await collectRows(behind.readRows(plan));
  expect(text(await collectRows(under.reads.open(plan, { pageRows })))).toEqual(text(expected));
}

setTimeout(async () => {
  const last = server.calls.at(-1)!;
  const log = (x: string) => process.stderr.write(`DBG ${x}\n`);
  log(JSON.stringify(last.plan, (_k, v) => v instanceof Uint8Array ? Buffer.from(v).toString('latin1') : v) + ' sent ' + last.sent);
  const attempt = async (name: string, u: ReadsUnderTest, plan: ReadPlan) => { const t = Date.now(); const r = await Promise.race([collectRows(u.reads.open(plan)).then((r) => `${r.length} rows`, (e) => String(e)), new Promise((r) => setTimeout(() => r('stuck'), 3000))]); log(`${name} ${r} ${Date.now() - t}`); };
  const p = last.plan.filter === undefined ? last.plan : last.plan;
  (global as any).nofaults = true;
  await attempt('same plan, same conns', under, p);
  await attempt('other plan, same conns', under, { table: 't', ranges: [rangeFrom(utf8('a'), utf8('b'))], reversed: false });
  const fresh = await readsOf(proxy.address, {});
  await attempt('same plan, fresh conns via proxy', fresh, p);
  const ch = (under.reads as any).context.calls.channel; log(JSON.stringify(ch.connections.map((c: any) => [c.calls, c.stub.getChannel().getConnectivityState(false)])));
}, 15000).unref();
setInterval(() => { const open = [...state].filter(([, v]) => v === 'run').map(([k]) => k); process.stderr.write(`calls ${server.calls.length} running ${open.join(',')} conns ${proxy.connections()} cuts ${proxy.cuts()} last ${[...state].slice(-3).map((x) => x.join(':')).join(' | ')}\n`); }, 2000).unref();
test(`${scans} reads, with seed ${seed}`, async () => {
  const plans = Array.from({ length: scans }, () => ({ plan: anyPlan(), pageRows: 1 + next(300) }));
  const waiting = plans.values();
  await Promise.all(Array.from({ length: atOnce }, async () => {
    for (const { plan, pageRows } of waiting) await scan(plan, pageRows);
  }));
  // The run was one of faults.
  expect(faults).toBeGreaterThan(scans / 4);
  expect(proxy.cuts()).toBeGreaterThan(0);
}, 25_000);

test('a read asks for less each time, and for nothing that it has', async () => {
  for (let i = 0; i < 40; i++) {
    const plan = { ...anyPlan(), ranges: unionRanges([anyRange(), anyRange(), rangeFrom(pick(keys), undefined)]) };
    const first = server.calls.length;
    const rows = await collectRows(under.reads.open(plan));
    const calls = server.calls.slice(first).map((call) => call.plan);
    let before: ReadPlan = plan;
    for (const call of calls) {
      const asks = ({ ranges }: ReadPlan): readonly Uint8Array[] => keys.filter((key) => ranges.some((range) => rangeHolds(range, key)));
      const wider = asks(call).filter((key) => !asks(before).includes(key));
      expect(wider).toEqual([]);
      // Rows that were read count towards the limit: what is left of it, and what is left to ask for, go together.
      const got = rows.filter(({ key }) => !asks(call).includes(key)).length;
      if (plan.limit !== undefined) expect(call.limit).toBe(plan.limit - got);
      else expect(call.limit).toBeUndefined();
      expect({ reversed: call.reversed, filter: call.filter }).toEqual({ reversed: plan.reversed, filter: plan.filter });
      before = call;
    }
  }
}, 25_000);
