/** When a write of many rows to a live database stops: not because some requests fail at once. */
import { status } from '@grpc/grpc-js';
import { column, defineEntity, open, type OpenDatabase, rowKey } from '../../../../src/index.js';
import { openMemoryEngine } from '../../../../src/engines/local/index.js';
import { buildModel } from '../../../../src/entities/model/index.js';
import { ScopeGuard } from '../../../../src/entities/repository/scope/scope-guard.js';
import { startServer } from '../../../../src/server/index.js';
import { withStages } from '../../../../src/data/store/index.js';
import { FaultyEngine } from '../../../../src/tools/testing/faults/faulty-engine.js';
import { liveUrl } from '../../../engines/bigtable/live-backends.js';
import { startFaultServer } from '../../../support/fault-server.js';

const totalTimeoutMs = 1_000;
const Note = defineEntity(
  class Note {
    id = 0;
    text?: string;
  },
  {
    table: 'notes',
    families: { m: {} },
    key: rowKey('id'),
    segments: { id: 'uint' },
    columns: { text: column('m', 'string') },
  },
);

let failing = false;
let db: OpenDatabase<typeof Note>;
const closing: (() => Promise<unknown>)[] = [];
beforeEach(async () => {
  failing = false;
  const storage = await openMemoryEngine();
  const server = await startServer(storage, { instance: 'projects/p/instances/instance-1' });
  // Inserts are not retried: they fail at once.
  const service = await startFaultServer(server.address, () =>
    failing ? { code: status.UNAVAILABLE, reachesServer: false } : undefined,
  );
  db = await open(liveUrl, {
    entities: [Note],
    lint: false,
    bigtable: { emulatorHost: service.address, totalTimeoutMs },
  });
  await db.admin.apply();
  closing.push(
    () => storage.close(),
    () => server.close(),
    () => service.close(),
    () => db.close(),
  );
});
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const note = (id: number) => db.repository(Note).create({ id, text: 'x' });
const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
/** Notes, one after the other, for more than the total. */
function* beyondTotal(from: number, step: number) {
  const started = performance.now();
  for (let id = from; performance.now() - started < 1.5 * totalTimeoutMs; id += step)
    yield note(id);
}
/** Inserts one row after the other. */
async function insert(input: AsyncIterable<InstanceType<typeof Note>>) {
  type Failures = Awaited<ReturnType<ReturnType<typeof repository>['insertMany']>>['failures'];
  const all: Failures[number][] = [];
  const onFailure = (failure: Failures[number]): void => void all.push(failure);
  const { written } = await repository().insertMany(input, { inFlight: 1, onFailure });
  return { written, failures: all };
}
const repository = () => db.repository(Note);

test('an outage that is shorter than the total does not end it', async () => {
  async function* input() {
    yield note(1);
    failing = true;
    for (let id = 2; id < 12; id++) yield note(id);
    failing = false;
    yield note(12);
  }
  const { written, failures: failed } = await insert(input());
  expect(written).toBe(2);
  expect(failed).toHaveLength(10);
});

test('a longer one does', async () => {
  async function* input() {
    yield note(1);
    failing = true;
    yield* beyondTotal(2, 1);
    failing = false;
    yield note(0);
  }
  const { written, failures: failed } = await insert(input());
  expect(written).toBe(1);
  const last = failed.at(-1)!;
  expect(last).toMatchObject({ item: { id: 0 }, mayBeWritten: false });
  expect(last.error.details).toMatchObject({ entity: 'Note', written: false, totalTimeoutMs });
  expect(failed[0].mayBeWritten).toBe(true);
});

test('time in which the input gives no rows is not counted', async () => {
  async function* input() {
    failing = true;
    yield note(1);
    await sleep(1.5 * totalTimeoutMs);
    yield note(2);
    await sleep(10);
    failing = false;
    yield note(3);
  }
  expect((await insert(input())).written).toBe(1);
});

test('rows that the database refuses are answers', async () => {
  async function* input() {
    yield note(1);
    yield* beyondTotal(1, 0);
    failing = true;
    yield note(2);
    failing = false;
    yield note(3);
  }
  expect((await insert(input())).written).toBe(2);
});

test('engines around another one tell its total', async () => {
  const model = buildModel(Note);
  const { engine } = db;
  expect(engine.totalTimeoutMs).toBe(totalTimeoutMs);
  for (const around of [
    withStages(engine, [{ read: (request, send) => send(request) }, new ScopeGuard(model, [])]),
    new FaultyEngine(engine),
  ])
    expect(around.totalTimeoutMs).toBe(totalTimeoutMs);
});
