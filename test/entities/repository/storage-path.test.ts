/** The stages of a database: each where its order matters. */
import {
  Column,
  Entity,
  indexes,
  intersection,
  maxAge,
  maxVersions,
  rowKey,
  Segment,
  type Version,
  uniqueIndexOn,
  Versions,
} from '../../../src/index.js';
import { recordAccess } from '../../../src/tools/index.js';
import { everyKey } from '../../../src/base/index.js';
import { openMemoryEngine } from '../../../src/engines/local/index.js';
import type { AccessRecorder } from '../../../src/tools/heat/index.js';
import { buildModels } from '../../../src/entities/model/index.js';
import { observationOf } from '../../../src/engines/observe/index.js';
import { Database, type DatabaseParts, openParts } from '../../../src/entities/repository/index.js';
import type { DatabaseScope } from '../../../src/entities/repository/database/scope.js';
import { type PathStages, storagePath } from '../../../src/entities/repository/storage-path.js';
import { collectRows, type Stage } from '../../../src/data/store/index.js';

const hour = 3_600_000;
const now = Date.UTC(2026, 10, 25);
const families = { v: { gc: intersection(maxAge('2h'), maxVersions(1)) } };

/** The newest version is kept, however old; older versions expire. */
@Entity({ table: 'levels', families })
class Level {
  static readonly key = rowKey('tenant', 'id');
  @Segment('string') tenant!: string;
  @Segment('string') id!: string;
  @Versions('v', 'double') levels?: Version<number>[];
}

@Entity({ table: 'orders', families: { o: { gc: maxAge('2h') } } })
class Order {
  static readonly key = rowKey('tenant', 'id');
  static readonly indexes = indexes({ byStatus: uniqueIndexOn('tenant', 'status') });
  @Segment('string') tenant!: string;
  @Segment('string') id!: string;
  @Column('o', 'string') status?: string;
}

/** The same rows, as a program without the index writes them. */
@Entity({ table: 'orders', families: { o: { gc: maxAge('2h') } } })
class Unindexed {
  static readonly key = rowKey('tenant', 'id');
  @Segment('string') tenant!: string;
  @Segment('string') id!: string;
  @Column('o', 'string') status?: string;
}

interface Opened {
  readonly db: Database;
  /** The observed calls of repositories. */
  readonly calls: string[];
  readonly recorder: AccessRecorder;
}

/** A database with all stages; its engine shows expired cells. */
async function openAll(): Promise<Opened> {
  const parts = await openParts('memory:', {
    entities: [Level, Order],
    gc: 'manual',
    clock: () => now,
  });
  return openOn(parts);
}

async function openOn(parts: DatabaseParts): Promise<Opened> {
  const calls: string[] = [];
  const log = (line: string): void => void calls.push(line.replace(/, [\d.]+ ms/, ''));
  const recorder = recordAccess();
  const db = new Database({
    ...parts,
    observation: await observationOf({ log, slowScanMs: 0 }, 'rowsmith'),
    recorded: recorder.stage(),
    hideExpired: () => now,
  });
  return { db, calls, recorder };
}

/** The recorded accesses as `read orders a#1 12`, with bytes. */
function recorded(recorder: AccessRecorder): string[] {
  return recorder
    .log()
    .tables.flatMap(({ table, windows }) =>
      windows.flatMap(({ samples }) => samples.map((sample) => ({ table, ...sample }))),
    )
    .map(({ kind, table, key, bytes }) => `${kind} ${table} ${Buffer.from(key)} ${bytes}`)
    .sort();
}

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Writes versions of one level, some hours old. */
async function writeLevels(db: Database, ...ages: readonly number[]): Promise<void> {
  const levels = db.repository(Level);
  const key = levels.model.key.encode({ tenant: 'a', id: '1' });
  const { qualifier } = levels.model.columns[0] as { readonly qualifier: Uint8Array };
  const mutations = ages.map((age) => ({
    kind: 'setCell' as const,
    family: 'v',
    qualifier,
    timestamp: BigInt(now - age * hour) * 1000n,
    value: new Uint8Array(8),
  }));
  await db.engine.mutateRow('levels', { key, mutations });
}

test('requests pass the stages in the order of the list', async () => {
  const seen: string[] = [];
  const names = ['recorded', 'expired', 'awaited', 'observed', 'scope', 'ready'] as const;
  const stages: Partial<Record<keyof PathStages, Stage>> = {};
  for (const name of names)
    stages[name] = {
      read(request, send) {
        seen.push(name);
        return send(request);
      },
      write(request, send) {
        seen.push(name);
        return send(request);
      },
    };
  const engine = await openMemoryEngine({});
  await engine.createTable({ name: 't', families: new Map([['a', {}]]) });
  const { ready, scope, ...others } = stages;
  const order = [...names].reverse();
  // At once, and as a scope adds its stages to a path of the database.
  for (const path of [
    storagePath(engine, stages),
    storagePath(storagePath(engine, others), { scope, ready }),
  ]) {
    await collectRows(path.readRows({ table: 't', ranges: [everyKey], reversed: false }));
    expect(seen.splice(0)).toEqual(order);
    await path.mutateRow('t', { key: utf8('r'), mutations: [{ kind: 'deleteFromRow' }] });
    expect(seen.splice(0)).toEqual(order);
  }
  await engine.close();
});

