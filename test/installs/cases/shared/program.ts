import { rmSync } from 'node:fs';
import {
  Column,
  Entity,
  Field,
  Message,
  Packed,
  Segment,
  isRowsmithError,
  maxVersions,
  open,
  rowKey,
  type Repository,
} from 'rowsmith';
import { defineConfig } from 'rowsmith/config';
import { describeEntity } from 'rowsmith/tools';
import { openEngine } from 'rowsmith/storage';
import { testDatabase } from 'rowsmith/testing';

@Message('notes.Place')
class Place {
  @Field(1, 'string') city?: string;
}

@Entity({ table: 'notes', families: { n: { gc: maxVersions(1) }, p: {} } })
class Note {
  static readonly key = rowKey('list', 'at');
  @Segment('string', { maxLength: 40 }) list!: string;
  @Segment('timestamp', { order: 'desc' }) at!: Date;
  @Column('n', 'string') title!: string;
  @Column('n', 'double') stars?: number;
  @Column('n', 'bool') done?: boolean;
  @Packed('p', () => Place) place?: Place;
}

export const config = defineConfig({ entities: [Note] });
export const described = String(describeEntity(Note));

function equal(actual: unknown, expected: unknown): void {
  const [left, right] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (left !== right) throw new Error(`${left} is not ${right}`);
}

const day = (n: number): Date => new Date(Date.UTC(2026, 0, n));

async function fill(notes: Repository<typeof Note>): Promise<void> {
  const place = new Place();
  place.city = 'Lisbon';
  const rows = [1, 2, 3].map((n) =>
    notes.create({ list: 'home', at: day(n), title: `note ${n}`, stars: n, place }),
  );
  const { failures } = await notes.saveMany(rows);
  if (failures.length > 0) throw failures[0].error;
}

async function query(notes: Repository<typeof Note>): Promise<void> {
  const newest = await notes.prefix({ list: 'home' }).first();
  equal(newest?.title, 'note 3');
  equal(newest?.place?.city, 'Lisbon');
  equal(newest?.done, undefined);
  equal(newest instanceof Note, true);
  const titles: string[] = [];
  for await (const note of notes.prefix({ list: 'home' }).since('at', day(2)))
    titles.push(note.title);
  equal(titles, ['note 3', 'note 2']);
  equal(
    await notes
      .scanAll()
      .where({ stars: { above: 1 } })
      .count(),
    2,
  );
}

async function main(): Promise<void> {
  const url = 'file:./data';
  rmSync('./data', { recursive: true, force: true });
  for (const each of ['memory:', url]) {
    const db = await open(each, { entities: [Note] });
    await fill(db.repository(Note));
    await query(db.repository(Note));
    await db.close();
  }
  const again = await open(url, { entities: [Note] });
  await query(again.repository(Note));
  await again.close();

  const db = await testDatabase([Note]);
  await db.seed(Note, [{ list: 'home', at: day(1), title: 'seeded' }]);
  const notes = db.repository(Note);
  const note = notes.create({ list: 'home', at: day(1), title: 'again' });
  const error: unknown = await notes.insert(note).catch((reason: unknown) => reason);
  equal(isRowsmithError(error) && error.code, 'ROW_EXISTS');
  await db.close();

  const engine = await openEngine('memory:');
  equal(await engine.listTables(), []);
  await engine.close();
  console.log('program: saved and read');
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
