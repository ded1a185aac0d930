/**
 * Random histories of writers with different clocks, compared with a model without clocks: a write
 * of an entity succeeds exactly if nothing has written the row since it was read.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDiskEngine, openMemoryEngine } from '../../../../src/engines/local/index.js';
import {
  Column,
  ColumnMap,
  Entity,
  Revision,
  rowKey,
  RowsmithError,
  Segment,
  UpdatedAt,
} from '../../../../src/index.js';
import { buildModels } from '../../../../src/entities/model/index.js';
import { Database } from '../../../../src/entities/repository/database/database.js';
import { syncTables } from '../../../../src/entities/repository/database/schema-sync.js';
import { CellClock, type Engine } from '../../../../src/data/store/index.js';
import { openOverEmulator, openOverOurServer } from '../../../engines/bigtable/live-backends.js';
import { findEmulator } from '../../../support/emulator.js';
import fc from '../../../support/fast-check.js';

@Entity({ table: 'docs', families: { m: {}, t: {} } })
class Doc {
  static readonly key = rowKey('id');
  @Segment('string') id!: string;
  @Column('m', 'string') title?: string;
  @Column('m', 'string') note?: string;
  @ColumnMap('t', 'int64') counts?: Map<string, bigint>;
  @Revision('m') revision?: string;
  @UpdatedAt('m') updatedAt?: Date;
}

const openDocs = (db: Database) => db.repository(Doc);
type Docs = ReturnType<typeof openDocs>;

/** How far the clocks of the writers are ahead, in milliseconds. */
const leads = [0, 3_600_000, -3_600_000];

function databaseOver(engine: Engine, lead: number): Database {
  return new Database({
    url: 'memory:',
    engine,
    models: buildModels([Doc]),
    cellClock: new CellClock(() => Date.now() + lead),
    validate: true,
    onForeignRow: 'skip',
    onDamagedCell: 'throw',
  });
}

interface Step {
  readonly writer: number;
  readonly action: (typeof actions)[number];
}

const actions = [
  'read',
  'save',
  'patch entity',
  'delete entity',
  'saveMany',
  'patchMany',
  'deleteMany',
  'patch',
  'remove',
  'append',
  'incrementEntry',
  'increment map',
  'delete',
  'insert',
] as const;

/** What is stored: `version` counts the writes, and `title` is changed by conditional ones alone. */
interface Model {
  version: number;
  exists: boolean;
  title: string | undefined;
}

/** What a writer has read. */
interface Held {
  readonly doc: Doc;
  /** Of the model, when the row was read; -1 for a row that did not exist. */
  version: number;
}

class History {
  readonly #docs: readonly Docs[];
  readonly #id: string;
  readonly #held: (Held | undefined)[] = [];
  readonly #model: Model = { version: 0, exists: false, title: undefined };
  #n = 0;

  constructor(docs: readonly Docs[], id: string) {
    this.#docs = docs;
    this.#id = id;
  }

  async run({ writer, action }: Step): Promise<void> {
    const docs = this.#docs[writer];
    const key = { id: this.#id };
    const model = this.#model;
    const text = `v${this.#n++}`;
    switch (action) {
      case 'read': {
        const doc = await docs.get(key);
        expect(doc === undefined).toBe(!model.exists);
        if (doc !== undefined) expect(doc.title).toBe(model.title);
        const version = doc === undefined ? -1 : model.version;
        this.#held[writer] = { doc: doc ?? docs.create(key), version };
        return;
      }
      case 'patch':
        await docs.patch(key, { note: text });
        return this.#written(true);
      case 'remove':
        await docs.patch(key, {}, { remove: ['note'] });
        // What is left of a row that did not exist is its revision.
        return this.#written(true);
      case 'append':
        await docs.append(key, { note: text });
        return this.#written(true);
      case 'incrementEntry':
        await docs.incrementEntry(key, 'counts', 'a');
        return this.#written(true);
      case 'increment map':
        await docs.increment(key, { counts: new Map([['a', 2n]]) });
        return this.#written(true);
      case 'delete':
        await docs.delete(key);
        return this.#written(false);
      case 'insert': {
        const doc = docs.create({ ...key, title: text });
        const code = await codeOf(docs.insert(doc));
        expect(code).toBe(model.exists ? 'ROW_EXISTS' : undefined);
        if (code !== undefined) return;
        this.#written(true, text);
        this.#held[writer] = { doc, version: model.version };
        return;
      }
      default:
        return this.#conditional(writer, action, text);
    }
  }

  async #conditional(writer: number, action: Step['action'], text: string): Promise<void> {
    const held = this.#held[writer];
    if (held === undefined) return;
    const docs = this.#docs[writer];
    const model = this.#model;
    const { doc } = held;
    const isCurrent = model.exists ? held.version === model.version : held.version === -1;
    const expected = isCurrent ? undefined : 'REVISION_CONFLICT';
    const changes = { title: text };
    if (action === 'save' || action === 'saveMany') {
      const before = doc.title;
      doc.title = text;
      const { revision } = doc;
      const code = await codeOf(action === 'save' ? docs.save(doc) : docs.saveMany([doc]));
      expect(code).toBe(expected);
      expect(doc.revision === revision).toBe(code !== undefined);
      if (code === undefined) {
        this.#written(true, text);
        held.version = model.version;
      } else doc.title = before;
    } else if (action === 'patch entity' || action === 'patchMany') {
      const run =
        action === 'patchMany' ? docs.patchMany([{ key: doc, changes }]) : docs.patch(doc, changes);
      const code = await codeOf(run);
      expect(code).toBe(expected);
      if (code === undefined) this.#written(true, text);
    } else {
      const code = await codeOf(
        action === 'deleteMany' ? docs.deleteMany([doc]) : docs.delete(doc),
      );
      expect(code).toBe(expected);
      if (code === undefined) this.#written(false);
    }
  }