test('expired cells are hidden before they are observed, and recorded before they are hidden', async () => {
  const { db, calls, recorder } = await openAll();
  await writeLevels(db, 1, 3, 4);
  // What users write below repositories is no different.
  expect(calls).toEqual([expect.stringMatching(/^mutateRow levels -> 1 row/)]);
  expect(recorded(recorder)).toEqual([expect.stringMatching(/^write levels /)]);
  calls.length = 0;
  const [level] = await db.repository(Level).scanAll().all();
  expect(level.levels).toHaveLength(1);
  const cell = 'levels'.length + 8;
  const key = db.repository(Level).model.key.encode({ tenant: 'a', id: '1' }).length;
  expect(calls).toEqual([
    `readRows Level in levels: every row, filter chain -> 1 row, ${key + cell} bytes`,
  ]);
  // The first version that a rule counts is always read.
  expect(recorded(recorder).filter((line) => line.startsWith('scan'))).toEqual([
    expect.stringMatching(new RegExp(`^scan levels .* ${key + 3 * cell}$`)),
  ]);
  await db.close();
});

test('expired rows are hidden from what keeps indexes', async () => {
  const { db } = await openAll();
  const orders = db.repository(Order);
  const old = BigInt(now - 3 * hour) * 1000n;
  await orders.insert(orders.create({ tenant: 'a', id: '1', status: 'open' }));
  const [stored] = await collectRows(
    db.engine.readRows({ table: 'orders', ranges: [everyKey], reversed: false }),
  );
  const mutations = stored.cells.flatMap(({ family, qualifier, value }) =>
    family === 'o'
      ? [
          { kind: 'deleteFromColumn', family, qualifier } as const,
          { kind: 'setCell', family, qualifier, value, timestamp: old } as const,
        ]
      : [],
  );
  expect(mutations.length).toBeGreaterThan(0);
  await db.engine.mutateRow('orders', { key: stored.key, mutations });
  // The unique value belongs to a row that is gone.
  await orders.insert(orders.create({ tenant: 'a', id: '2', status: 'open' }));
  expect((await orders.scanAll().all()).map(({ id }) => id)).toEqual(['2']);
  await db.close();
});

test('one call is observed and all of its requests are recorded', async () => {
  const { db, calls, recorder } = await openAll();
  const orders = db.repository(Order);
  await orders.save(orders.create({ tenant: 'a', id: '1', status: 'open' }));
  expect(calls).toEqual([expect.stringMatching(/^mutateRow Order in orders -> 1 row/)]);
  const tables = new Set(recorded(recorder).map((line) => line.split(' ').slice(0, 2).join(' ')));
  const entries = orders.model.indexes[0].entry.table.name;
  expect(tables).toEqual(new Set(['read orders', `write ${entries}`, 'write orders']));
  await db.close();
});

test('what a scope must not reach is neither observed nor recorded', async () => {
  const { db, calls, recorder } = await openAll();
  await writeLevels(db, 1);
  const scope = db.scope({ tenant: 'b' }) as unknown as DatabaseScope;
  const { engine } = scope.partsOf(Level).context;
  calls.length = 0;
  const before = recorded(recorder);
  const outside = { code: 'OUTSIDE_SCOPE' };
  const scan = { table: 'levels', ranges: [everyKey], reversed: false };
  await expect(engine.readRows(scan).next()).rejects.toMatchObject(outside);
  const row = { key: utf8('a#1'), mutations: [{ kind: 'deleteFromRow' as const }] };
  await expect(engine.mutateRow('levels', row)).rejects.toMatchObject(outside);
  await expect(engine.compact()).rejects.toMatchObject(outside);
  expect(calls).toEqual([]);
  expect(recorded(recorder)).toEqual(before);
  await db.close();
});

test('a write after closing is observed with its error, and not sent', async () => {
  const { db, calls, recorder } = await openAll();
  const orders = db.repository(Order);
  const order = orders.create({ tenant: 'a', id: '1', status: 'open' });
  await db.close();
  await expect(orders.save(order)).rejects.toMatchObject({ code: 'DATABASE_CLOSED' });
  expect(calls).toEqual([expect.stringContaining('mutateRow Order in orders -> DATABASE_CLOSED')]);
  expect(recorded(recorder)).toEqual([]);
});

test('closing waits for the requests of a write', async () => {
  const { db } = await openAll();
  const orders = db.repository(Order);
  const saved = orders.save(orders.create({ tenant: 'a', id: '1', status: 'open' }));
  await db.close();
  await saved;
});

test('a query waits for its index before it reads', async () => {
  const parts = await openParts('memory:', { entities: [Unindexed], clock: () => now });
  const earlier = new Database(parts).repository(Unindexed);
  await earlier.save(earlier.create({ tenant: 'a', id: '1', status: 'open' }));
  const { db, calls, recorder } = await openOn({ ...parts, models: buildModels([Order]) });
  await db.admin.apply();
  calls.length = 0;
  const query = db.repository(Order).index('byStatus').prefix({ tenant: 'a' });
  await expect(query.all()).rejects.toMatchObject({ code: 'INDEX_NOT_READY' });
  // No time is spent in the engine for the caller, and no entry was read.
  expect(calls).toEqual([expect.stringMatching(/^readRows Order in .* -> 0 rows, 0 bytes$/)]);
  const { table } = db.repository(Order).model.indexes[0].entry;
  const reads = recorded(recorder).filter((line) => line.startsWith(`read ${table.name} `));
  expect(reads.filter((line) => !line.includes('index-states#'))).toEqual([]);
  await db.close();
});
