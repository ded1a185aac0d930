/**
 * 42,000 zip codes from a stream into a database on disk: a bounded number in memory, progress, and
 * every bad record told without stopping the rest.
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
  @Segment('string') state!: string;
  @Segment('string') county!: string;
  @Segment('string') zip!: string;
  @Column('p', 'string') city?: string;
  @Column('p', 'double') latitude?: number;
  @Column('p', 'double') longitude?: number;
  /** Where it stood in the file; as an int32 it must be whole. */
  @Column('p', 'int32') line?: number;
}

const file = join(
  createRequire(import.meta.url).resolve('vega-datasets'),
  '../../data/zipcodes.csv',
);

/**
 * Entities as they come out of the file; every ten thousandth is given a line number that an int32
 * cannot hold.
 */
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
  const { written, failed } = await places.saveMany(zips(), {
    batchRows: 10_000,
    inFlight: 2,
    onProgress: ({ written: sofar, failed: refused }) => {
      assert.ok(sofar >= last);
      last = sofar;
      console.log(`${sofar} written, ${refused} refused`);
    },
  });
  for (const { index, item, error } of failed)
    console.log(
      `record ${index}, zip ${item.zip}: ${error.code}, ${error.details.property}: ${error.details.problem}`,
    );
  assert.equal(failed.length, 4);
  assert.ok(
    failed.every(
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
