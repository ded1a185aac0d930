/**
 * Calls of the file system that fail: errors are typed, nothing acknowledged is lost, and the
 * database can be opened afterwards.
 */
import { createHash } from 'node:crypto';
import fs, { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import promises, { type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isRowsmithError } from '../../../src/base/index.js';
import { openDiskEngine } from '../../../src/engines/local/index.js';
import { defaultLimits } from '../../../src/engines/local/kv/store/store-limits.js';
import type { Engine } from '../../../src/data/store/index.js';
import { seed } from '../../support/seed.js';
import { read, rejects, set, utf8 } from '../conformance.js';

let directory: string;
beforeEach(() => void (directory = mkdtempSync(join(tmpdir(), 'rowsmith-calls-'))));
afterEach(() => {
  jest.restoreAllMocks();
  rmSync(directory, { recursive: true, force: true });
});

/** Trials of each kind. For more: `RUNS=1000 npx jest test/engines/local/failing-calls`. */
const trials = Number(process.env.RUNS ?? 3);
const codes = ['EIO', 'ENOSPC', 'EDQUOT', 'EMFILE', 'EROFS'];
const failure = (code: string): Error => Object.assign(new Error(`${code}: injected`), { code });

/** Small: tables are written and merged all the time. */
const limits = { ...defaultLimits, buffer: 20_000, newest: 2, level: 40_000, table: 10_000 };

/** Counts the calls for files of the directory, and lets some of them fail. */
class Calls {
  count = 0;
  /** Calls from `first` on fail, so many. */
  first = Infinity;
  failing = 0;
  code = 'EIO';
  readonly #handles = new Set<number>();

  spy(): void {
    const names = [
      ...['openSync', 'readSync', 'writeSync', 'fsyncSync', 'fdatasyncSync', 'ftruncateSync'],
      ...['linkSync', 'renameSync', 'rmSync', 'readdirSync', 'statSync', 'fstatSync', 'mkdirSync'],
      ...['readFileSync', 'writeFileSync'],
    ] as 'rmSync'[];
    for (const name of names) {
      const call = fs[name] as (...values: unknown[]) => unknown;
      jest.spyOn(fs, name).mockImplementation((...values: unknown[]) => {
        if (!this.#concerns(values[0])) return call(...values);
        this.#step();
        const result = call(...values);
        if ((name as string) === 'openSync') this.#handles.add(result as number);
        return result;
      });
    }
    const open = promises.open.bind(promises);
    jest.spyOn(promises, 'open').mockImplementation(async (...values) => {
      if (!this.#concerns(values[0])) return open(...values);
      this.#step();
      return this.#spied(await open(...values));
    });
  }

  #spied(handle: FileHandle): FileHandle {
    for (const name of ['write', 'writeFile', 'datasync', 'sync', 'stat', 'read'] as 'sync'[]) {
      const call: (...values: unknown[]) => Promise<void> = handle[name].bind(handle);
      // Asynchronous, as the call is.
      handle[name] = async (...values: unknown[]) => {
        this.#step();
        return call(...values);
      };
    }
    return handle;
  }

  #concerns(target: unknown): boolean {
    if (typeof target === 'number') return this.#handles.has(target);
    return typeof target === 'string' && target.startsWith(directory);
  }

  #step(): void {
    const number = this.count++;
    if (number >= this.first && number < this.first + this.failing) throw failure(this.code);
  }
}

const keyOf = (row: number): string => `k${String(row).padStart(4, '0')}`;

/** Writes rows, and knows what may be found afterwards. */
class Workload {
  /** What each row may be: its last acknowledged value, and what writes that failed have set. */
  readonly possible = new Map<string, Set<string | undefined>>();
  readonly untyped: unknown[] = [];
  #values = 0;

