/**
 * Rows of an earlier declaration, read by code of a later one: the same result or refusal in
 * TypeScript and in generated code.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fromHex, toHex } from '../../src/base/index.js';
import { type Database, type EntityClass, open } from '../../src/index.js';
import { compileDehydrator } from '../../src/entities/mapping/index.js';
import { buildModels, type EntityModel } from '../../src/entities/model/index.js';
import { changes, upgraded } from './support/evolution-cases.js';
import { attemptedIn, type Language, type Row, sorted } from './support/language.js';
import type { Answer, LineProcess } from './support/line-process.js';
import { taggedRow } from './support/vectors.js';

const now = Date.UTC(2026, 10, 28);

type Cell = readonly [family: string, qualifier: string, value: string, micros: number];

/** A row as the earlier declaration writes it. */
interface Written {
  readonly key: Uint8Array;
  readonly cells: readonly Cell[];
}

export function describeEvolution(language: Language): void {
  const describePresent = language.isMissing() ? describe.skip : describe;
  describePresent(`changed declarations in ${language.name}`, () => {
    const cases = changes();
    const { plain, versioned, place } = upgraded;
    const changed = cases.flatMap(({ before, after }) => [before, after]);
    const classes = [...new Set([...changed, plain, versioned])];
    const models = new Map(buildModels(classes).map((model) => [model.entityClass, model]));
    const folder = mkdtempSync(join(tmpdir(), 'rowsmith-evolution-'));
    let program: LineProcess;
    let db: Database;
    beforeAll(async () => {
      program = await language.start(folder, [...models.values()]);
      db = await open('memory:', { entities: classes, lint: false });
    });
    afterAll(async () => {
      await program.close();
      await db.close();
      rmSync(folder, { recursive: true, force: true });
    });

    test.each(cases.map((each) => [each.name, each] as const))('%s', async (_name, given) => {
      const before = models.get(given.before)!;
      const after = models.get(given.after)!;
      const rows = given.rows.map((row) => writtenBy(before, row));
      const writes = given.rows.map((row) =>
        language.request('write', before.name, {
          values: taggedRow(before, row),
          now,
          insert: true,
        }),
      );
      const written = await program.ask(writes);
      expect(written.map(({ ok, ...rest }) => ({ ...rest, ok: ok && sorted(ok as []) }))).toEqual(
        rows.map(({ cells }) => ({ ok: sorted(cells) })),
      );

      const reads = rows.map(({ key, cells }) =>
        language.request('read', after.name, { key: toHex(key), cells }),
      );
      const answers = await program.ask(reads);
      for (const [i, row] of rows.entries()) {
        const expected = await readInTypeScript(db, given.after, after, row);
        const { foreignEntries = false } = given;
        const isLost = foreignEntries && language.name !== 'Python' && zeroEntries(answers[i]);
        if (!isLost) expectSame(language, after, answers[i], expected);
      }
    });

    test('entries of a map field with other types', async () => {
      const name = 'a message with a map of int32, read as a message with a map of string';
      const { before, after, rows } = cases.find((each) => each.name === name)!;
      const { key, cells } = writtenBy(models.get(before)!, rows.at(-1)!);
      const request = { key: toHex(key), cells };
      const answers = await program.ask([
        language.request('read', models.get(after)!.name, request),
      ]);
      expect(answers.map(zeroEntries)).toEqual([language.name !== 'Python']);
    });

    describe('messages with versions', () => {
      const modelOf = (given: EntityClass): EntityModel => models.get(given)!;
      const read = async (stored: number | undefined): Promise<readonly [Answer, Answer]> => {
        const row = writtenBy(modelOf(plain), { id: 'r', place: place(stored) });
        const request = { key: toHex(row.key), cells: row.cells };
        const [answer] = await program.ask([
          language.request('read', modelOf(versioned).name, request),
        ]);
        return [answer, await readInTypeScript(db, versioned, modelOf(versioned), row)];
      };

      test('of today are read, and versions that nothing knows are refused', async () => {
        for (const stored of [3, 4, 0, 2 ** 32 - 1]) {
          const [answer, expected] = await read(stored);
          expectSame(language, modelOf(versioned), answer, expected);
        }
      });

      test.each([undefined, 1, 2])('only TypeScript upgrades version %s', async (stored) => {
        const [answer, expected] = await read(stored);
        expect(expected.ok).toMatchObject({ place: { city: 'x', schemaVersion: 3 } });
        expect(answer).toEqual({
          error: {
            code: 'UNSUPPORTED',
            property: 'place.schemaVersion',
            problem: `the value has version ${stored ?? 1}, and only TypeScript upgrades it to version 3`,
            fix: 'read and save the row in TypeScript, which stores version 3',
          },
        });
      });

      test.each([undefined, 3, 1])(
        'version %s is written as TypeScript writes it',
        async (given) => {
          const row = { id: 'r', place: place(given) };
          const values = { id: 'r', ...taggedRow(modelOf(plain), row) };
          const [{ ok }] = await program.ask([
            language.request('write', modelOf(versioned).name, { values, now, insert: true }),
          ]);
          expect(ok).toEqual(writtenBy(modelOf(versioned), row).cells);
        },
      );
    });
  });

  /** A row, undefined if none is there, or an error. */
  async function readInTypeScript(
    db: Database,
    entityClass: EntityClass,
    { key, table }: EntityModel,
    row: Written,
  ): Promise<Answer> {
    const problem = key.foreignReason(row.key);
    const fix = '';
    if (problem !== undefined)
      return { error: { code: 'FOREIGN_KEY', property: null, problem, fix } };
    const mutations = row.cells.map(([family, qualifier, value, timestamp]) => ({
      ...{ kind: 'setCell' as const, family, timestamp },
      ...{ qualifier: fromHex(qualifier)!, value: fromHex(value)! },
    }));
    await db.engine.mutateRow(table.name, { key: row.key, mutations });
    const values: Record<string, unknown> = {};
    key.decoder()(row.key, 0, row.key.length, values);
    const rows = db.repository(entityClass) as unknown as { get(key: object): Promise<Row> };
    const found = await rows.get(values).then(
      (ok) => attemptedIn(language, () => ok),
      (error: unknown) =>
        attemptedIn(language, () => {
          throw error;
        }),
    );
    await db.engine.mutateRow(table.name, { key: row.key, mutations: [{ kind: 'deleteFromRow' }] });
    return found;
  }
}

