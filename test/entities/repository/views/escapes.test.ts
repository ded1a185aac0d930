/** Calls outside of repositories: none reaches what a view does not show. */
import {
  authorizedView,
  Column,
  type Database,
  Entity,
  literal,
  open,
  rowKey,
  Segment,
  table,
} from '../../../../src/index.js';
import { openMemoryEngine } from '../../../../src/engines/local/index.js';
import { startServer } from '../../../../src/server/index.js';
import { RawClient } from '../../../server/raw-client.js';

const things = table('things', { families: { m: {} } });

@Entity({ table: things })
class Person {
  static readonly key = rowKey('tenant', 'id');
  @Segment('string') tenant!: string;
  @Segment('string') id!: string;
  @Column('m', 'string', { required: true }) name!: string;
  @Column('m', 'string') secret?: string;
}

@Entity({ table: things })
class Letter {
  static readonly key = rowKey('tenant', 'id', literal('letter'), 'n');
  @Segment('string') tenant!: string;
  @Segment('string') id!: string;
  @Segment('uint') n!: number;
  @Column('m', 'string') text?: string;
}

const AcmePerson = authorizedView(Person, 'acme', {
  columns: ['name'],
  rows: [{ tenant: 'acme' }],
});
const AcmeRows = authorizedView(Letter, 'letters', {
  columns: ['text'],
  rows: [{ tenant: 'acme' }],
});

/** The third tenant has one row alone, which `deleteAll` drops as a range. */
async function seed(db: Database): Promise<void> {
  const alone = { tenant: 'third', id: '1', name: 'Ada' };
  await db.repository(Person).save(Object.assign(new Person(), alone));
  for (const tenant of ['acme', 'other']) {
    await db
      .repository(Person)
      .save(Object.assign(new Person(), { tenant, id: '1', name: 'Ada', secret: 's' }));
    await db
      .repository(Letter)
      .save(Object.assign(new Letter(), { tenant, id: '1', n: 1, text: 't' }));
  }
}
const keysOf = async (db: Database): Promise<string[]> => {
  const people = await db.repository(Person).scanAll().all();
  return people.map(({ tenant, id }) => `${tenant} ${id}`);
};

test('a collection does not read members through the view of another, or without their own', async () => {
  const db = await open('memory:', { entities: [Person, Letter, AcmePerson, AcmeRows] });
  await seed(db);
  for (const members of [
    { letters: Letter, people: AcmePerson },
    { people: AcmePerson, letters: Letter },
    { people: AcmePerson, letters: AcmeRows },
    { people: Person, same: AcmePerson },
  ])
    expect(() => db.collection(members as never)).toThrow(
      expect.objectContaining({
        code: 'INVALID_ARGUMENT',
        details: expect.objectContaining({ problem: expect.stringContaining('view') }),
      }),
    );
  const rows = await db.collection({ people: AcmePerson }).prefix({ tenant: 'other' }).all();
  expect(rows).toEqual([]);
  await db.close();
});

test('deleteAll of a scope deletes through the view, if the entity is not open', async () => {
  const engine = await openMemoryEngine();
  const server = await startServer(engine);
  const client = new RawClient(server.address);
  const bigtable = { emulatorHost: server.address };
  const url = 'bigtable://rowsmith/local';
  const db = await open(url, { entities: [Person, Letter], bigtable });
  await db.admin.apply();
  await seed(db);
  await client.unary('tables', 'CreateAuthorizedView', {
    parent: 'projects/rowsmith/instances/local/tables/things',
    authorizedViewId: 'acme',
    authorizedView: {
      subsetView: {
        rowPrefixes: [Buffer.from('acme#')],
        familySubsets: { m: { qualifiers: [Buffer.from('name')] } },
      },
    },
  });
  for (const view of ['acme', undefined]) {
    const through = await open(url, { entities: [AcmePerson], bigtable, view });
    for (const tenant of ['acme', 'other', 'third'])
      await through
        .scope({ tenant })
        .deleteAll()
        .catch((error: unknown) => expect(error).toMatchObject({ code: 'PERMISSION_DENIED' }));
    expect(await keysOf(db)).toEqual(['acme 1', 'other 1', 'third 1']);
    await through.close();
  }
  await db.close();
  client.close();
  await server.close({ graceMs: 500 });
  await engine.close();
});

test('deleteAll of a scope deletes rows once, where an entity and its view are open', async () => {
  const db = await open('memory:', { entities: [AcmePerson, Person, Letter] });
  await seed(db);
  const { rows, parts } = await db.scope({ tenant: 'acme' }).deleteAll();
  expect(rows).toBe(2);
  expect(parts.map(({ entity }) => entity)).toEqual(['Person', 'Letter']);
  expect(await keysOf(db)).toEqual(['other 1', 'third 1']);
  await db.close();
});

test('rows are verified through the table', async () => {
  const db = await open('memory:', { entities: [Person, Letter, AcmePerson] });
  await db.engine.mutateRow('things', {
    key: Buffer.from('other#9'),
    mutations: [
      {
        kind: 'setCell',
        family: 'm',
        qualifier: Buffer.from('secret'),
        timestamp: 0,
        value: Buffer.from('s'),
      },
    ],
  });
  for (const call of ['verify', 'repair'] as const)
    await expect(db.derived[call](AcmePerson)).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      details: { entity: 'Person.acme', fix: expect.stringContaining('Person') },
    });
  await db.close();
});

test("a database of one view does not hand out Google's client, which knows no views", async () => {
  const bigtable = { emulatorHost: '127.0.0.1:1' };
  const db = await open('bigtable://p/i', { entities: [AcmePerson], view: 'acme', bigtable });
  await expect(db.client()).rejects.toMatchObject({ code: 'UNSUPPORTED' });
  await db.close();
});
