/** Another program that writes between the comparison of a change and its write. */
import { Column, ColumnMap, Entity, rowKey, Segment } from '../../../src/index.js';
import type { Engine } from '../../../src/data/store/index.js';
import { openMemoryEngine } from '../../../src/engines/local/index.js';
import { startServer } from '../../../src/server/index.js';
import { Account } from './entities.js';
import { base64, StudioClient } from './studio-client.js';

/** Without derived rows: one request compares and writes. */
@Entity({ table: 'notes', families: { m: {}, t: {} } })
class Note {
  static readonly key = rowKey('id');
  @Segment('string', { maxLength: 40 }) id!: string;
  @Column('m', 'string') status?: string;
  @ColumnMap('t', 'string') tags?: Map<string, string>;
}

/** The engine of the server: what other programs do comes between its requests. */
let engine: Engine;
let server: Awaited<ReturnType<typeof startServer>>;
let client: StudioClient;
beforeEach(async () => {
  engine = await openMemoryEngine({});
  server = await startServer(engine, { instance: 'projects/p/instances/i' });
  client = await StudioClient.open('bigtable://p/i', {
    entities: [Note, Account],
    bigtable: { emulatorHost: server.address },
  });
  await client.studio.db.admin.apply();
  const accounts = client.studio.db.repository(Account);
  await accounts.save(accounts.create({ id: 'ann', balance: 5 }));
});
afterEach(async () => {
  await client.close();
  await server.close({ graceMs: 100 });
  await engine.close();
});

const key = { id: 'a' };
/** More than a filter of Bigtable holds. */
const long = 'x'.repeat(10_000);

const notes = () => client.studio.db.repository(Note);
const named = () => ({
  entity: 'Note',
  table: 'notes',
  key: base64(notes().model.key.encode(key)),
});

/** Runs the write of another program before the first conditional write of the studio. */
function before(write: () => Promise<unknown>): void {
  const { checkAndMutateRow } = engine;
  engine.checkAndMutateRow = async function (this: Engine, ...given) {
    engine.checkAndMutateRow = checkAndMutateRow;
    await write();
    return checkAndMutateRow.apply(this, given);
  };
}

test('a value that only the read compares is written over, and the response tells it', async () => {
  await notes().patch(key, { tags: new Map([['long', long]]) });
  before(() => notes().patch(key, { tags: new Map([['long', 'theirs']]) }));
  const changed = await client.call('update', {
    ...named(),
    set: { tags: { long: 'mine' } },
    shown: { tags: { long } },
  });
  expect(changed).toMatchObject({ outcome: 'written', guard: 'read' });
  expect((await notes().getOrThrow(key)).tags).toEqual(new Map([['long', 'mine']]));
});

test('a value beside it that the write compares is a conflict', async () => {
  await notes().patch(key, { status: 'paid', tags: new Map([['long', long]]) });
  before(() => notes().patch(key, { status: 'theirs' }));
  const changed = await client.call('update', {
    ...named(),
    set: { status: 'mine', tags: { long: 'mine' } },
    shown: { status: 'paid', tags: { long } },
  });
  expect(changed).toMatchObject({ outcome: 'conflict', changed: ['status'] });
  expect(await notes().getOrThrow(key)).toMatchObject({
    status: 'theirs',
    tags: new Map([['long', long]]),
  });
});

test('a row that is deleted between is a conflict', async () => {
  await notes().patch(key, { tags: new Map([['long', long]]) });
  before(() => notes().delete(key));
  const changed = await client.call('update', {
    ...named(),
    set: { tags: { long: 'mine' } },
    shown: { tags: { long } },
  });
  expect(changed).toMatchObject({ outcome: 'conflict', stored: { exists: false } });
  expect(await notes().get(key)).toBeUndefined();
});

test('a revision makes the comparison by the read safe', async () => {
  const accounts = client.studio.db.repository(Account);
  const { revision } = await accounts.getOrThrow({ id: 'ann' });
  before(() => accounts.patch({ id: 'ann' }, { balance: 6 }));
  const changed = await client.call('update', {
    entity: 'Account',
    table: 'accounts',
    key: base64(accounts.model.key.encode({ id: 'ann' })),
    set: { balance: 7 },
    shown: { balance: 5, revision: revision! },
  });
  expect(changed).toMatchObject({ outcome: 'conflict', changed: ['balance', 'revision'] });
  expect((await accounts.getOrThrow({ id: 'ann' })).balance).toBe(6);
});
