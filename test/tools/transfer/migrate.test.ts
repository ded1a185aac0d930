/** Migrations are exact, repeatable, and can be resumed after a kill. */
import {
  column,
  columnMap,
  counter,
  type Database,
  defineEntity,
  defineMessage,
  field,
  literal,
  open,
  packed,
  rowKey,
  aggregate,
  type Version,
  versions,
} from '../../../src/index.js';
import { defineMigration, migrate } from '../../../src/tools/transfer/index.js';
import { dump } from './everything.js';
import fc from '../../support/fast-check.js';
import { families, rows, simple, From, opened } from './migrations.js';

// Tests are slow on a busy machine.
class OldStatus {
  firmware?: string;
  load?: number;
}

class Status {
  firmware?: string;
  load?: bigint;
  more?: string;
}

defineMessage(OldStatus, {
  name: 'migrate.Status',
  fields: { firmware: field(1, 'string'), load: field(2, 'int32') },
});

defineMessage(Status, {
  name: 'migrate.NewStatus',
  fields: { firmware: field(1, 'string'), load: field(2, 'int64'), more: field(3, 'string') },
});

const Old = defineEntity(
  class Old {
    device = '';
    at = new Date(0);
    temperature?: number;
    status?: OldStatus;
    history?: Version<number>[];
    tags?: Map<string, string>;
    plain?: bigint;
    added?: bigint;
  },
  {
    table: 'old',
    families: { m: {}, v: {}, t: {}, s: aggregate('sum') },
    key: rowKey('device', 'at'),
    shards: { count: 4, by: ['device'] },
    segments: { device: { kind: 'string', minLength: 0 }, at: 'timestamp' },
    columns: {
      temperature: column('m', 'double'),
      status: packed('m', () => OldStatus),
      history: versions('v', 'double'),
      tags: columnMap('t', 'string'),
      plain: counter('m'),
      added: counter('s'),
    },
  },
);

const newColumns = {
  temperature: column('n', 'double', { qualifier: 'c' }),
  status: packed('n', () => Status),
  history: versions('v', 'double'),
  tags: columnMap('u', 'string'),
  plain: counter('n'),
  added: counter('s2'),
} as const;

class NewShape {
  device = '';
  at = new Date(0);
  temperature?: number;
  status?: Status;
  history?: Version<number>[];
  tags?: Map<string, string>;
  plain?: bigint;
  added?: bigint;
}

/** Another table, key format, shard count, literal, families and qualifiers. */
const Moved = defineEntity(class Moved extends NewShape {}, {
  table: 'new',
  families,
  keyFormat: 'ordered',
  key: rowKey(literal('r'), 'device', 'at'),
  shards: { count: 7, by: ['device'] },
  segments: { device: { kind: 'string', minLength: 0 }, at: { kind: 'timestamp', order: 'desc' } },
  columns: newColumns,
});

/** The same table with more shards. */
const Wider = defineEntity(class Wider extends NewShape {}, {
  table: 'old',
  families,
  key: rowKey('device', 'at'),
  shards: { count: 8, by: ['device'] },
  segments: { device: { kind: 'string', minLength: 0 }, at: 'timestamp' },
  columns: newColumns,
});

/** The same rows with other families. */
const InPlace = defineEntity(class InPlace extends NewShape {}, {
  table: 'old',
  families,
  key: rowKey('device', 'at'),
  shards: { count: 4, by: ['device'] },
  segments: { device: { kind: 'string', minLength: 0 }, at: 'timestamp' },
  columns: newColumns,
});

async function seed(
  db: Database,
  written: typeof rows extends fc.Arbitrary<infer T> ? T : never,
  tick: () => void,
): Promise<void> {
  const old = db.repository(Old);
  for (const { device, at, temperature, load, tags, history, again, count } of written) {
    const key = { device, at };
    const row = Object.assign(new Old(), key, {
      temperature,
      status: Object.assign(new OldStatus(), { load }),
      tags: new Map(tags),
      history: history.map((ms) => ({ at: new Date(ms), value: ms })),
    });
    await old.save(row);
    await old.increment(key, 'added', count);
    await old.increment(key, 'plain', count);
    if (!again) continue;
    tick();
    await old.patch(key, { temperature: load, tags: new Map([['x', 'again']]) });
  }
}

/** Values as the new class holds them. */
const asNew = ({
  device,
  at,
  temperature,
  status,
  history,
  tags,
  plain,
  added,
}: InstanceType<typeof Old>) => ({
  device,
  at,
  temperature,
  status: { firmware: undefined, load: BigInt(status!.load!), more: undefined },
  history,
  tags,
  plain,
  added,
});

