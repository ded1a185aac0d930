/**
 * Bulk writes through every engine that wraps another: a server that records accesses, over a live
 * engine, over a second such server.
 */
import { openLiveEngine } from '../../src/engines/bigtable/index.js';
import { openMemoryEngine } from '../../src/engines/local/index.js';
import { recordAccess } from '../../src/tools/heat/index.js';
import { startServer } from '../../src/server/index.js';
import { read } from '../engines/conformance.js';
import { createTestTable, instance, RawClient, tableName, utf8 } from './raw-client.js';

interface Results {
  readonly entries: readonly { readonly status: { readonly code?: number } }[];
}

test('rows and errors are the same after two servers', async () => {
  const memory = await openMemoryEngine();
  const records = [recordAccess(), recordAccess()];
  const inner = await startServer(memory, { instance, record: records[0] });
  const live = await openLiveEngine('bigtable://p/instance-1', { emulatorHost: inner.address });
  const outer = await startServer(live, { instance, record: records[1] });
  const client = new RawClient(outer.address);
  await createTestTable(client);
  const cell = (qualifier: string, timestampMicros: number, timestampOrigin?: number): object => ({
    setCell: {
      familyName: 'a',
      columnQualifier: utf8(qualifier),
      timestampMicros,
      value: utf8('v'),
    },
    timestampOrigin,
  });
  const rows: readonly [key: string, mutations: readonly object[]][] = [
    ['in order of time', [cell('q', 2000), cell('p', 1000)]],
    ['not in milliseconds', [cell('q', 1001)]],
    ['truncated', [cell('q', 1001, 2)]],
    ['of an unknown family', [{ setCell: { familyName: 'missing' } }]],
    ['deleted', [{ deleteFromRow: {} }]],
    ['empty', []],
    ...Array.from({ length: 3000 }, (_, i): [string, object[]] => [`row ${i}`, [cell('q', 2000)]]),
  ];
  const { messages } = await client.call('data', 'MutateRows', {
    tableName,
    entries: rows.map(([key, mutations]) => ({ rowKey: utf8(key), mutations })),
  });
  const codes = (messages as Results[]).flatMap(({ entries }) =>
    entries.map(({ status }) => status.code ?? 0),
  );
  expect(codes.slice(0, 6)).toEqual([0, 3, 0, 5, 0, 3]);
  expect(codes.slice(6)).toEqual(new Array(3000).fill(0));
  const stored = await read(memory);
  expect(stored).toHaveLength(3002);
  expect(stored[0]).toBe('in order of time{a:p@1000=v a:q@2000=v}');
  expect(stored.at(-1)).toBe('truncated{a:q@1000=v}');
  client.close();
  await outer.close({ graceMs: 500 });
  await live.close();
  await inner.close({ graceMs: 500 });
  await memory.close();
});
