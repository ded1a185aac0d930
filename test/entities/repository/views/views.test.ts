/**
 * Repositories of authorized views: what they read, and that writes outside are refused, on every
 * back end that has views.
 */
import {
  authorizedView,
  Column,
  ColumnMap,
  defineEntity,
  column,
  Entity,
  indexes,
  indexOn,
  type Database,
  open,
  Revision,
  rowKey,
  Segment,
} from '../../../../src/index.js';
import { openMemoryEngine } from '../../../../src/engines/local/index.js';
import { startServer } from '../../../../src/server/index.js';
import { RawClient } from '../../../server/raw-client.js';

@Entity({ table: 'users', families: { m: {}, tags: {} }, marker: 'm' })
class User {
  static readonly key = rowKey('tenant', 'id');
  @Segment('string') tenant!: string;
  @Segment('string') id!: string;
  @Column('m', 'string') name?: string;
  @Column('m', 'string') city?: string;
  @Column('m', 'string') secret?: string;
  @ColumnMap('tags', 'string') tags?: Map<string, string>;
}
const PublicUser = authorizedView(User, 'public', { columns: ['name', 'tags'] });
const AcmeUser = authorizedView(User, 'acme', {
  columns: ['name', 'city', 'secret', 'tags'],
  rows: [{ tenant: 'acme' }],
});

interface Opened {
  readonly db: Database;
  /** Opens the same data with other entities. */
  readonly reopen: (options: Parameters<typeof open>[1]) => Promise<Database>;
  readonly close: () => Promise<void>;
}

const subsetOf = ({ view }: { view?: any }) => ({
  rowPrefixes: view.rowPrefixes.map((bytes: Uint8Array) => Buffer.from(bytes)),
  familySubsets: Object.fromEntries(
    [...view.families].map(([family, qualifiers]: [string, any]) => [
      family,
      qualifiers === 'all'
        ? { qualifierPrefixes: [Buffer.alloc(0)] }
        : { qualifiers: qualifiers.map((bytes: Uint8Array) => Buffer.from(bytes)) },
    ]),
  ),
});

async function openEmbedded(): Promise<Opened> {
  const db = await open('memory:', { entities: [User, PublicUser, AcmeUser] });
  return { db, reopen: async () => db, close: () => db.close() };
}

async function openLive(): Promise<Opened> {
  const engine = await openMemoryEngine();
  const server = await startServer(engine);
  const client = new RawClient(server.address);
  const url = 'bigtable://rowsmith/local';
  const bigtable = { emulatorHost: server.address };
  const db = await open(url, { entities: [User, PublicUser, AcmeUser], bigtable });
  await db.admin.apply();
  for (const repository of [db.repository(PublicUser), db.repository(AcmeUser)])
    await client.unary('tables', 'CreateAuthorizedView', {
      parent: 'projects/rowsmith/instances/local/tables/users',
      authorizedViewId: repository.model.view!.name,
      authorizedView: { subsetView: subsetOf(repository.model) },
    });
  return {
    db,
    reopen: (options) => open(url, { ...options, bigtable }),
    close: async () => {
      await db.close();
      client.close();
      await server.close({ graceMs: 500 });
      await engine.close();
    },
  };
}

