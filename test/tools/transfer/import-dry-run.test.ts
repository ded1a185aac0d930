/** A dry run of an import writes nothing: no row, no derived row, no file. */
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { collectRows, everyKey } from '../../../src/storage.js';
import {
  Column,
  type Database,
  Entity,
  indexes,
  indexOn,
  open,
  rollups,
  rowKey,
  Segment,
} from '../../../src/index.js';
import { importRows } from '../../../src/tools/index.js';

@Entity({ table: 'readings', families: { r: {} } })
class Reading {
  static readonly key = rowKey('at', 'device');
  static readonly indexes = indexes({ byDevice: indexOn('device', 'at').including('value') });
  static readonly rollups = rollups({
    daily: { by: [{ time: 'at', every: '1d' }], values: { n: 'count' } },
  });
  @Segment('timestamp') at!: Date;
  @Segment('string', { maxLength: 20 }) device!: string;
  @Column('r', 'double') value?: number;
}

const line = (day: number, value: unknown): string =>
  `${JSON.stringify({ at: new Date(Date.UTC(2026, 0, day)).toISOString(), device: 'd', value })}\n`;
/** More than a batch. */
const rows = 2_100;
const input = `${line(1, 1)}${line(2, 'x')}${Array.from({ length: rows }, (_, i) => line(i + 3, i)).join('')}`;

/** Every stored cell, of every table. */
async function stored({ engine }: Database): Promise<unknown> {
  const tables = await engine.listTables();
  const contents = [];
  for (const { name } of tables) {
    const plan = { table: name, ranges: [everyKey], reversed: false };
    contents.push([name, await collectRows(engine.readRows(plan))]);
  }
  return contents;
}

/** The files of a folder, by name, with the hashes of what they contain. */
const filesOf = (folder: string): readonly (readonly [string, string])[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .map((name) => [name, createHash('sha256').update(readFileSync(name)).digest('hex')]);

describe('a dry run of an import', () => {
  let folder = '';
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'rowsmith-dry-run-'))));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  async function dryRun(db: Database): Promise<void> {
    const readings = db.repository(Reading);
    await readings.save(
      readings.create({ at: new Date(Date.UTC(2026, 0, 1)), device: 'd', value: 0 }),
    );
    const before = await stored(db);
    const file = join(folder, 'input.jsonl');
    writeFileSync(file, input);
    const files = filesOf(folder);
    const result = await importRows(db.engine, readings.model, file, {
      format: 'jsonl',
      dryRun: true,
    });
    expect(result).toMatchObject({ written: rows + 1, rejected: 1, existing: 1 });
    expect(await stored(db)).toEqual(before);
    expect(filesOf(folder)).toEqual(files);
  }

  test('in memory', async () => {
    await using db = await open('memory:', { entities: [Reading], lint: false });
    await dryRun(db);
  });

  test('on disk, where no file of the database changes', async () => {
    await using db = await open(`file:${join(folder, 'data')}`, {
      entities: [Reading],
      lint: false,
    });
    await dryRun(db);
  });
});
