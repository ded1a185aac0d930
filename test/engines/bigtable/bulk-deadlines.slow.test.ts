/** Bulk writes of a repository share one total on a server that does not answer, as docs/live.md says. */
import { status } from '@grpc/grpc-js';
import {
  column,
  defineEntity,
  indexOn,
  indexes,
  open,
  type OpenDatabase,
  revision,
  type RowsmithError,
  rowKey,
} from '../../../src/index.js';
import { rowMessages } from './header-calls.js';
import { type HeaderServer, type Respond, startHeaderServer } from './header-server.js';
import { liveUrl } from './live-backends.js';

const totalTimeoutMs = 1_000;

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
const Indexed = defineEntity(class Indexed extends Note {}, {
  table: 'indexed',
  families: { m: {} },
  key: rowKey('id'),
  segments: { id: { kind: 'string', maxLength: 20 } },
  columns: { title: column('m', 'string') },
  indexes: indexes({ byTitle: indexOn('title') }),
});

let server: HeaderServer;
let db: OpenDatabase<typeof Note | typeof Revised | typeof Indexed>;
async function serve(respond: Respond, total = totalTimeoutMs): Promise<void> {
  server = await startHeaderServer(respond);
  db = await open(liveUrl, {
    entities: [Note, Revised, Indexed],
    lint: false,
    bigtable: { emulatorHost: server.address, totalTimeoutMs: total },
  });
}
/** Without the probe of conditional writes, by which indexes are opened. */
const attempts = () =>
  server.attempts.filter(
    ({ headers }) => !String(headers['x-goog-request-params']).endsWith('indexed'),
  );
const hangs: Respond = (attempt) => attempt.cancelled;
const fails: Respond = () => ({ status: status.UNAVAILABLE });
afterEach(async () => {
  await db.close();
  await server.close();
});

const keys = Array.from({ length: 8 }, (_, n) => ({ id: `k${n}` }));
const rows = keys.map((key) => ({ ...key, title: 'x' }));
const notes = () => rows.map((row) => db.repository(Note).create(row));
const byBatch = { batchRows: 1, inFlight: 1 };
const byRow = { inFlight: 1 };
interface Failure {
  readonly error: RowsmithError;
  readonly mayBeWritten: boolean;
}
type Write = (signal?: AbortSignal) => Promise<{ readonly failures: readonly Failure[] }>;
/** Eight requests, one after the other. */
const batches: Readonly<Record<string, Write>> = {
  'batches of saveMany': (signal) => db.repository(Note).saveMany(notes(), { ...byBatch, signal }),
  'batches of deleteMany': (signal) => db.repository(Note).deleteMany(keys, { ...byBatch, signal }),
  'batches of an async input': (signal) => {
    async function* input() {
      yield* notes();
    }
    return db.repository(Note).saveMany(input(), { ...byBatch, signal });
  },
};
const writes: Readonly<Record<string, Write>> = {
  ...batches,
  'rows of insertMany': (signal) => db.repository(Note).insertMany(notes(), { ...byRow, signal }),
  'rows with a revision': (signal) => {
    const revised = db.repository(Revised);
    return revised.saveMany(
      rows.map((row) => revised.create(row)),
      { ...byRow, signal },
    );
  },
};

/** The first row was tried; the errors of all other rows say that they were not. */
function expectOneTried(failed: readonly Failure[]): void {
  expect(failed.map(({ mayBeWritten }) => mayBeWritten)).toEqual([
    true,
    ...keys.slice(1).map(() => false),
  ]);
  for (const { error } of failed.slice(1))
    expect(error).toMatchObject({
      code: 'UNAVAILABLE',
      details: {
        written: false,
        totalTimeoutMs,
        problem: expect.stringMatching(/^the row was not sent, because .* for \d+ ms$/) as string,
        fix: expect.stringContaining('totalTimeoutMs') as string,
      },
    });
}

// Each had its own total: eight of them took eight times as long.
describe.each(Object.entries(writes))('%s', (_what, write) => {
  test('end together within the total if nothing answers', async () => {
    await serve(hangs);
    const { failures: failed } = await write();
    expect(attempts()).toHaveLength(1);
    expectOneTried(failed);
  });

  test('end together by a signal', async () => {
    await serve(hangs);
    const signal = AbortSignal.timeout(totalTimeoutMs / 2);
    await expect(write(signal)).rejects.toMatchObject({ name: 'TimeoutError' });
    expect(attempts()).toHaveLength(1);
  });
});

// A retried call ends before its total if its next delay would exceed it.
test.each(Object.entries(batches))(
  '%s: the first is retried, the others are not sent if all attempts fail',
  async (_what, write) => {
    await serve(fails);
    expectOneTried((await write()).failures);
  },
);

test('1,000 rows with a revision end within the total', async () => {
  await serve(hangs);
  const revised = db.repository(Revised);
  const many = Array.from({ length: 1_000 }, (_, n) => revised.create({ id: `k${n}` }));
  const failed: Failure[] = [];
  const onFailure = (failure: Failure): void => void failed.push(failure);
  await revised.saveMany(many, { onFailure });
  expect(failed).toHaveLength(1_000);
  expect(failed.filter(({ mayBeWritten }) => mayBeWritten)).toHaveLength(64);
});

// A batch writes 512 of them at a time, each wave with its own total.
test.each(['hangs', 'fails'])('a batch of indexed rows ends within the total (%s)', async (how) => {
  await serve(how === 'hangs' ? hangs : fails);
  const indexed = db.repository(Indexed);
  const many = Array.from({ length: 4_096 }, (_, n) => indexed.create({ id: `k${n}`, title: 'x' }));
  const failed: Failure[] = [];
  const onFailure = (failure: Failure): void => void failed.push(failure);
  await indexed.saveMany(many, { onFailure });
  expect(failed).toHaveLength(4_096);
  const unsent = failed.filter(({ error }) => /not sent/.test(error.details.problem!));
  expect(unsent).toHaveLength(4_096 - 512);
});

test('a query reads no further rows to delete', async () => {
  // A busy machine needs a while to send and read the rows.
  const patientMs = 4_000;
  await serve((attempt) => {
    if (attempt.method === 'ReadRows')
      for (let n = 0; n < 512; n++) rowMessages(`k${n}`).forEach(attempt.send);
    return attempt.cancelled;
  }, patientMs);
  await expect(db.repository(Note).scanAll().delete(byBatch)).rejects.toMatchObject({
    code: 'UNAVAILABLE',
    details: {
      problem: 'rows were not deleted, because the database did not answer',
      fix: expect.stringContaining('delete the rows of the query again') as string,
    },
  });
  const sent = server.attempts.filter(({ method }) => method === 'MutateRows');
  expect(sent).toHaveLength(1);
});
