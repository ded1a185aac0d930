/**
 * Rows of random entities: those of TypeScript in Python, and those of Python in TypeScript. `RUNS=50
 * SEED=new` runs other and more entities.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Database, type EntityClass, open } from '../../src/index.js';
import fc from '../support/fast-check.js';
import { seed } from '../support/seed.js';
import { PythonProcess, pythonIsMissing, writePython } from './support/python.js';
import { randomRows, type RandomRows } from './support/random-rows.js';
import { rowServers } from './support/servers.js';
import { answeredRow } from './support/values.js';
import { taggedRow } from './support/vectors.js';

const describePython = pythonIsMissing() ? describe.skip : describe;
const count = Number(process.env.RUNS ?? 2);
const rowsOfEach = 6;

type Row = Record<string, unknown>;

describePython.each(rowServers())('rows of random entities on $name', ({ start }) => {
  const entities = randomRows(count, seed);
  const classes = entities.map(({ entityClass }) => entityClass);
  const folder = mkdtempSync(join(tmpdir(), 'rowsmith-python-'));
  let server: Awaited<ReturnType<typeof start>>;
  let stored: Database;
  let python: PythonProcess;
  beforeAll(async () => {
    server = await start();
    stored = await open('bigtable://p/instance-1', {
      entities: classes,
      bigtable: { emulatorHost: server.address },
      lint: false,
    });
    await stored.admin.apply();
    const models = entities.map(({ model }) => model);
    python = await PythonProcess.start(await writePython(folder, models), server.address);
  });
  afterAll(async () => {
    await python.close();
    await stored.close();
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test.each(entities.map((entity) => [describedRow(entity), entity] as const))(
    '%s',
    async (_name, entity) => {
      const { model, entityClass } = entity;
      const written = fc.sample(entity.rows, { seed, numRuns: 2 * rowsOfEach });
      const [ours, theirs] = [written.slice(0, rowsOfEach), written.slice(rowsOfEach)];
      // Some rows of Python replace rows of TypeScript.
      const names = model.segments.map(({ property }) => property);
      for (const name of names) theirs[0][name] = ours[0][name];

      await save(stored, entityClass, ours);
      const module = model.name.toLowerCase();
      const [fetched] = await python.ask([
        { op: 'fetch', module, table: model.table.name, values: {} },
      ]);
      const expected = (await readAll(stored, entityClass)).map((row) => taggedRow(model, row));
      const inPython = sorted(fetched.ok as Row[], names);
      expect(inPython.map((row, i) => answeredRow(row, sorted(expected, names)[i]))).toEqual(
        sorted(expected, names).map((row) => answeredRow(row)),
      );

      const request = { op: 'store', module, table: model.table.name, class: model.name };
      const answers = await python.ask(
        theirs.map((row) => ({ ...request, values: taggedRow(model, row) })),
      );
      expect(answers.flatMap(({ error }) => error ?? [])).toEqual([]);
      await using alone = await open('memory:', { entities: [entityClass], lint: false });
      await save(alone, entityClass, [...ours, ...theirs]);
      expect(await readAll(stored, entityClass)).toEqual(await readAll(alone, entityClass));
    },
  );
});

/** By key: a scan of shards has another order in TypeScript. */
function sorted(rows: readonly Row[], names: readonly string[]): readonly Row[] {
  const keyOf = (row: Row): string => JSON.stringify(names.map((name) => row[name]));
  return [...rows].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

function describedRow({ model }: RandomRows): string {
  const columns = model.columns.map(({ kind, codec }) => `${kind} of ${codec.kind}`);
  return `${model.name}: ${model.key.describe().join(', ')}; ${columns.join(', ')}`;
}

/** As instances without the values that `create` would set. */
async function save(db: Database, entityClass: EntityClass, rows: readonly Row[]): Promise<void> {
  const repository = db.repository(entityClass) as unknown as { save(row: Row): Promise<void> };
  for (const row of rows) await repository.save(Object.assign(new entityClass(), row));
}

async function readAll(db: Database, entityClass: EntityClass): Promise<readonly Row[]> {
  const repository = db.repository(entityClass) as unknown as {
    scanAll(): { all(): Promise<readonly Row[]> };
  };
  return repository.scanAll().all();
}