describe.each([
  ['to another table, format and key', Moved],
  ['to more shards', Wider],
  ['in place, to other families', InPlace],
] as const)('%s', (_what, Target) => {
  test('property: every value, version and timestamp is copied, however often it is run; old rows are deleted only if requested', async () => {
    await fc.assert(
      fc.asyncProperty(rows, async (written) => {
        let now = 1_700_000_000_000;
        const db = await open('memory:', { entities: [Old], clock: () => now });
        // Another program over the same storage creates the new tables and families.
        for (const [name, more] of [['new', families]] as const)
          await db.engine.createTable({ name, families: new Map(Object.entries(more)) });
        await db.engine.modifyFamilies(
          'old',
          ['n', 'u'].map((family) => ({ kind: 'create' as const, family, schema: {} })),
        );
        await db.engine.modifyFamilies('old', [
          { kind: 'create', family: 's2', schema: aggregate('sum') },
        ]);
        await seed(db, written, () => {
          now += 1000;
        });
        const before = await db.repository(Old).scanAll().all();
        const oldDump = await dump(db, 'old');
        const migration = defineMigration({ from: Old, to: Target });
        const dry = await migrate(db.engine, migration, { dryRun: true });
        expect([dry.rows, dry.copied, dry.samples.length]).toEqual([
          written.length,
          0,
          Math.min(5, written.length),
        ]);
        expect(await dump(db, 'old')).toEqual(oldDump);
        const { samples: _, ...result } = await migrate(db.engine, migration);
        expect(result).toEqual({
          rows: written.length,
          copied: written.length,
          leftOut: 0,
          collidingRows: 0,
          collisions: [],
          undeclaredCells: 0,
          verified: written.length,
          deleted: 0,
        });
        const once = [await dump(db, 'old'), await dump(db, 'new')];
        await migrate(db.engine, migration);
        expect([await dump(db, 'old'), await dump(db, 'new')]).toEqual(once);
        expect(once[0].filter((cell) => oldDump.includes(cell))).toEqual(oldDump);
        const { deleted } = await migrate(db.engine, migration, { deleteOld: true });
        expect(deleted).toBe(written.length);
        // A program that knows only the new class reads the same cells.
        const read = await open('memory:', { entities: [Target] });
        const { collectRows, everyKey } = await import('../../../src/storage.js');
        const moved = await collectRows(
          db.engine.readRows({
            table: Target === Moved ? 'new' : 'old',
            ranges: [everyKey],
            reversed: false,
          }),
        );
        expect(moved.length).toBe(written.length);
        for (const { key, cells } of moved) {
          await read.engine.mutateRow(Target === Moved ? 'new' : 'old', {
            key,
            mutations: cells.map(({ family, qualifier, timestamp, value }) =>
              family === 's2'
                ? { kind: 'mergeToCell' as const, family, qualifier, timestamp, input: value }
                : { kind: 'setCell' as const, family, qualifier, timestamp, value },
            ),
          });
          expect(
            cells.every(({ family }) => Target === Moved || ['n', 'u', 'v', 's2'].includes(family)),
          ).toBe(true);
        }
        const sortKey = ({ device, at }: { device: string; at: Date }): string =>
          `${device}\0${String(at.getTime()).padStart(15, '0')}`;
        const after = await read
          .repository(Target as typeof Moved)
          .scanAll()
          .all();
        const ordered = <T extends { device: string; at: Date }>(list: T[]): T[] =>
          list.sort((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1));
        expect(
          ordered(after).map((row) =>
            Object.assign({}, row, { status: Object.assign({}, row.status) }),
          ),
        ).toEqual(ordered(before).map(asNew));
        if (Target === Moved) expect(await dump(db, 'old')).toEqual([]);
        await db.close();
        await read.close();
      }),
      { numRuns: Number(process.env.RUNS ?? 4) },
    );
  });
});

describe('with a map function', () => {
  const Target = defineEntity(
    class Target {
      id = '';
      label?: string;
    },
    {
      ...simple,
      table: 'new',
      key: rowKey(literal('t'), 'id'),
      columns: { label: column('m', 'string') },
    },
  );
  const migration = defineMigration({
    from: From,
    to: Target,
    map: (old) =>
      old.id === 'gone'
        ? undefined
        : Object.assign(new Target(), { id: old.id.toUpperCase(), label: `${old.a} ${old.b}` }),
  });

  test('rows are converted, with the timestamp of the old ones; rows left out are counted', async () => {
    const db = await opened(['x', 'gone', 'y']);
    const result = await migrate(db.engine, migration, { deleteOld: true });
    expect(result).toMatchObject({
      rows: 3,
      copied: 2,
      leftOut: 1,
      verified: 3,
      deleted: 3,
      samples: [
        { from: 'gone', to: undefined },
        { from: 'x', to: 't#X' },
        { from: 'y', to: 't#Y' },
      ],
    });
    expect(
      (await dump(db, 'new')).map((cell) => Buffer.from(cell.split(' ')[3], 'hex').toString()),
    ).toEqual(['a of x 1', 'a of y 1']);
    expect(await dump(db, 'old')).toEqual([]);
    await db.close();
  });

  test('it must return an instance of the new class', async () => {
    const db = await opened(['x']);
    await expect(
      migrate(db.engine, { from: From, to: Target, map: () => ({}) as never }),
    ).rejects.toMatchObject({ code: 'INVALID_ARGUMENT', details: { property: 'map' } });
    await db.close();
  });
});

test('rowsPerSecond limits the rate', async () => {
  const db = await opened(Array.from({ length: 60 }, (_, i) => `row ${i}`));
  const Target = defineEntity(
    class Target {
      id = '';
      a?: string;
      b?: number;
    },
    { ...simple, table: 'new', columns: { a: column('m', 'string'), b: column('m', 'int32') } },
  );
  const started = performance.now();
  await migrate(db.engine, { from: From, to: Target }, { rowsPerSecond: 300, verify: false });
  // 60 rows at 300 per second take at least 200 ms.
  expect(performance.now() - started).toBeGreaterThan(190);
  await db.close();
});
