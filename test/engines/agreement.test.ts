/**
 * Random histories on the three engines, and on the Bigtable engine over our server: all results
 * must be equal, byte for byte. `SEED=n RUNS=1` replays one.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { everyKey } from '../../src/base/index.js';
import { openDiskEngine, openMemoryEngine } from '../../src/engines/local/index.js';
import type { Engine, Filter, GcMode } from '../../src/data/store/index.js';
import { encodeFilter } from '../../src/engines/protocol/index.js';
import { openOverOurServer } from './bigtable/live-backends.js';
import { families, history, random, run, type Operation } from './history.js';
import { ReferenceEngine } from './reference-engine.js';
import { seed } from '../support/seed.js';

const start = 1_700_000_000_000;
/** Number of histories, each with the next seed. */
const histories = Number(process.env.RUNS ?? 1);
const length = 100;

/** Describes the first difference; undefined when all engines agree. */
async function disagreement(
  operations: readonly Operation[],
  gc: GcMode,
): Promise<string | undefined> {
  const directory = mkdtempSync(join(tmpdir(), 'rowsmith-agree-'));
  let now = start;
  // Constant, because engines may draw a different number of times: they need not filter the rows
  // after a limit.
  const options = { clock: () => now, gc, random: () => 0.5 };
  const disk = () => openDiskEngine(directory, { ...options, durability: 'relaxed' });
  const live = await openOverOurServer(options);
  // Bigtable collects by itself, so the server's engine is compacted instead.
  live.engine.compact = (table) => live.backend.compact(table);
  const engines: Record<string, Engine> = {
    reference: new ReferenceEngine(options),
    memory: await openMemoryEngine(options),
    disk: await disk(),
    live: live.engine,
  };
  const all = () =>
    Promise.all(
      Object.values(engines).map((engine) =>
        run(engine, {
          kind: 'read',
          plan: { table: 't', ranges: [everyKey], reversed: false },
          pageRows: 7,
        }),
      ),
    );
  try {
    for (const engine of Object.values(engines))
      await engine.createTable({ name: 't', families: new Map(Object.entries(families)) });
    for (const [at, operation] of operations.entries()) {
      if (!isSupportedByApi(operation)) continue;
      if (operation.kind === 'wait') now += operation.ms;
      if (operation.kind === 'reopen') {
        await engines.disk.close();
        engines.disk = await disk();
      }
      const results = await Promise.all(
        Object.values(engines).map((engine) => run(engine, operation)),
      );
      const state = at % 8 === 7 || at === operations.length - 1 ? await all() : [];
      for (const set of [results, state]) {
        for (let other = 1; other < set.length; other++) {
          if (!same(set[0], set[other]))
            return `${Object.keys(engines)[other]} at ${at}: ${short(operation)}\n${short(set[0])}\n${short(set[other])}`;
        }
      }
    }
    return undefined;
  } finally {
    for (const engine of Object.values(engines)) await engine.close();
    await live.close();
    rmSync(directory, { recursive: true });
  }
}

/**
 * True when the Bigtable engine supports the operation. Filters of the API have at most 20,480
 * bytes (data.proto, RowFilter), which embedded engines do not limit. A plan without ranges sends
 * no request, so that its filter is not validated.
 */
function isSupportedByApi(operation: Operation): boolean {
  const filter = filterOf(operation);
  if (filter === undefined) return true;
  if (operation.kind === 'read' && operation.plan.ranges.length === 0) return false;
  try {
    return encodeFilter(filter).length <= 20_480;
  } catch {
    return true;
  }
}

function filterOf(operation: Operation): Filter | undefined {
  if (operation.kind === 'read') return operation.plan.filter;
  if (operation.kind === 'check') return operation.predicate;
  return undefined;
}

function same(a: unknown, b: unknown): boolean {
  return isIdentical(a, b) || canonical(a) === canonical(b);
}

/** Whether plain data is obviously the same, which is found faster than by `canonical`. */
function isIdentical(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (a instanceof Uint8Array) return b instanceof Uint8Array && Buffer.compare(a, b) === 0;
  if (Array.isArray(a))
    return (
      Array.isArray(b) && a.length === b.length && a.every((each, i) => isIdentical(each, b[i]))
    );
  if (!isPlain(a) || !isPlain(b)) return false;
  const names = Object.keys(a);
  const otherNames = Object.keys(b);
  return (
    names.length === otherNames.length &&
    names.every((name, i) => name === otherNames[i] && isIdentical(a[name], b[name]))
  );
}

function isPlain(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  return Object.getPrototypeOf(value) === Object.prototype;
}

function canonical(value: unknown): string {
  const replacer = (_key: string, inner: unknown): unknown => {
    if (typeof inner === 'bigint') return `${inner}n`;
    if (inner instanceof Uint8Array) return Buffer.from(inner).toString('latin1');
    return inner;
  };
  return JSON.stringify(value, replacer) ?? 'undefined';
}

const short = (value: unknown): string =>
  inspect(value, { depth: 6, maxArrayLength: 12, breakLength: 200 });

/** Removes operations that the disagreement does not need. */
async function shrink(operations: readonly Operation[], gc: GcMode): Promise<readonly Operation[]> {
  let kept = operations;
  for (
    let size = Math.ceil(kept.length / 2);
    size >= 1;
    size = size === 1 ? 0 : Math.ceil(size / 2)
  ) {
    for (let at = 0; at < kept.length;) {
      const fewer = [...kept.slice(0, at), ...kept.slice(at + size)];
      if ((await disagreement(fewer, gc)) !== undefined) kept = fewer;
      else at += size;
    }
  }
  return kept;
}

test(
  `the engines agree on ${histories} random histories from seed ${seed}`,
  async () => {
    for (let each = seed; each < seed + histories; each++) {
      const gc = each % 3 === 0 ? 'lazy' : 'onRead';
      const operations = history(random(each), length, start);
      if ((await disagreement(operations, gc)) === undefined) continue;
      console.error(`the engines disagree: SEED=${each} RUNS=1`);
      const shrunk = await shrink(operations, gc);
      throw new Error(
        `SEED=${each} RUNS=1 (gc ${gc})\n${shrunk.map(short).join('\n')}\n\n${await disagreement(shrunk, gc)}`,
      );
    }
  },
  600_000 + histories * 20_000,
);
