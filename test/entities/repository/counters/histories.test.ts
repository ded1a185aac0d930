/**
 * Random histories of buffered counters while storage fails: whatever happens, what is stored,
 * pending and of unknown outcome adds up to what was added.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  bufferedCounters,
  type BufferedCounters,
  type FlushResult,
} from '../../../../src/index.js';
import type { KeyedRepository } from '../../../../src/entities/repository/index.js';
import {
  type FaultyDatabase,
  faultyDatabase,
  testDatabase,
} from '../../../../src/tools/testing/index.js';
import { openOverEmulator, openOverOurServer } from '../../../engines/bigtable/live-backends.js';
import { findEmulator } from '../../../support/emulator.js';
import fc from '../../../support/fast-check.js';
import { hour, Page } from './counter-entities.js';

/** In tests each code tells what has become of the write. */
const outcomes = {
  UNAVAILABLE: { applied: false, isUnknown: true },
  STORAGE_FAILED: { applied: true, isUnknown: true },
  QUOTA_EXCEEDED: { applied: false, isUnknown: false },
  FAILED_PRECONDITION: { applied: false, isUnknown: false },
} as const;
type Code = keyof typeof outcomes;
const codes = Object.keys(outcomes) as Code[];

const sites = ['x', 'y', 'z', 'v', 'w'] as const;
const counterNames = ['hits', 'errors', 'views', 'slowest', 'fastest'] as const;
const mapNames = ['days', 'countries'] as const;
const aggregates: Readonly<Record<string, 'min' | 'max'>> = { slowest: 'max', fastest: 'min' };

/** An addition to some cells of one row. */
interface Addition {
  readonly kind: 'add';
  readonly site: string;
  readonly amounts: Readonly<Record<string, bigint | ReadonlyMap<string, bigint>>>;
}

type Step =
  | Addition
  | { readonly kind: 'flush'; readonly waits: boolean }
  | { readonly kind: 'turn' }
  | { readonly kind: 'settle'; readonly index: number; readonly again: boolean }
  | { readonly kind: 'fault'; readonly code: Code; readonly nth: number; readonly times: number }
  | { readonly kind: 'batchFault'; readonly code: Code }
  | { readonly kind: 'delay'; readonly millis: number }
  | { readonly kind: 'advance'; readonly millis: number }
  | { readonly kind: 'recover' };

const amount = fc.oneof(
  { weight: 4, arbitrary: fc.bigInt({ min: -5n, max: 5n }) },
  { weight: 1, arbitrary: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }) },
);
const addition: fc.Arbitrary<Step> = fc.record({
  kind: fc.constant('add' as const),
  site: fc.constantFrom(...sites),
  amounts: fc.record(
    {
      ...Object.fromEntries(counterNames.map((name) => [name, amount])),
      ...Object.fromEntries(
        mapNames.map((name) => [
          name,
          fc
            .array(fc.tuple(fc.constantFrom('m', 't'), amount), { minLength: 1, maxLength: 2 })
            .map((entries) => new Map(entries)),
        ]),
      ),
    },
    { requiredKeys: [] },
  ) as fc.Arbitrary<Addition['amounts']>,
});
const code = fc.constantFrom(...codes);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 12, arbitrary: addition },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('flush' as const), waits: fc.boolean() }),
  },
  { weight: 3, arbitrary: fc.constant({ kind: 'turn' } as const) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('settle' as const),
      index: fc.nat(3),
      again: fc.boolean(),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('fault' as const),
      code,
      nth: fc.integer({ min: 1, max: 4 }),
      times: fc.integer({ min: 1, max: 4 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('batchFault' as const),
      // A batch that fails as a whole is not applied.
      code: fc.constantFrom<Code>('UNAVAILABLE', 'QUOTA_EXCEEDED'),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('delay' as const), millis: fc.constantFrom(0, 1, 3) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('advance' as const),
      millis: fc.integer({ min: 1, max: 1500 }),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'recover' } as const) },
);
const history = fc.record({
  steps: fc.array(step, { minLength: 5, maxLength: 60 }),
  maxKeys: fc.constantFrom(4, 7, 10, 1000),
  inFlight: fc.integer({ min: 1, max: 4 }),
});

/** Amounts by cell, combined as the family of the cell combines them. */
class Ledger {
  readonly cells = new Map<string, bigint>();

