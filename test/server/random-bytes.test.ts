/** Random bytes to every method of the server. */
import { status } from '@grpc/grpc-js';
import { published } from '../engines/protocol/published.js';
import { seed } from '../support/seed.js';
import { collectCall, createTestTable, serveMemory, tableName, utf8 } from './raw-client.js';

/** Requests to each method. */
const runs = Number(process.env.RUNS ?? 4);

const methods = [
  'google.bigtable.v2.Bigtable',
  'google.bigtable.admin.v2.BigtableTableAdmin',
  'google.bigtable.admin.v2.BigtableInstanceAdmin',
  'google.longrunning.Operations',
].flatMap((service) =>
  Object.keys(published.lookupService(service).methods).map((method) => `/${service}/${method}`),
);
let state = seed;
const random = (below: number): number => {
  state = (Math.imul(state, 1103515245) + 12345) >>> 0;
  return (state >>> 8) % below;
};
/** Bytes that usually resemble a message: small tags, short lengths, a name that exists. */
const malformed = (): Buffer => {
  const parts: Buffer[] =
    random(2) === 0 ? [Buffer.from([0x0a, tableName.length]), utf8(tableName)] : [];
  for (let i = random(8); i > 0; i--)
    parts.push(
      Buffer.from([((1 + random(16)) << 3) | random(6), random(12)]),
      Buffer.from(Array.from({ length: random(14) }, () => random(256))),
    );
  return Buffer.concat(parts);
};

test('random bytes to every method are answered', async () => {
  expect(methods.length).toBeGreaterThan(80);
  // A separate server, because some of the requests are valid: DeleteTable needs only a name.
  const other = await serveMemory();
  const codes = new Set<number>();
  for (const path of methods) {
    const results = await Promise.all(
      Array.from({ length: runs }, () =>
        collectCall(other.client.bytes(path, malformed(), 60_000)),
      ),
    );
    for (const { code } of results) codes.add(code);
  }
  // No internal error and no timeout.
  expect(
    [...codes].filter(
      (code) =>
        ![
          status.OK,
          status.INVALID_ARGUMENT,
          status.NOT_FOUND,
          status.ALREADY_EXISTS,
          status.UNIMPLEMENTED,
          status.FAILED_PRECONDITION,
        ].includes(code),
    ),
  ).toEqual([]);
  await other.client.call('tables', 'DeleteTable', { name: tableName });
  await createTestTable(other.client);
  expect(await other.client.rows({ tableName })).toEqual([]);
  await other.close();
});
