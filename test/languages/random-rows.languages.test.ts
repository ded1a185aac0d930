/**
 * Rows of random entities, which TypeScript and each language write and all of them read. `RUNS=50
 * SEED=new` runs other and more entities.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Database, type EntityClass, open } from '../../src/index.js';
import fc from '../support/fast-check.js';
import { seed } from '../support/seed.js';
import { go } from './support/go.js';
import { java } from './support/java.js';
import type { Language, Row } from './support/language.js';
import type { LineProcess } from './support/line-process.js';
import { python } from './support/python.js';
import { randomRows, type RandomRows } from './support/random-rows.js';
import { rowServers } from './support/servers.js';
import { taggedRow } from './support/vectors.js';

const present = [python, go, java].filter((language) => !language.isMissing());
const describePresent = present.length === 0 ? describe.skip : describe;
const count = Number(process.env.RUNS ?? 2);
/** Of each language. */
const rowsOfEach = 6;

describePresent('rows of random entities', () => {
  const entities = randomRows(count, seed);
  const models = entities.map(({ model }) => model);
  const folder = mkdtempSync(join(tmpdir(), 'rowsmith-random-rows-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  describe.each(rowServers())('on $name', ({ start }) => {
    let server: Awaited<ReturnType<typeof start>>;
    let stored: Database;
    const programs = new Map<Language, LineProcess>();
    beforeAll(async () => {
      server = await start();
      stored = await open('bigtable://p/instance-1', {
        entities: entities.map(({ entityClass }) => entityClass),
        bigtable: { emulatorHost: server.address },
        lint: false,
      });
      await stored.admin.apply();
      // What is compiled is kept for the next server.
      for (const language of present) {
        const files = join(folder, language.name);
        programs.set(language, await language.start(files, models, server.address));
      }
    });
    afterAll(async () => {
      for (const program of programs.values()) await program.close();
      await stored.close();
      await server.close();
    });

    test.each(entities.map((entity) => [describedRow(entity), entity] as const))(
      '%s',
      async (_name, entity) => {
        const { entityClass, model } = entity;
        const all = writtenRows(entity);
        await save(stored, entityClass, all[0]);
        for (const [i, language] of present.entries()) {
          const program = programs.get(language)!;
          const table = model.table.name;
          const requests = all[i + 1].map((row) =>
            language.request('store', model.name, { table, values: taggedRow(model, row) }),
          );
          const answers = await program.ask(requests);
          expect(answers.filter(({ error, types }) => error !== undefined || types)).toEqual([]);
        }

        await using alone = await open('memory:', { entities: [entityClass], lint: false });
        await save(alone, entityClass, all.flat());
        const expected = await readAll(alone, entityClass);
        expect(await readAll(stored, entityClass)).toEqual(expected);
        for (const language of present) {
          const request = { table: model.table.name, values: {} };
          const [{ ok }] = await programs
            .get(language)!
            .ask([language.request('fetch', model.name, request)]);
          const tagged = expected.map((row) => taggedRow(model, row));
          expectSameRows(language, entity, ok as readonly Row[], tagged);
        }
      },
    );
  });
});

/** The rows of TypeScript and of each language. The first one of a language replaces a row. */
function writtenRows({ model, rows }: RandomRows): readonly (readonly Row[])[] {
  const writers = present.length + 1;
  const drawn = fc.sample(rows, { seed, numRuns: writers * rowsOfEach });
  const all = Array.from({ length: writers }, (_, i) =>
    drawn.slice(i * rowsOfEach, (i + 1) * rowsOfEach),
  );
  const names = model.segments.map(({ property }) => property);
  for (const [[first], i] of all.slice(1).map((each, n) => [each, n] as const))
    for (const name of names) first[name] = all[0][i][name];
  return all;
}

/** In the order of keys: TypeScript scans shards in another order. */
function expectSameRows(
  language: Language,
  { model }: RandomRows,
  found: readonly Row[],
  expected: readonly Row[],
): void {
  const keyOf = (row: Row): Row =>
    Object.fromEntries(model.segments.map(({ property }) => [property, row[property]]));
  const wanted = new Map(
    expected.map((row) => [JSON.stringify(language.keyValues(keyOf(row))), row]),
  );
  const names = Object.keys(language.keyValues(keyOf(expected[0])));
  const keyOfAnswer = (row: Row): string =>
    JSON.stringify(Object.fromEntries(names.map((name) => [name, row[name]])));
  expect(new Set(found.map(keyOfAnswer))).toEqual(new Set(wanted.keys()));
  expect(found).toHaveLength(expected.length);
  const compared = found.map((row) => language.comparable(row, wanted.get(keyOfAnswer(row))!));
  expect(compared.map(([row]) => row)).toEqual(compared.map(([, row]) => row));
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
