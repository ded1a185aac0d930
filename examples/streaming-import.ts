/**
 * Loads 42,000 zip codes from a stream into a database on disk, with a limited number in memory and
 * with progress. Bad records are reported and do not stop the others.
 */
import assert from 'node:assert/strict';
import { createReadStream, mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Column, Entity, maxVersions, open, rowKey, Segment } from 'rowsmith';

@Entity({ table: 'places', families: { p: { gc: maxVersions(1) } } })
class Zip {
  static readonly key = rowKey('state', 'county', 'zip');
  @Segment('string', { maxLength: 32 }) state!: string;
  @Segment('string', { maxLength: 32 }) county!: string;
  @Segment('string', { maxLength: 32 }) zip!: string;
  @Column('p', 'string') city?: string;
  @Column('p', 'double') latitude?: number;
  @Column('p', 'double') longitude?: number;
  /** Line number in the file; an int32 must be a whole number. */
  @Column('p', 'int32') line?: number;
}

const file = join(
  createRequire(import.meta.url).resolve('vega-datasets'),
  '../../data/zipcodes.csv',
);

/** The records of the file. Every ten thousandth gets a line number that is not a valid int32. */
async function* zips(): AsyncGenerator<Zip> {
  let line = 0;
  for await (const text of createInterface({ input: createReadStream(file) })) {
    if (line++ === 0) continue;
    const [zip, latitude, longitude, city, state, county] = text.split(',');
    yield Object.assign(new Zip(), {
      zip,
      city,
      state,
      county,
      latitude: Number(latitude),
      longitude: Number(longitude),
      line: line % 10_000 === 0 ? line + 0.5 : line,
    });
  }
}

const folder = mkdtempSync(join(tmpdir(), 'rowsmith-'));
try {
  await using db = await open(`file:${folder}`, { entities: [Zip] });
  const places = db.repository(Zip);
  let last = 0;
  const { written, failures } = await places.saveMany(zips(), {
    batchRows: 10_000,
    inFlight: 2,
    onProgress: (progress) => {
      assert.ok(progress.written >= last);
      last = progress.written;
      console.log(`${progress.written} written, ${progress.failed} failed`);
    },
  });
  for (const { index, item, error } of failures)
    console.log(
      `record ${index}, zip ${item.zip}: ${error.code}, ${error.details.property}: ${error.details.problem}`,
    );
  assert.equal(failures.length, 4);
  assert.ok(
    failures.every(
      ({ error, index }) => error.code === 'INVALID_VALUE' && (index + 2) % 10_000 === 0,
    ),
  );
  assert.equal(await places.scanAll().count(), written);

  const king = await places.prefix({ state: 'WA', county: 'King' }).startsWith('zip', '981').all();
  console.log(`${king.length} zip codes of King County, WA, start with 981`);
  assert.ok(
    king.length > 10 && king.every(({ zip, city }) => zip.startsWith('981') && city !== undefined),
  );
} finally {
  rmSync(folder, { recursive: true });
}