/**
 * Protobuf of Go and Java reads an entry of a map with other fields as an entry of zeros, and drops
 * the fields; Python and TypeScript preserve the entry as an unknown field.
 */
function zeroEntries({ ok }: Answer): boolean {
  return /"\$message":"(0a040a001000|0a0408001200)"/.test(JSON.stringify(ok ?? null));
}

function writtenBy(model: EntityModel, row: object): Written {
  const { key, mutations } = compileDehydrator(model).insert(row as Row, now * 1000);
  const cells = mutations.map((each): Cell => {
    if (each.kind !== 'setCell') throw new Error(`${each.kind} in an insert`);
    return [each.family, toHex(each.qualifier), toHex(each.value), Number(each.timestamp)];
  });
  // By family and qualifier, the newest first.
  const orderOf = ([family, qualifier, , micros]: Cell): string =>
    `${family}:${qualifier}:${String(Number.MAX_SAFE_INTEGER - micros).padStart(16, '0')}`;
  const inStorage = cells.sort((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1));
  return { key, cells: inStorage };
}

function expectSame(
  language: Language,
  model: EntityModel,
  answer: Answer,
  { ok, error }: Answer,
): void {
  if (error !== undefined) {
    const { code, property, problem } = error;
    const message = model.columns.find((each) => each.message !== undefined);
    if (message === undefined || code !== 'DAMAGED_CELL' || problem!.includes(' version ')) {
      expect(answer.error ?? answer).toMatchObject({ code, property, problem });
      return;
    }
    // Protobuf has its own words for damaged messages, and does not say where they are damaged.
    expect(answer.error ?? answer).toMatchObject({ code, property: message.property });
    expect(answer.error!.problem).toContain('the cell does not contain a message kinds.Kind');
    return;
  }
  if (ok === undefined || ok === null) {
    expect(answer).toEqual({ ok: null });
    return;
  }
  expect(answer.error).toBeUndefined();
  const [found, wanted] = language.comparable(answer.ok as Row, taggedRow(model, ok));
  expect(found).toEqual(wanted);
}
