/** How long bulk writes of a repository take on a server that does not answer, as docs/live.md says. */
import {
  column,
  defineEntity,
  open,
  type OpenDatabase,
  revision,
  rowKey,
} from '../../../src/index.js';
import { type HeaderServer, startHeaderServer } from './header-server.js';
import { liveUrl } from './live-backends.js';

const totalTimeoutMs = 500;
/** A machine that is busy with other tests may be late by this much. */
const lateMs = 1_500;

const Note = defineEntity(
  class Note {
    id!: string;
    title?: string;
    revision?: string;
  },
  {
    table: 'notes',
    families: { m: {} },
    key: rowKey('id'),
    segments: { id: { kind: 'string', maxLength: 20 } },
    columns: { title: column('m', 'string') },
  },
);
const Revised = defineEntity(class Revised extends Note {}, {
  table: 'revised',
  families: { m: {} },
  key: rowKey('id'),
  segments: { id: { kind: 'string', maxLength: 20 } },
  columns: { title: column('m', 'string'), revision: revision('m') },
});

let server: HeaderServer;
let db: OpenDatabase<typeof Note | typeof Revised>;
beforeEach(async () => {
  server = await startHeaderServer((attempt) => attempt.cancelled);
  db = await open(liveUrl, {
    entities: [Note, Revised],
    lint: false,
    bigtable: { emulatorHost: server.address, totalTimeoutMs },
  });
});
afterEach(async () => {
  await db.close();
  await server.close();
});

const rows = ['a', 'b', 'c'].map((id) => ({ id, title: 'x' }));
const notes = () => rows.map((row) => db.repository(Note).create(row));
const byBatch = { batchRows: 1, inFlight: 1 };
const byRow = { rowsInFlight: 1 };
type Write = (signal?: AbortSignal) => Promise<{ readonly failed: readonly unknown[] }>;
/** One after the other. */
const writes: Readonly<Record<string, Write>> = {
  'batches of saveMany': (signal) => db.repository(Note).saveMany(notes(), { ...byBatch, signal }),
  'batches of deleteMany': (signal) => db.repository(Note).deleteMany(rows, { ...byBatch, signal }),
  'rows of insertMany': (signal) => db.repository(Note).insertMany(notes(), { ...byRow, signal }),
  'rows with a revision': (signal) => {
    const revised = db.repository(Revised);
    return revised.saveMany(
      rows.map((row) => revised.create(row)),
      { ...byRow, signal },
    );
  },
};

describe.each(Object.entries(writes))('%s', (_what, write) => {
  test('have the total each', async () => {
    const started = performance.now();
    const { failed } = await write();
    const ms = performance.now() - started;
    expect(failed).toHaveLength(3);
    expect(server.attempts).toHaveLength(3);
    expect(ms).toBeGreaterThan(3 * totalTimeoutMs - 50);
    expect(ms).toBeLessThan(3 * totalTimeoutMs + lateMs);
  });

  test('end together by a signal', async () => {
    const started = performance.now();
    const signal = AbortSignal.timeout(totalTimeoutMs / 2);
    await expect(write(signal)).rejects.toMatchObject({ name: 'TimeoutError' });
    expect(performance.now() - started).toBeLessThan(totalTimeoutMs / 2 + lateMs);
    expect(server.attempts).toHaveLength(1);
  });
});