describe.each([
  ['memory', openEmbedded],
  ['live, our server', openLive],
])('%s', (backEnd, openBackEnd) => {
  let opened: Opened;
  let db: Database;
  beforeAll(async () => {
    opened = await openBackEnd();
    db = opened.db;
  });
  afterAll(() => opened.close());
  beforeEach(async () => {
    const users = db.repository(User);
    await db.engine.dropRowRange('users', { kind: 'all' });
    for (const tenant of ['acme', 'other'])
      await users.save(
        users.create({
          tenant,
          id: '1',
          name: 'Ada',
          city: 'London',
          secret: 's',
          tags: new Map([['a', 'b']]),
        }),
      );
  });

  test('reads have the columns of the view', async () => {
    const view = db.repository(PublicUser);
    const row = await view.getOrThrow({ tenant: 'acme', id: '1' });
    expect(Object.fromEntries(Object.entries(row))).toEqual({
      tenant: 'acme',
      id: '1',
      name: 'Ada',
      tags: new Map([['a', 'b']]),
    });
    expect((await view.scanAll().all()).map(({ tenant }) => tenant)).toEqual(['acme', 'other']);
    expect(await view.getOrThrow({ tenant: 'acme', id: '1' }, { select: ['name'] })).toEqual({
      tenant: 'acme',
      id: '1',
      name: 'Ada',
    });
    // @ts-expect-error The view does not show the column.
    expect(row.secret).toBeUndefined();
    // @ts-expect-error A view has columns of its entity.
    expect(() => authorizedView(User, 'v', { columns: ['nme'] })).not.toThrow();
    // @ts-expect-error Rows are named by segments.
    expect(() => authorizedView(User, 'v', { columns: ['name'], rows: [{ no: 1 }] })).not.toThrow();
    const json = JSON.stringify(row);
    expect(json).not.toContain('London');
    await expect(
      view.get({ tenant: 'acme', id: '1' }, { select: ['city' as never] }),
    ).rejects.toMatchObject({ details: { entity: 'User.public', property: 'city' } });
  });

  test('reads have the rows of the view', async () => {
    const view = db.repository(AcmeUser);
    expect((await view.scanAll().all()).map(({ tenant }) => tenant)).toEqual(['acme']);
    expect(await view.get({ tenant: 'other', id: '1' })).toBeUndefined();
    expect(await view.exists({ tenant: 'other', id: '1' })).toBe(false);
    expect(
      await view.getMany([
        { tenant: 'acme', id: '1' },
        { tenant: 'other', id: '1' },
      ]),
    ).toEqual([expect.objectContaining({ secret: 's' }), undefined]);
  });

  test('writes of the view change its columns, and no other column', async () => {
    const view = db.repository(PublicUser);
    const key = { tenant: 'acme', id: '1' };
    await view.save(view.create({ ...key, name: 'Grace' }));
    const stored = await db.repository(User).getOrThrow(key);
    expect(Object.fromEntries(Object.entries(stored))).toEqual({
      ...key,
      name: 'Grace',
      city: 'London',
      secret: 's',
    });
    await view.patch(key, { name: 'Eve' });
    expect(await db.repository(User).getOrThrow(key)).toMatchObject({ name: 'Eve', secret: 's' });
    await expect(view.insert(view.create(key))).rejects.toMatchObject({ code: 'ROW_EXISTS' });
  });

  test('writes outside are refused, and name entity, property and fix', async () => {
    const before = await db.repository(User).scanAll().all();
    const acme = db.repository(AcmeUser);
    const denied = (property: unknown) => ({
      code: 'PERMISSION_DENIED',
      details: {
        entity: expect.stringContaining('User.'),
        property,
        problem: expect.any(String),
        fix: expect.stringContaining('db.repository(User)'),
      },
    });
    const other = { tenant: 'other', id: '1' };
    await expect(acme.patch(other, { name: 'x' })).rejects.toMatchObject(denied('tenant'));
    await expect(acme.save(acme.create({ ...other, name: 'x' }))).rejects.toMatchObject(
      denied('tenant'),
    );
    await expect(acme.insert(acme.create({ ...other, id: '2' }))).rejects.toMatchObject(
      denied('tenant'),
    );
    await expect(acme.delete(other)).rejects.toMatchObject(denied('tenant'));
    const view = db.repository(PublicUser);
    const whole = { code: 'PERMISSION_DENIED', details: { entity: 'User.public' } };
    await expect(view.delete({ tenant: 'acme', id: '1' })).rejects.toMatchObject(whole);
    const bulk = await acme
      .saveMany([acme.create({ ...other, name: 'x' })])
      .catch((error: unknown) => error);
    expect(JSON.stringify(bulk)).toContain('PERMISSION_DENIED');
    expect(await db.repository(User).scanAll().all()).toEqual(before);
    // Families are shown by their declared columns, and may have more.
    await expect(acme.delete({ tenant: 'acme', id: '1' })).rejects.toMatchObject({
      code: 'PERMISSION_DENIED',
    });
  });

  test('a database that is opened through a view reaches nothing else', async () => {
    const through =
      backEnd === 'memory'
        ? await open('memory:', { entities: [AcmeUser], view: 'acme' })
        : await opened.reopen({ entities: [AcmeUser], view: 'acme' });
    try {
      await through.repository(AcmeUser).patch({ tenant: 'acme', id: '9' }, { name: 'Nine' });
      const row = { key: Buffer.from('other#9'), mutations: [{ kind: 'deleteFromRow' as const }] };
      await expect(through.engine.mutateRow('users', row)).rejects.toMatchObject({
        code: 'PERMISSION_DENIED',
      });
      await expect(through.engine.listTables()).rejects.toMatchObject({
        code: 'PERMISSION_DENIED',
      });
      await expect(through.admin.plan()).rejects.toMatchObject({ code: 'PERMISSION_DENIED' });
      await through.ping();
      if (backEnd !== 'memory')
        expect(await db.repository(User).get({ tenant: 'acme', id: '9' })).toMatchObject({
          name: 'Nine',
        });
    } finally {
      await through.close();
    }
  });
});

