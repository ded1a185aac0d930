/**
 * Rows that TypeScript writes and generated Java reads, and the other way round, through Google's
 * client in Java and our server, and Google's emulator where it is installed.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Database } from '../../src/index.js';
import { buildModels } from '../../src/entities/model/index.js';
import { Flag, rowEntities, Sensor, Session } from './support/entities.js';
import { JavaProcess, javaIsMissing, writeJava } from './support/java.js';
import {
  floatOf,
  full,
  givenValues,
  openRows,
  type RowDatabase,
  saveFull,
  saveReadings,
  sensorError,
  status,
  statusHex,
  statusOf,
  taggedFull,
  wrongSensors,
} from './support/row-values.js';
import { rowServers } from './support/servers.js';

const describeJava = javaIsMissing() ? describe.skip : describe;

/** JSON is text in Java. */
const fullInJava = { ...taggedFull, data: JSON.stringify(full.data) };

describeJava('rows in Java', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rowsmith-java-'));
  let sources: string;
  beforeAll(async () => void (sources = await writeJava(folder, buildModels(rowEntities))));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  describe.each(rowServers())('on $name', (server) => {
    let rows: RowDatabase;
    let db: Database;
    let java: JavaProcess;
    beforeAll(async () => {
      rows = await openRows(server);
      db = rows.db;
      java = await JavaProcess.start(sources, rows.address);
    });
    afterAll(async () => {
      await java.close();
      await rows.close();
    });

    async function ask(op: string, module: string, request: object): Promise<unknown> {
      const [{ ok, error, types }] = await java.ask([{ op, module, ...request }]);
      if (error !== undefined || types) throw new Error(JSON.stringify(error ?? 'types'));
      return ok;
    }

    async function fetch(module: string, values: object): Promise<Record<string, unknown>[]> {
      return (await ask('fetch', module, { values })) as Record<string, unknown>[];
    }

    test('every kind of column, written by TypeScript', async () => {
      await saveFull(db);
      const [row] = await fetch('Sensor', { tenant: 'acme' });
      expect(row).toMatchObject({ ...fullInJava, hits: { $int: '7' }, reads: { $int: '8' } });
      expect(statusOf((row.status as { $message: string }).$message)).toEqual(status);
    });

    test('every kind of column, written by Java', async () => {
      const sensor = { $int: '2' };
      const message = { $message: statusHex };
      await ask('store', 'Sensor', { values: { ...fullInJava, sensor, status: message } });
      await ask('count', 'Sensor', {
        key: { tenant: 'acme', sensor },
        increments: { hits: { $int: '7' } },
        additions: { reads: { $int: '8' }, best: { $map: [['x', { $int: '9' }]] } },
      });
      const found = await db.repository(Sensor).get({ tenant: 'acme', sensor: 2 });
      expect(found).toMatchObject({ ...full, sensor: 2, hits: 7n, reads: 8n });
      expect(found!.best).toEqual(new Map([['x', 9n]]));
    });

    test('a row that Java replaces loses what it no longer has', async () => {
      const values = { tenant: 'acme', sensor: { $int: '3' }, title: 'first' };
      await ask('store', 'Sensor', { values: { ...fullInJava, ...values } });
      await ask('store', 'Sensor', { values });
      expect(await givenValues(db, 3)).toEqual({
        tenant: 'acme',
        sensor: 3,
        title: 'first',
        votes: 3,
      });
    });

    test('cells of a row that expires', async () => {
      const until = new Date(Math.floor(Date.now() / 1000) * 1000 + 3_600_000);
      const values = { id: 'a', until: { $time: until.getTime() }, user: 'u' };
      await ask('store', 'Session', { values });
      const sessions = db.repository(Session);
      await sessions.save(sessions.create({ id: 'b', until, user: 'u' }));
      expect(await fetch('Session', {})).toEqual([values, { ...values, id: 'b' }]);
      expect((await sessions.get({ id: 'a' }))?.until).toEqual(until);
    });

    test('entries of indexes and buckets of rollups', async () => {
      const { keys, bucket } = await saveReadings(db);
      const byPlace = await fetch('ReadingByPlace', { place: 'roof' });
      expect(byPlace.map(({ row }) => row)).toEqual(keys);
      expect(byPlace[0].temperature).toEqual(floatOf(20.4));
      const bySerial = await fetch('ReadingBySerial', { serial: 's20' });
      expect(bySerial.map(({ row }) => row)).toEqual([keys[1]]);
      expect(await fetch('ReadingHourly', { device: 'd' })).toEqual([bucket]);
    });

    test('an entity without columns, with names that differ in case only', async () => {
      const values = { class_: 'a', class__2: 'b' };
      await ask('store', 'Flag', { values });
      expect(await db.repository(Flag).get({ class: 'a', Class: 'b' })).toBeDefined();
      expect(await fetch('Flag', {})).toEqual([values]);
    });

    test('what both refuse to write', async () => {
      const base = { tenant: 'acme', sensor: { $int: '1' }, title: 't' };
      const wrong = [
        ...wrongSensors,
        [{ title: undefined }, { title: null }],
        [{ seen: new Date(NaN) }, { seen: { $micros: 1 } }],
      ] as const;
      for (const [given, inJava] of wrong) {
        const expected = await sensorError(db, given);
        const values = { ...base, ...inJava };
        const request = { op: 'write', module: 'Sensor', now: Date.now(), replace: true, values };
        const [{ error, types }] = await java.ask([request]);
        if (types) continue;
        expect([inJava, error?.code]).toEqual([inJava, expected.code]);
        expect([inJava, error?.property]).toEqual([inJava, expected.details.property]);
      }
    });

    test('Java refuses text that is not JSON', async () => {
      const base = { tenant: 'acme', sensor: { $int: '4' }, title: 't' };
      const texts = ['', '{', '[1,]', '{"a" 1}', '01', '"\\x"', '[][', 'nul', '{"a":1}}', '[1]2'];
      const valid = ['{}', '[]', ' [ {"a":[]} , "\\u00e9", -1.5e+3, true ] ', '[[],[]]', '"a"'];
      const answers = await java.ask(
        [...texts, ...valid].map((data) => ({
          op: 'write',
          module: 'Sensor',
          now: 0,
          replace: true,
          values: { ...base, data },
        })),
      );
      expect(answers.map(({ error }) => error?.code)).toEqual([
        ...texts.map(() => 'INVALID_VALUE'),
        ...valid.map(() => undefined),
      ]);
    });

    test('Java refuses to write a row with indexes and rollups, and says why', async () => {
      const values = { device: 'd', at: { $time: 0 } };
      const [{ error }] = await java.ask([{ op: 'store', module: 'Reading', values }]);
      expect(error).toEqual({
        code: 'UNSUPPORTED',
        property: null,
        problem: expect.stringContaining("the indexes 'byPlace', 'bySerial'") as unknown,
        fix: expect.stringContaining('--unsafe-writers') as unknown,
      });
    });
  });
});
