/**
 * Writes of many rows with answers that break off: `mayBeWritten` is true for each row that may
 * have been written, whatever status the stream ended with.
 */
import { status } from '@grpc/grpc-js';
import {
  type BulkFailure,
  Counter,
  type Database,
  Entity,
  open,
  rowKey,
  Segment,
  aggregate,
} from '../../../../src/index.js';
import { openOverOurServer, type LiveUnderTest } from '../../../engines/bigtable/live-backends.js';
import {
  type CallFailure,
  type FaultServer,
  startFaultServer,
} from '../../../support/fault-server.js';

@Entity({ table: 'hits', families: { c: {}, a: aggregate('sum') } })
class Hit {
  static readonly key = rowKey('n');
  @Segment('uint', { max: 999 }) n!: number;
  @Counter('c') seen?: bigint;
  @Counter('a') views?: bigint;
}

let server: LiveUnderTest;
let service: FaultServer;
let db: Database;
let failing: { readonly method: string; readonly how: CallFailure } | undefined;

beforeAll(async () => {
  server = await openOverOurServer();
  service = await startFaultServer(server.address, ({ method }) =>
    failing !== undefined && method.endsWith(failing.method) ? failing.how : undefined,
  );
  db = await open('bigtable://p/instance-1', {
    entities: [Hit],
    bigtable: { emulatorHost: service.address },
  });
  await db.admin.apply();
});
afterAll(async () => {
  await db.close();
  await service.close();
  await server.close();
});
beforeEach(() => server.backend.dropRowRange('hits', { kind: 'all' }));
afterEach(() => (failing = undefined));

const keys = [1, 2, 3].map((n) => ({ n }));
const outcomes = (failed: readonly { readonly mayBeWritten: boolean }[]): boolean[] =>
  failed.map(({ mayBeWritten }) => mayBeWritten);

describe.each([
  ['UNAVAILABLE', status.UNAVAILABLE],
  ['DEADLINE_EXCEEDED', status.DEADLINE_EXCEEDED],
  ['ABORTED', status.ABORTED],
  ['CANCELLED', status.CANCELLED],
  ['INTERNAL', status.INTERNAL],
  ['UNKNOWN', status.UNKNOWN],
  ['DATA_LOSS', status.DATA_LOSS],
  ['a reset stream', 'reset'],
] as const)('%s', (_, code) => {
  test('in a batch of additions, after they were applied', async () => {
    failing = { method: '/MutateRows', how: { code, reachesServer: true } };
    const items = keys.map((key) => ({ key, changes: {}, add: { views: 1n } }));
    const { written, failures } = await db.repository(Hit).patchMany(items);
    expect([written, outcomes(failures)]).toEqual([0, [true, true, true]]);
    failing = undefined;
    const stored = await db.repository(Hit).getMany(keys);
    expect(stored.map((hit) => hit?.views)).toEqual([1n, 1n, 1n]);
  });

  test('in increments, after they were applied', async () => {
    failing = { method: '/ReadModifyWriteRow', how: { code, reachesServer: true } };
    const items = keys.map((key) => ({ key, changes: { seen: 1n } }));
    const { written, failures } = await db.repository(Hit).incrementMany(items);
    expect([written, outcomes(failures)]).toEqual([0, [true, true, true]]);
    failing = undefined;
    const stored = await db.repository(Hit).getMany(keys);
    expect(stored.map((hit) => hit?.seen)).toEqual([1n, 1n, 1n]);
  });
});

test('a rejected row was not written', async () => {
  failing = {
    method: '/ReadModifyWriteRow',
    how: { code: status.FAILED_PRECONDITION, reachesServer: false },
  };
  const items = keys.map((key) => ({ key, changes: { seen: 1n } }));
  const failures: BulkFailure<unknown>[] = [];
  const onFailure = (failure: BulkFailure<unknown>): void => void failures.push(failure);
  // What refuses all rows rejects the call.
  await expect(db.repository(Hit).incrementMany(items, { onFailure })).rejects.toMatchObject({
    code: 'FAILED_PRECONDITION',
  });
  expect(outcomes(failures)).toEqual([false, false, false]);
});