  #written(exists: boolean, title = this.#model.title): void {
    this.#model.version++;
    this.#model.exists = exists;
    this.#model.title = exists ? title : undefined;
  }
}

/** The code of a call's error, or of the only item of a bulk write; undefined without one. */
async function codeOf(call: Promise<unknown>): Promise<string | undefined> {
  try {
    const result = (await call) as { failures?: readonly { error: RowsmithError }[] } | undefined;
    return result?.failures?.[0]?.error.code;
  } catch (error) {
    if (error instanceof RowsmithError) return error.code;
    throw error;
  }
}

const steps = fc.array(
  fc.record({
    writer: fc.integer({ min: 0, max: leads.length - 1 }),
    action: fc.oneof(
      { arbitrary: fc.constant('read' as const), weight: 3 },
      { arbitrary: fc.constantFrom(...actions), weight: 4 },
    ),
  }),
  { minLength: 4, maxLength: 24 },
);

const runs = Number(process.env.RUNS ?? 50);
let rows = 0;
async function explore(databases: readonly Database[], numRuns: number): Promise<void> {
  const docs = databases.map(openDocs);
  await fc.assert(
    fc.asyncProperty(steps, async (list) => {
      const history = new History(docs, `r${rows++}`);
      for (const step of list) await history.run(step);
    }),
    { numRuns },
  );
}

test('on memory', async () => {
  const engine = await openMemoryEngine({});
  await syncTables(engine, buildModels([Doc]), 'add');
  await explore(
    leads.map((lead) => databaseOver(engine, lead)),
    runs,
  );
  await engine.close();
});

test('on disk', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'rowsmith-'));
  const engine = await openDiskEngine(folder, { durability: 'relaxed' });
  await syncTables(engine, buildModels([Doc]), 'add');
  await explore(
    leads.map((lead) => databaseOver(engine, lead)),
    Math.ceil(runs / 3),
  );
  await engine.close();
  rmSync(folder, { recursive: true });
});

interface Opened {
  readonly engine: Engine;
  readonly close: () => Promise<void>;
}

async function exploreLive({ engine, close }: Opened): Promise<void> {
  await syncTables(engine, buildModels([Doc]), 'add');
  await explore(
    leads.map((lead) => databaseOver(engine, lead)),
    Math.ceil(runs / 10),
  );
  await close();
}

test('live, over our server', async () => exploreLive(await openOverOurServer()));

const emulator = findEmulator();
(emulator === undefined ? test.skip : test)("live, over Google's emulator", async () =>
  exploreLive(await openOverEmulator(emulator!)),
);

describe('writes that are repeated', () => {
  /** Applies every mutation of a row a second time when `repeat` is called, as a late retry does. */
  function repeating(engine: Engine): { engine: Engine; repeat: () => Promise<void> } {
    const sent: Parameters<Engine['mutateRow']>[] = [];
    const own: Partial<Engine> = {
      mutateRow(table, row) {
        sent.push([table, row]);
        return engine.mutateRow(table, row);
      },
      mutateRows(table, list, options) {
        sent.push(...list.map((row): Parameters<Engine['mutateRow']> => [table, row]));
        return engine.mutateRows(table, list, options);
      },
    };
    const proxy = new Proxy(engine, {
      get(target, name) {
        const value: unknown = own[name as keyof Engine] ?? Reflect.get(target, name, target);
        return typeof value === 'function' ? (value.bind(target) as unknown) : value;
      },
    });
    const repeat = async (): Promise<void> => {
      for (const [table, row] of sent.splice(0)) await engine.mutateRow(table, row);
    };
    return { engine: proxy, repeat };
  }

  // The revision that a repeated patch brought back would match what a third writer has read.
  test.each([
    ['patch', (docs: Docs) => docs.patch({ id: 'a' }, { note: 'x' })],
    ['patch with remove', (docs: Docs) => docs.patch({ id: 'a' }, {}, { remove: ['note'] })],
    ['patchMany', (docs: Docs) => docs.patchMany([{ key: { id: 'a' }, changes: { note: 'x' } }])],
    [
      'patchMany with remove',
      (docs: Docs) => docs.patchMany([{ key: { id: 'a' }, changes: {}, remove: ['note'] }]),
    ],
  ])('%s leaves no revision that comes back', async (_name, write) => {
    const memory = await openMemoryEngine({});
    const { engine, repeat } = repeating(memory);
    await syncTables(engine, buildModels([Doc]), 'add');
    const [docs, others] = [3_600_000, 0].map((lead) => openDocs(databaseOver(engine, lead)));
    await others.save(others.create({ id: 'a', title: 'first' }));
    await write(docs);
    const stale = (await others.get({ id: 'a' }))!;
    await others.update({ id: 'a' }, (doc) => void (doc.title = 'second'));
    await repeat();
    stale.title = 'third';
    await expect(others.save(stale)).rejects.toMatchObject({ code: 'REVISION_CONFLICT' });
    await memory.close();
  });
});