  async run(): Promise<void> {
    const engine = await this.#attempt(() => openDiskEngine(directory, { limits }));
    if (engine === undefined) return;
    const families = new Map([['a', {}]]);
    await this.#attempt(() => engine.createTable({ name: 't', families }));
    for (let round = 0; round < 6; round++) {
      for (let row = 0; row < 8; row++) await this.#put(engine, [row * 10 + round]);
      await this.#put(
        engine,
        [...Array(20).keys()].map((row) => row + round * 20),
      );
      await this.#remove(engine, round * 3);
      await this.#attempt(() => this.check(engine));
    }
    await this.#drop(engine);
    await this.#attempt(() => engine.compact());
    await this.#put(engine, [500]);
    await this.#attempt(() => engine.close());
  }

  /** Every row is what it may be. */
  async check(engine: Engine): Promise<void> {
    const found = new Map<string, string>();
    const tables = await engine.listTables();
    for (const row of tables.length === 0 ? [] : await read(engine))
      found.set(row.slice(0, 5), /=(\d+)/.exec(row)![1]);
    const rows = new Set([...this.possible.keys(), ...found.keys()]);
    const wrong = [...rows].filter(
      (row) => !(this.possible.get(row) ?? new Set([undefined])).has(found.get(row)),
    );
    expect(wrong.map((row) => [row, found.get(row), [...(this.possible.get(row) ?? [])]])).toEqual(
      [],
    );
  }

  async #put(engine: Engine, rows: readonly number[]): Promise<void> {
    const value = `${++this.#values}`;
    const entries = rows.map((row) => ({
      key: utf8(keyOf(row)),
      mutations: [set('a', 'q', value.padEnd(200))],
    }));
    const errors = await this.#attempt(() => engine.mutateRows('t', entries));
    rows.forEach((row, at) =>
      this.#wrote(keyOf(row), value, errors !== undefined && errors[at] === undefined),
    );
    for (const error of errors ?? []) if (error !== undefined) this.#check(error);
  }

  async #remove(engine: Engine, row: number): Promise<void> {
    const key = utf8(keyOf(row));
    const isDone = await this.#attempt(async () => {
      await engine.mutateRow('t', { key, mutations: [{ kind: 'deleteFromRow' }] });
      return true;
    });
    this.#wrote(keyOf(row), undefined, isDone === true);
  }

  async #drop(engine: Engine): Promise<void> {
    const isDone = await this.#attempt(async () => {
      await engine.dropRowRange('t', { kind: 'prefix', prefix: utf8('k001') });
      return true;
    });
    for (const row of this.possible.keys())
      if (row.startsWith('k001')) this.#wrote(row, undefined, isDone === true);
  }

  #wrote(row: string, value: string | undefined, isAcknowledged: boolean): void {
    const before = isAcknowledged ? [] : (this.possible.get(row) ?? [undefined]);
    this.possible.set(row, new Set([...before, value]));
  }

  async #attempt<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      this.#check(error);
      return undefined;
    }
  }

  #check(error: unknown): void {
    const allowed = ['STORAGE_FAILED', 'TABLE_NOT_FOUND', 'DATABASE_CLOSED'];
    if (!isRowsmithError(error) || !allowed.includes(error.code)) this.untyped.push(error);
  }
}

/** Runs the workload in an empty directory, and opens the database afterwards. */
async function trial(calls: Calls): Promise<Workload> {
  rmSync(directory, { recursive: true, force: true });
  fs.mkdirSync(directory);
  const workload = new Workload();
  calls.spy();
  try {
    await workload.run();
  } finally {
    jest.restoreAllMocks();
  }
  const engine = await openDiskEngine(directory, { verify: true });
  await workload.check(engine);
  await engine.close();
  return workload;
}