  add(property: string, cell: string, value: bigint): void {
    const before = this.cells.get(cell);
    const kind = aggregates[property];
    if (before === undefined) this.cells.set(cell, value);
    else if (kind === undefined) this.cells.set(cell, BigInt.asIntN(64, before + value));
    else if (kind === 'min') this.cells.set(cell, before < value ? before : value);
    else this.cells.set(cell, before > value ? before : value);
    if (kind === undefined) this.cells.set(cell, BigInt.asIntN(64, this.cells.get(cell)!));
  }
}

interface Store {
  readonly db: Pick<FaultyDatabase, 'faults'> & {
    repository: (entity: typeof Page) => KeyedRepository<Page, typeof Page.key>;
  };
  readonly advance?: (millis: number) => void;
  /** Whether storage combines minima and maxima. */
  readonly hasExtremes: boolean;
}

type Counters = BufferedCounters<Page, typeof Page.key>;
type Reported = FlushResult<{ site: string; hour: Date }>;

class Run {
  readonly #store: Store;
  readonly #prefix: string;
  readonly #counters: Counters;
  readonly #added = new Ledger();
  /** What users have settled wrongly: forgotten though not written, added again though written. */
  readonly #lost = new Ledger();
  readonly #twice = new Ledger();
  readonly #written = new Ledger();
  readonly #applied = new Ledger();
  readonly #waiting: Promise<void>[] = [];
  readonly #maxKeys: number;

