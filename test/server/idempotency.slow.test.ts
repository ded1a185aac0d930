/** Writes with a token are applied once: data-model.md A11. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { status } from '@grpc/grpc-js';
import { openDiskEngine, openMemoryEngine } from '../../src/engines/local/index.js';
import { TableSweeps } from '../../src/engines/local/maintenance/table-sweeps.js';
import { recordAccess } from '../../src/tools/heat/index.js';
import { startServer, type BigtableServer } from '../../src/server/index.js';
import type { Engine } from '../../src/data/store/index.js';
import { rejects, shown } from '../engines/conformance.js';
import { createTestTable, instance, RawClient, setCell, tableName, utf8 } from './raw-client.js';

const minute = 60_000;
const token = utf8('token-01');
const add = (intValue: number): object => ({
  addToCell: {
    familyName: 'sum',
    columnQualifier: { rawValue: utf8('q') },
    timestamp: { rawTimestampMicros: 1000 },
    input: { intValue },
  },
});

describe.each(['memory', 'disk'] as const)('the server over the engine in %s', (kind) => {
  let now: number;
  let directory: string;
  let engine: Engine;
  let server: BigtableServer;
  let client: RawClient;
  const open = async () => {
    const options = { clock: () => now };
    engine =
      kind === 'memory'
        ? await openMemoryEngine(options)
        : await openDiskEngine(directory, options);
    server = await startServer(engine, { instance });
    client = new RawClient(server.address);
  };
  const close = async () => {
    client.close();
    await server.close({ graceMs: 100 });
    await engine.close();
  };
  beforeEach(async () => {
    now = Date.now();
    directory = mkdtempSync(join(tmpdir(), 'rowsmith-idempotency-'));
    await open();
    await createTestTable(client);
  });
  afterEach(async () => {
    await close();
    rmSync(directory, { recursive: true });
  });

  const mutate = async (rowKey: string, idempotency: object, ...mutations: object[]) => {
    const request = { tableName, rowKey: utf8(rowKey), mutations, idempotency };
    return (await client.call('data', 'MutateRow', request)).code;
  };
  const sumOf = async (rowKey = 'r'): Promise<number | undefined> => {
    const rows = await client.rows({ tableName, rows: { rowKeys: [utf8(rowKey)] } });
    const value = rows[0]?.cells[0]?.value;
    return value === undefined ? undefined : Number(Buffer.from(value).readBigInt64BE());
  };

  test('A11: a write with the same token is applied once within 15 minutes', async () => {
    expect(await mutate('r', { token }, add(5))).toBe(status.OK);
    now += 15 * minute;
    expect(await mutate('r', { token }, add(5))).toBe(status.OK);
    expect(await sumOf()).toBe(5);
    now += 1;
    expect(await mutate('r', { token }, add(5))).toBe(status.OK);
    expect(await sumOf()).toBe(10);
    // The time of the last use counts, and the time of a repetition does not.
    now += 14 * minute;
    expect(await mutate('r', { token }, add(5))).toBe(status.OK);
    expect(await sumOf()).toBe(10);
  });

  test('other tokens, rows, tables and writes without a token are applied', async () => {
    await mutate('r', { token }, add(5));
    await mutate('r', { token: utf8('token-02') }, add(5));
    await mutate('s', { token }, add(5));
    expect([await sumOf('r'), await sumOf('s')]).toEqual([10, 5]);
    const request = { tableName, rowKey: utf8('r'), mutations: [add(5)] };
    await client.unary('data', 'MutateRow', request);
    await client.unary('data', 'MutateRow', request);
    expect(await sumOf()).toBe(20);
    await client.unary('tables', 'DeleteTable', { name: tableName });
    await createTestTable(client);
    await mutate('r', { token }, add(5));
    expect(await sumOf()).toBe(5);
  });

  test('A11: a token repeated within one MutateRows, and in a later MutateRow', async () => {
    const entry = { rowKey: utf8('r'), mutations: [add(5)], idempotency: { token } };
    const plain = { rowKey: utf8('p'), mutations: [setCell('a', 'q', 'v')] };
    const entries = [entry, plain, entry, { ...entry, idempotency: { token: utf8('short') } }];
    const { messages } = await client.call('data', 'MutateRows', { tableName, entries });
    const codes = messages[0].entries.map((one: any) => one.status?.code ?? 0);
    expect(codes).toEqual([0, 0, 0, status.INVALID_ARGUMENT]);
    await mutate('r', { token }, add(5));
    expect(await sumOf()).toBe(5);
    const written = await client.rows({ tableName, rows: { rowKeys: [utf8('p')] } });
    expect(shown(written)).toEqual(['p{a:q@1000=v}']);
  });

  test('a rejected write does not use its token', async () => {
    expect(await mutate('r', { token }, add(5), setCell('zz', 'q', 'v'))).toBe(status.NOT_FOUND);
    expect(await sumOf()).toBeUndefined();
    expect(await mutate('r', { token }, add(5))).toBe(status.OK);
    expect(await sumOf()).toBe(5);
  });

  test('A11: short tokens and old start times are rejected', async () => {
    const seconds = Math.floor(Date.now() / 1000);
    expect([
      await mutate('r', {}, add(1)),
      await mutate('r', { token: utf8('1234567') }, add(1)),
      await mutate('r', { token, startTime: { seconds: seconds - 16 * 60 } }, add(1)),
    ]).toEqual([status.INVALID_ARGUMENT, status.INVALID_ARGUMENT, status.FAILED_PRECONDITION]);
    expect(await sumOf()).toBeUndefined();
    expect(await mutate('r', { token, startTime: { seconds: seconds - 14 * 60 } }, add(1))).toBe(0);
    expect(await mutate('r', { token, startTime: { seconds: 0 } }, add(1))).toBe(0);
    expect(await sumOf()).toBe(1);
  });

  test('the table of tokens is not listed, and expired tokens are removed', async () => {
    await mutate('r', { token }, add(5));
    const { tables } = await client.unary('tables', 'ListTables', { parent: instance });
    expect(tables.map(({ name }: { name: string }) => name)).toEqual([tableName]);
    const hidden = { name: `${instance}/tables/_rowsmith.tokens` };
    for (const method of ['GetTable', 'DeleteTable'])
      expect((await client.call('tables', method, hidden)).code).toBe(status.NOT_FOUND);
    await rejects(
      engine.createTable({ name: '_rowsmith.tokens', families: new Map() }),
      'INVALID_ARGUMENT',
    );
    now += 16 * minute;
    expect((await engine.compact()).rows).toBe(1);
  });

  test('many tokens: expired ones are removed as new ones are stored', async () => {
    const entries = (from: number) =>
      Array.from({ length: 1000 }, (_, at) => ({
        rowKey: utf8('r'),
        mutations: [add(1)],
        idempotency: { token: utf8(`token-${String(from + at).padStart(6, '0')}`) },
      }));
    const sweeps = jest.spyOn(TableSweeps.prototype, 'collectGarbage');
    const send = async (from: number): Promise<void> => {
      await client.call('data', 'MutateRows', { tableName, entries: entries(from) });
      // Nothing waits for a sweep. The first one finds no table yet.
      await Promise.allSettled(sweeps.mock.results.map(({ value }) => value as Promise<unknown>));
    };
    await send(0);
    await send(500);
    expect(await sumOf()).toBe(1500);
    now += 16 * minute;
    // As many as the last sweep has left begin the next one.
    await send(2000);
    await send(3000);
    sweeps.mockRestore();
    expect((await engine.compact()).rows).toBe(0);
  });

  if (kind === 'disk')
    test('A11: a token is kept when the database is reopened', async () => {
      await mutate('r', { token }, add(5));
      await close();
      await open();
      await mutate('r', { token }, add(5));
      expect(await sumOf()).toBe(5);
    });
});

test('an engine that keeps no tokens is not given any: UNIMPLEMENTED', async () => {
  const inner = await openMemoryEngine();
  const engine: Engine = Object.create(inner, { appliesOnce: { value: undefined } }) as Engine;
  for (const method of [
    'mutateRow',
    'mutateRows',
    'createTable',
    'listTables',
    'readRows',
  ] as const)
    Object.defineProperty(engine, method, { value: (inner[method] as any).bind(inner) });
  const server = await startServer(engine, { instance });
  const client = new RawClient(server.address);
  try {
    await createTestTable(client);
    const entry = { rowKey: utf8('r'), mutations: [add(5)], idempotency: { token } };
    const calls = [
      await client.call('data', 'MutateRow', { tableName, ...entry }),
      await client.call('data', 'MutateRows', { tableName, entries: [entry] }),
    ];
    expect(calls.map(({ code }) => code)).toEqual([status.UNIMPLEMENTED, status.UNIMPLEMENTED]);
    // Nothing is written before the entry with the token is seen.
    const plain = { rowKey: utf8('r'), mutations: [setCell('a', 'q', 'v')] };
    const entries = [...new Array<object>(10_000).fill(plain), entry];
    expect((await client.call('data', 'MutateRows', { tableName, entries })).code).toBe(
      status.UNIMPLEMENTED,
    );
    expect(await client.rows({ tableName })).toEqual([]);
  } finally {
    client.close();
    await server.close({ graceMs: 100 });
    await inner.close();
  }
});

test('a server that records accesses passes tokens on', async () => {
  const engine = await openMemoryEngine();
  await using recorder = recordAccess();
  const server = await startServer(engine, { instance, record: recorder });
  const client = new RawClient(server.address);
  try {
    await createTestTable(client);
    const entry = { rowKey: utf8('r'), mutations: [add(5)], idempotency: { token } };
    const calls = [
      await client.call('data', 'MutateRow', { tableName, ...entry }),
      await client.call('data', 'MutateRow', { tableName, ...entry }),
      await client.call('data', 'MutateRows', { tableName, entries: [entry] }),
    ];
    expect(calls.map(({ code }) => code)).toEqual([0, 0, 0]);
    const [row] = await client.rows({ tableName });
    expect(Buffer.from(row.cells[0].value).readBigInt64BE()).toBe(5n);
  } finally {
    client.close();
    await server.close({ graceMs: 100 });
    await engine.close();
  }
});
