/** db.admin works the same on every engine, and nothing else changes a live database's tables. */
import 'reflect-metadata';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildModels } from '../../../../src/entities/model/index.js';
import { planTables } from '../../../../src/entities/repository/database/schema-sync.js';
import {
  Column,
  type Database,
  Entity,
  maxAge,
  maxVersions,
  open,
  rowKey,
  Segment,
  union,
  type GcRule,
  type OpenOptions,
  type SchemaChange,
} from '../../../../src/index.js';
import {
  openOverEmulator,
  openOverOurServer,
  liveUrl,
} from '../../../engines/bigtable/live-backends.js';
import { findEmulator } from '../../../support/emulator.js';

function entity(
  gc: GcRule | undefined,
  families: Readonly<Record<string, { gc?: GcRule; aggregate?: 'sum' }>> = {},
) {
  @Entity({ table: 'readings', families: { m: gc === undefined ? {} : { gc }, ...families } })
  class Reading {
    static readonly key = rowKey('id');
    @Segment('string') id!: string;
    @Column('m', 'string') value?: string;
  }
  return Reading;
}

/** Storage that outlives the databases opened on it. */
interface Storage {
  readonly open: (one: ReturnType<typeof entity>) => Promise<Database>;
  readonly close: () => Promise<void>;
}

const emulator = findEmulator();
const storages: Record<string, () => Promise<Storage>> = {
  'on disk': async () => {
    const directory = mkdtempSync(join(tmpdir(), 'rowsmith-admin-'));
    return {
      open: (one) => open(`file:${directory}`, { entities: [one], schema: 'apply' }),
      close: async () => rmSync(directory, { recursive: true }),
    };
  },
  'live, our server': async () => {
    const { address, close } = await openOverOurServer();
    return { open: (one) => open(liveUrl, live(one, address)), close };
  },
};
if (emulator !== undefined)
  storages["live, Google's emulator"] = async () => {
    const { address, close } = await openOverEmulator(emulator);
    return { open: (one) => open(liveUrl, live(one, address)), close };
  };
const live = (one: ReturnType<typeof entity>, emulatorHost: string): OpenOptions => ({
  entities: [one],
  bigtable: { emulatorHost },
});
const kinds = (changes: readonly SchemaChange[]) =>
  changes.map(
    (change) =>
      `${change.kind} ${change.table}${change.kind === 'createTable' ? '' : `.${change.family}`}`,
  );