  constructor(store: Store, prefix: string, options: { maxKeys: number; inFlight: number }) {
    this.#store = store;
    this.#prefix = prefix;
    this.#maxKeys = options.maxKeys;
    this.#counters = bufferedCounters(store.db.repository(Page), {
      ...options,
      flushEvery: store.advance === undefined ? 2 ** 31 - 1 : 1000,
      onFlush: (result) => this.#note(result),
    });
  }

  #note({ written, failed, unknown }: Reported): void {
    for (const sum of written) this.#written.add(sum.property, cellOf(sum), sum.amount);
    for (const { error } of failed) expect(outcomes[error.code as Code].isUnknown).toBe(false);
    for (const sum of unknown) {
      expect(outcomes[sum.error.code as Code].isUnknown).toBe(true);
      if (outcomes[sum.error.code as Code].applied)
        this.#applied.add(sum.property, cellOf(sum), sum.amount);
    }
  }

  #add({ site, amounts }: Addition): void {
    const key = { site: this.#prefix + site, hour };
    const count = (): void => {
      for (const [property, value] of Object.entries(amounts)) {
        if (typeof value === 'bigint') {
          this.#added.add(property, cellOf({ key, property }), value);
          continue;
        }
        for (const [entry, each] of value)
          this.#added.add(property, cellOf({ key, property, entry }), each);
      }
    };
    try {
      const waits = this.#counters.add(key, amounts as never);
      if (waits === undefined) count();
      else
        this.#waiting.push(
          waits.then(count, (error: unknown) =>
            expect(['COUNTERS_FULL', 'COUNTERS_CLOSED']).toContain(
              (error as { code: string }).code,
            ),
          ),
        );
    } catch (error) {
      // More cells than maxKeys in one call, or as much waits as may.
      expect(['COUNTERS_FULL', 'INVALID_ARGUMENT']).toContain((error as { code: string }).code);
    }
  }

  #settle(index: number, again: boolean): void {
    const sum = this.#counters.unknown[index];
    if (sum === undefined) return;
    const { applied } = outcomes[sum.error.code as Code];
    if (again && applied) this.#twice.add(sum.property, cellOf(sum), sum.amount);
    if (!again && !applied) this.#lost.add(sum.property, cellOf(sum), sum.amount);
    expect(again ? sum.again() : sum.drop()).toBe(true);
  }

  async step(step: Step): Promise<void> {
    const { faults } = this.#store.db;
    switch (step.kind) {
      case 'add':
        this.#add(step);
        break;
      case 'flush': {
        const flushing = this.#counters.flush();
        if (step.waits) await flushing;
        break;
      }
      case 'turn':
        await new Promise((resolve) => setImmediate(resolve));
        break;
      case 'settle':
        this.#settle(step.index, step.again);
        break;
      case 'fault': {
        const { kind: _, ...fault } = step;
        faults.failWrite({ ...fault, applied: outcomes[step.code].applied });
        break;
      }
      case 'batchFault':
        faults.failBatch({ nth: 1, code: step.code });
        break;
      case 'delay':
        faults.delay({ millis: step.millis, nth: 1, times: 5 });
        break;
      case 'advance':
        this.#store.advance?.(step.millis);
        break;
      case 'recover':
        faults.clear();
    }
    expect(this.#counters.size).toBeLessThanOrEqual(this.#maxKeys);
  }

  /** Closes while faults are active, checks, and once more without them. */
  async end(): Promise<void> {
    await this.#counters.close();
    await Promise.all(this.#waiting);
    await this.#check();
    this.#store.db.faults.clear();
    const { failed } = await this.#counters.close();
    expect(failed).toEqual([]);
    expect(this.#counters.pending).toEqual([]);
    await this.#check();
  }

  async #check(): Promise<void> {
    const stored = await this.#stored();
    const found = new Ledger();
    for (const [cell, value] of stored) found.add(propertyOf(cell), cell, value);
    const reported = new Ledger();
    for (const ledger of [this.#written, this.#applied])
      for (const [cell, value] of ledger.cells) reported.add(propertyOf(cell), cell, value);
    this.#same(found, reported);
    // Added and added again is found, pending, or not written for certain and forgotten.
    for (const sum of this.#counters.pending) found.add(sum.property, cellOf(sum), sum.amount);
    for (const sum of this.#counters.unknown)
      if (!outcomes[sum.error.code as Code].applied)
        found.add(sum.property, cellOf(sum), sum.amount);
    for (const [cell, value] of this.#lost.cells) found.add(propertyOf(cell), cell, value);
    const expected = new Ledger();
    for (const ledger of [this.#added, this.#twice])
      for (const [cell, value] of ledger.cells) expected.add(propertyOf(cell), cell, value);
    this.#same(found, expected);
  }

  #same(found: Ledger, expected: Ledger): void {
    const sorted = ({ cells }: Ledger) =>
      [...cells]
        .filter(([cell]) => this.#store.hasExtremes || aggregates[propertyOf(cell)] === undefined)
        .sort(([a], [b]) => (a < b ? -1 : 1));
    expect(sorted(found)).toEqual(sorted(expected));
  }

  async #stored(): Promise<Map<string, bigint>> {
    const stored = new Map<string, bigint>();
    const pages = this.#store.db.repository(Page);
    for (const page of await pages.startsWith('site', this.#prefix).all()) {
      for (const property of counterNames)
        if (page[property] !== undefined)
          stored.set(cellOf({ key: page, property }), page[property]);
      for (const property of mapNames)
        for (const [entry, value] of page[property] ?? [])
          stored.set(cellOf({ key: page, property, entry }), value);
    }
    return stored;
  }
}

function cellOf(sum: { key: { site: string }; property: string; entry?: unknown }): string {
  return `${sum.key.site} ${sum.property} ${sum.entry === undefined ? '' : String(sum.entry)}`;
}

function propertyOf(cell: string): string {
  return cell.split(' ')[1];
}

const runs = Number(process.env.RUNS ?? 30);

async function check(store: Store, numRuns: number): Promise<void> {
  let number = 0;
  await fc.assert(
    fc.asyncProperty(history, async ({ steps, ...options }) => {
      const run = new Run(store, `${number++}.`, options);
      store.db.faults.clear();
      for (const step of steps) await run.step(step);
      await run.end();
    }),
    { numRuns },
  );
}

test('in memory, with a clock', async () => {
  const db = await testDatabase([Page]);
  await check({ db, advance: (millis) => db.clock.advance(millis), hasExtremes: true }, runs);
  await db.close();
});

test('on disk', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'rowsmith-'));
  const db = await faultyDatabase(`file:${folder}`, { entities: [Page], durability: 'relaxed' });
  await check({ db, hasExtremes: true }, Math.ceil(runs / 10));
  await db.close();
  rmSync(folder, { recursive: true });
});

test('live, over our server', async () => {
  await checkLive(await openOverOurServer(), true);
});

const emulator = findEmulator();
(emulator === undefined ? test.skip : test)("live, over Google's emulator", async () => {
  // docs/fidelity.md, K1: it knows sum() only.
  await checkLive(await openOverEmulator(emulator!), false);
});

async function checkLive(
  server: { readonly address: string; readonly close: () => Promise<void> },
  hasExtremes: boolean,
): Promise<void> {
  const db = await faultyDatabase('bigtable://p/instance-1', {
    entities: [Page],
    bigtable: { emulatorHost: server.address },
  });
  await db.admin.apply();
  await check({ db, hasExtremes }, Math.ceil(runs / 10));
  await db.close();
  await server.close();
}
