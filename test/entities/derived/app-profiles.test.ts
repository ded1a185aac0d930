/** Indexes need conditional writes, which an app profile with multi-cluster routing refuses. */
import { Column, Entity, open, rowKey, Segment } from '../../../src/index.js';
import { type TestServer, instance, serveMemory } from '../../server/raw-client.js';
import { Order } from './index/entities.js';
import { codeOf } from './index/stored-entries.js';

@Entity({ table: 'plain', families: { m: {} } })
class Plain {
  static readonly key = rowKey('id');
  @Segment('string') id!: string;
  @Column('m', 'string') text?: string;
}

let served: TestServer;
const url = `bigtable://${instance.split('/')[1]}/${instance.split('/')[3]}`;
const openWith = (profile: string, entity: typeof Order | typeof Plain) =>
  open(`${url}?appProfile=${profile}`, {
    entities: [entity],
    bigtable: { emulatorHost: served.server.address },
  });

beforeAll(async () => {
  served = await serveMemory({ instance });
  const profiles = {
    many: { multiClusterRoutingUseAny: {} },
    one: { singleClusterRouting: { clusterId: 'local', allowTransactionalWrites: true } },
  };
  for (const [appProfileId, appProfile] of Object.entries(profiles))
    await served.client.unary('instances', 'CreateAppProfile', {
      parent: instance,
      appProfileId,
      appProfile,
    });
  const db = await openWith('one', Order);
  await db.admin.apply();
  await db.close();
});
afterAll(() => served.close());

test('with multi-cluster routing, an entity with indexes is refused at open', async () => {
  await expect(openWith('many', Order)).rejects.toMatchObject({
    code: 'FAILED_PRECONDITION',
    details: {
      entity: 'Order',
      appProfile: 'many',
      problem: expect.stringContaining("app profile 'many' does not allow") as string,
      fix: expect.stringContaining('single-cluster routing') as string,
    },
  });
});

test('with single-cluster routing, and without indexes, it opens; the probe writes nothing', async () => {
  const db = await openWith('one', Order);
  const orders = db.repository(Order);
  await orders.save(orders.create({ tenant: 'a', id: 1, status: 'open' }));
  expect(await orders.scanAll().count()).toBe(1);
  const rows = db.engine.readRows({
    table: 'orders',
    ranges: [{ start: Buffer.alloc(0) }],
    reversed: false,
  });
  const page = await rows.next();
  let count = 0;
  while (page!.nextRow()) count++;
  await rows.close();
  expect(count).toBe(1);
  await db.close();
  await (await openWith('many', Plain)).close();
});

test('the server refuses conditional writes and read-modify-writes of such a profile', async () => {
  const db = await openWith('many', Plain);
  await db.admin.apply();
  const plain = db.repository(Plain);
  await plain.save(plain.create({ id: 'a', text: 'x' }));
  const row = plain.create({ id: 'b', text: 'x' });
  await expect(plain.insert(row)).rejects.toMatchObject({
    code: 'FAILED_PRECONDITION',
    details: { problem: 'Single-row transactions are not allowed by this app profile' },
  });
  expect(await codeOf(plain.append({ id: 'a' }, { text: 'y' }))).toBe('FAILED_PRECONDITION');
  await db.close();
});

test('a table that does not exist, and a server that is not there, are left to the first call', async () => {
  const other = await serveMemory({ instance });
  const db = await open(url, {
    entities: [Order],
    bigtable: { emulatorHost: other.server.address },
  });
  await db.close();
  const { address } = other.server;
  await other.close();
  const unreachable = await open(url, { entities: [Order], bigtable: { emulatorHost: address } });
  await unreachable.close();
});