describe.each(Object.entries(storages).filter(([name]) => name.startsWith('live')))(
  '%s',
  (_name, make) => {
    let storage: Storage;
    beforeEach(async () => {
      storage = await make();
    });
    afterEach(() => storage.close());

    test('opening changes nothing; errors name the command to run, and apply creates what is missing', async () => {
      const Reading = entity(maxVersions(1));
      await using db = await storage.open(Reading);
      const readings = db.repository(Reading);
      expect(await db.engine.listTables()).toEqual([]);
      const fix = expect.stringMatching(/db\.admin\.apply\(\).*rowsmith schema apply/);
      await expect(readings.get({ id: 'a' })).rejects.toMatchObject({
        code: 'TABLE_NOT_FOUND',
        details: { table: 'readings', fix },
      });
      await expect(readings.save(readings.create({ id: 'a', value: 'v' }))).rejects.toMatchObject({
        code: 'TABLE_NOT_FOUND',
        details: { fix },
      });
      await expect(
        readings.saveMany([readings.create({ id: 'a', value: 'v' })]),
      ).rejects.toMatchObject({ code: 'TABLE_NOT_FOUND', details: { fix } });
      expect(kinds(await db.admin.plan())).toEqual(['createTable readings']);
      expect(kinds(await db.admin.apply())).toEqual(['createTable readings']);
      expect(await db.admin.plan()).toEqual([]);
      await readings.save(readings.create({ id: 'a', value: 'v' }));
      expect((await readings.get({ id: 'a' }))?.value).toBe('v');

      const Wider = entity(maxVersions(1), { extra: {} });
      await using wider = await storage.open(Wider);
      expect(kinds(await wider.admin.apply())).toEqual(['createFamily readings.extra']);
      expect(await wider.admin.plan()).toEqual([]);
    });

    test('a missing family is named', async () => {
      await using first = await storage.open(entity(undefined));
      await first.engine.createTable({ name: 'readings', families: new Map([['other', {}]]) });
      const Reading = entity(undefined);
      await using db = await storage.open(Reading);
      const readings = db.repository(Reading);
      await expect(readings.save(readings.create({ id: 'a', value: 'v' }))).rejects.toMatchObject({
        code: 'FAMILY_NOT_FOUND',
        details: {
          table: 'readings',
          family: 'm',
          fix: expect.stringContaining('db.admin.apply()'),
        },
      });
    });

    test('a stricter rule needs allowDataLoss, a looser one does not, and a kind never changes', async () => {
      await using first = await storage.open(entity(maxVersions(3)));
      await first.admin.apply();
      await using tighter = await storage.open(entity(maxVersions(1)));
      expect(await tighter.admin.plan()).toMatchObject([
        {
          kind: 'changeGc',
          family: 'm',
          from: maxVersions(3),
          to: maxVersions(1),
          losesData: true,
        },
      ]);
      await expect(tighter.admin.apply()).rejects.toMatchObject({
        code: 'SCHEMA_CONFLICT',
        details: {
          problem: 'stored with maxversions=3, declared with maxversions=1',
          fix: expect.stringContaining('allowDataLoss'),
        },
      });
      expect(await tighter.admin.plan()).toHaveLength(1);
      await tighter.admin.apply({ allowDataLoss: true });
      await using looser = await storage.open(entity(maxVersions(2)));
      expect(kinds(await looser.admin.apply())).toEqual(['changeGc readings.m']);
      await using never = await storage.open(entity(undefined));
      expect(kinds(await never.admin.apply())).toEqual(['changeGc readings.m']);
      await first.engine.modifyFamilies('readings', [
        { kind: 'create', family: 'n', schema: { aggregate: 'sum' } },
      ]);
      await using other = await storage.open(entity(undefined, { n: {} }));
      await expect(other.admin.apply()).rejects.toMatchObject({
        code: 'SCHEMA_CONFLICT',
        details: { property: 'family n' },
      });
    });
  },
);

test('an embedded database needs no changes once it is open', async () => {
  const storage = await storages['on disk']();
  await using db = await storage.open(entity(maxVersions(1)));
  expect(await db.admin.plan()).toEqual([]);
  expect(await db.admin.apply()).toEqual([]);
  await db.close();
  await storage.close();
});

const day = maxAge('1d');
const week = maxAge('7d');
const all = { kind: 'union', rules: [] } as const;
const both = (...rules: GcRule[]): GcRule => ({ kind: 'intersection', rules });
test.each<[GcRule | undefined, GcRule | undefined, boolean]>([
  [undefined, day, true],
  [day, undefined, false],
  [all, day, true],
  [day, week, false],
  [week, day, true],
  [day, maxVersions(1), true],
  [maxVersions(1), maxVersions(2), false],
  [union(day, maxVersions(1)), day, false],
  [union(day, maxVersions(1)), union(maxVersions(2), week), false],
  [day, union(day, maxVersions(1)), true],
  [day, both(day, maxVersions(1)), false],
  [both(day, maxVersions(1)), day, true],
  [both(day, maxVersions(1)), both(maxVersions(2), week), false],
  [union(day, both(week, maxVersions(1))), both(week, maxVersions(2)), false],
  [union(day, maxVersions(3)), union(week, maxVersions(2)), true],
])('from %j to %j loses data: %s', async (from, to, losesData) => {
  await using db = await open('memory:', { entities: [entity(undefined)] });
  await db.engine.modifyFamilies('readings', [{ kind: 'update', family: 'm', gc: from }]);
  expect(planTables(await db.engine.listTables(), buildModels([entity(to)]))).toMatchObject([
    { losesData },
  ]);
});