test.each([
  ['one call', 1],
  ['ten calls', 10],
  ['all calls from one on', 1e9],
])('%s, anywhere: only typed errors, and nothing acknowledged is lost', async (_name, failing) => {
  const counting = new Calls();
  const intact = await trial(counting);
  expect(intact.untyped).toEqual([]);
  expect(counting.count).toBeGreaterThan(300);
  for (let i = 0; i < trials; i++) {
    const calls = new Calls();
    // A part of them in the first calls, which claim the directory.
    // Other calls with another seed.
    const shifted = (i + (seed % 97) / 97) / trials;
    calls.first = i % 4 === 0 ? i / 4 : Math.floor(shifted * counting.count);
    calls.failing = failing;
    calls.code = codes[(i + seed) % codes.length];
    const { untyped } = await trial(calls);
    expect([calls.first, calls.code, ...untyped]).toEqual([calls.first, calls.code]);
  }
});

const openTable = (engine: Engine, name = 't'): Promise<void> =>
  engine.createTable({ name, families: new Map([['a', {}]]) });

async function openWithRow(): Promise<Engine> {
  const engine = await openDiskEngine(directory);
  await openTable(engine);
  await engine.mutateRow('t', { key: utf8('k'), mutations: [set('a', 'q', 'v')] });
  return engine;
}

async function expectRow(): Promise<void> {
  const engine = await openDiskEngine(directory);
  expect(await read(engine)).toEqual(['k{a:q@1000=v}']);
  await engine.close();
}

/** The files of the directory that hold data. */
const files = (): string[] =>
  readdirSync(directory)
    .filter((name) => !name.startsWith('owner'))
    .map((name) => `${name} ${hashOf(join(directory, name))}`);
const hashOf = (path: string): string =>
  `${fs.statSync(path).ino} ${createHash('sha256').update(fs.readFileSync(path)).digest('hex')}`;

/** Another process takes the directory over and ends. */
function succeed(): void {
  const record = fs.readFileSync(join(directory, 'owner.1'), 'utf8');
  writeFileSync(join(directory, 'owner.2'), record.replace(/false.$/, 'true }'));
}

test('a process that another one has succeeded changes no file', async () => {
  const engine = await openWithRow();
  succeed();
  const before = files();
  await rejects(engine.compact(), 'DATABASE_IN_USE');
  await rejects(openTable(engine, 'u'), 'DATABASE_IN_USE');
  expect(await read(engine)).toEqual(['k{a:q@1000=v}']);
  await engine.close().catch(() => undefined);
  const left = files();
  expect(before.filter((file) => !left.includes(file) && !/^log.*\.new /.test(file))).toEqual([]);
  await expectRow();
});

test.each(['linkSync', 'readdirSync', 'rmSync'] as const)(
  'a directory that cannot be claimed because %s fails is STORAGE_FAILED',
  async (name) => {
    await (await openWithRow()).close();
    const call = fs[name] as (...values: unknown[]) => unknown;
    jest.spyOn(fs, name).mockImplementation(((...values: unknown[]) => {
      if (String(values.at(-1)).includes('owner') || String(values[0]).startsWith(directory))
        throw failure('EIO');
      return call(...values);
    }) as never);
    const outcome = await openDiskEngine(directory).then(
      (engine) => engine.close().then(() => 'opened'),
      (error: { code: string }) => error.code,
    );
    // Files that cannot be removed are left to the next owner.
    expect(['STORAGE_FAILED', name === 'rmSync' ? 'opened' : '']).toContain(outcome);
    jest.restoreAllMocks();
    await expectRow();
  },
);

// The error of the removal was thrown instead.
test('a damaged database is CORRUPT_DATA, also if its owner file cannot be removed again', async () => {
  await (await openWithRow()).close();
  const name = readdirSync(directory).find((file) => file.startsWith('manifest.'))!;
  const data = fs.readFileSync(join(directory, name));
  rmSync(join(directory, 'owner.1'));
  writeFileSync(join(directory, name), 'x'.repeat(1000));
  const remove = fs.rmSync;
  jest.spyOn(fs, 'rmSync').mockImplementation((path, options) => {
    if (String(path).endsWith('owner.2')) throw failure('EIO');
    remove(path, options);
  });
  await rejects(openDiskEngine(directory), 'CORRUPT_DATA');
  jest.restoreAllMocks();
  writeFileSync(join(directory, name), data);
  await expectRow();
});