describe('declarations', () => {
  const faultsOf = async (view: unknown): Promise<string> => {
    const error = await open('memory:', { entities: [User, view as never] }).then(
      () => undefined,
      (each: unknown) => each as { code: string; details: { faults: { problem: string }[] } },
    );
    expect(error?.code).toBe('INVALID_DECLARATION');
    return error!.details.faults.map(({ problem }) => problem).join('; ');
  };
  const declare = authorizedView as (entity: any, name: any, options?: any) => unknown;

  test.each([
    ['a name', 'a/b', { columns: ['name'] }, /name is the string "a\/b"/],
    ['no name', undefined, { columns: ['name'] }, /name is undefined/],
    ['no columns', 'v', {}, /columns is undefined/],
    ['an unknown column', 'v', { columns: ['nme'] }, /'nme' is not a column of User/],
    ['a segment', 'v', { columns: ['tenant'] }, /'tenant' is not a column/],
    ['an unknown option', 'v', { columns: ['name'], row: [] }, /no option 'row'/],
    [
      'a protection that is no boolean',
      'v',
      { columns: ['name'], deletionProtection: 1 },
      /deletionProtection is/,
    ],
    ['no rows', 'v', { columns: ['name'], rows: [] }, /rows is/],
    ['a gap', 'v', { columns: ['name'], rows: [{ id: '1' }] }, /not values of leading segments/],
    ['a wrong value', 'v', { columns: ['name'], rows: [{ tenant: 1 }] }, /leading segments/],
    [
      'a whole key, which is no prefix',
      'v',
      { columns: ['name'], rows: [{ tenant: 'a', id: 'b' }] },
      /give every segment/,
    ],
  ])('%s is refused', async (_, name, options, problem) => {
    expect(await faultsOf(declare(User, name, options))).toMatch(problem);
  });

  test('a view of a view, and of what is no entity', async () => {
    expect(await faultsOf(declare(PublicUser, 'v', { columns: ['name'] }))).toMatch(/is a view/);
    expect(await faultsOf(declare(class Plain {}, 'v', { columns: ['x'] }))).toMatch(/no @Entity/);
    expect(await faultsOf(declare(undefined, 'v', { columns: ['x'] }))).toMatch(/not a class/);
  });

  test('two views of one name in a table are refused', async () => {
    await expect(
      open('memory:', {
        entities: [PublicUser, authorizedView(User, 'public', { columns: ['city'] })],
      }),
    ).rejects.toMatchObject({ code: 'INVALID_DECLARATION' });
  });

  test('open refuses entities that are not of its view', async () => {
    for (const entity of [User, AcmeUser])
      await expect(
        open('memory:', { entities: [entity as never], view: 'public' }),
      ).rejects.toMatchObject({
        code: 'INVALID_ARGUMENT',
        details: { property: 'view', entity: expect.stringContaining('User') },
      });
  });
});

test('an entity with what the view cannot keep is only read through it', async () => {
  class Indexed {
    static readonly indexes = indexes({ byName: indexOn('name') });
    id!: string;
    name?: string;
    secret?: string;
  }
  const Entity1 = defineEntity(Indexed, {
    table: 'indexed',
    families: { m: {} },
    key: rowKey('id'),
    segments: { id: 'string' },
    columns: { name: column('m', 'string'), secret: column('m', 'string') },
  });
  @Entity({ table: 'revised', families: { m: {} } })
  class Revised {
    static readonly key = rowKey('id');
    @Segment('string') id!: string;
    @Column('m', 'string') name?: string;
    @Revision('m') revision?: string;
  }
  const IndexedNames = authorizedView(Entity1, 'names', { columns: ['name', 'secret'] });
  const RevisedNames = authorizedView(Revised, 'names', { columns: ['name'] });
  const db = await open('memory:', { entities: [Entity1, Revised, IndexedNames, RevisedNames] });
  await db.repository(Revised).save(db.repository(Revised).create({ id: '1', name: 'a' }));
  expect(await db.repository(RevisedNames).get({ id: '1' })).toMatchObject({ name: 'a' });
  const patch = db.repository(RevisedNames).patch({ id: '1' }, { name: 'b' });
  await expect(patch).rejects.toMatchObject({
    code: 'UNSUPPORTED',
    details: { entity: 'Revised.names', property: 'revision', fix: expect.any(String) },
  });
  await expect(db.repository(IndexedNames).patch({ id: '1' }, { name: 'b' })).rejects.toMatchObject(
    { code: 'UNSUPPORTED', details: { entity: 'Indexed.names' } },
  );
  await db.close();
});
