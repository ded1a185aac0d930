/** Imports and migrations end within the total timeout on a server that does not answer. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { column, defineEntity, indexOn, indexes, rowKey } from '../../../src/index.js';
import { openLiveEngine } from '../../../src/engines/bigtable/index.js';
import { buildModel } from '../../../src/entities/model/index.js';
import type { Engine } from '../../../src/data/store/index.js';
import { importRows } from '../../../src/tools/transfer/index.js';
import { writeGuarded } from '../../../src/tools/transfer/migrate/counter-guard.js';
import { utf8 } from '../../engines/conformance.js';
import { type HeaderServer, startHeaderServer } from '../../engines/bigtable/header-server.js';
import { liveUrl } from '../../engines/bigtable/live-backends.js';

const totalTimeoutMs = 500;

class Shape {
  id = 0;
  text?: string;
}
const Row = defineEntity(class Row extends Shape {}, {
  table: 'rows',
  families: { m: {} },
  key: rowKey('id'),
  segments: { id: 'uint' },
  columns: { text: column('m', 'string') },
});
const Indexed = defineEntity(class Indexed extends Shape {}, {
  table: 'indexed',
  families: { m: {} },
  key: rowKey('id'),
  segments: { id: 'uint' },
  columns: { text: column('m', 'string') },
  indexes: indexes({ byText: indexOn('text') }),
});

const folder = mkdtempSync(join(tmpdir(), 'rowsmith-dead-server-'));
let server: HeaderServer;
let engine: Engine;
beforeEach(async () => {
  server = await startHeaderServer((attempt) => attempt.cancelled);
  engine = await openLiveEngine(liveUrl, { emulatorHost: server.address, totalTimeoutMs });
});
afterEach(async () => {
  await engine.close();
  await server.close();
});
afterAll(() => rmSync(folder, { recursive: true }));

async function rejects(call: Promise<unknown>): Promise<void> {
  await expect(call).rejects.toMatchObject({
    code: 'UNAVAILABLE',
    details: { status: 'DEADLINE_EXCEEDED' },
  });
}

// 512 indexed rows are written at a time, and each of these waves had its own total.
test.each(Object.entries({ rows: Row, 'indexed rows': Indexed }))(
  'an import of %s',
  async (name, entity) => {
    const file = join(folder, `${name}.jsonl`);
    const lines = Array.from({ length: 10_000 }, (_, id) => JSON.stringify({ id, text: 'x' }));
    writeFileSync(file, lines.join('\n'));
    await rejects(importRows(engine, buildModel(entity), file, { format: 'jsonl' }));
    // 20 waves would be 10,000 requests, or one after the other for each batch.
    expect(server.attempts.length).toBeLessThanOrEqual(name === 'rows' ? 16 : 600);
  },
);

// They were tried six times, each time for the total, with up to 10 s between the attempts.
test('rows of a migration that have counters', async () => {
  const counter = { family: 'm', qualifier: utf8('n'), timestamp: 0n, value: utf8('12345678') };
  const mutations = [{ kind: 'deleteFromRow' as const }];
  const row = { key: utf8('k'), mutations, counters: [counter] };
  await rejects(writeGuarded(engine, 'rows', [row]));
  expect(server.attempts).toHaveLength(1);
});
