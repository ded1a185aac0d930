/**
 * `npm run bench -- bench/across/patch-many.ts`: two columns of each of 100,000 stored rows are
 * written by `patchMany`, by a loop of `patch` with 64 in flight, and by `table.mutate` of the
 * official client in entries of 10,000 rows (live only). In memory, on disk, and live to our server
 * in a process of its own. Options: --rows N, --only NAME (memory, disk, live), --json.
 */
import { join } from 'node:path';
import { Column, Entity, Segment } from '../../decorators/index.js';
import { rowKey } from '../../src/entities/model/declaration/keys/row-key.js';
import { open, type Database } from '../../src/entities/repository/index.js';
import { interleave, type Variant } from '../interleave.js';
import { benchOptions, Results } from '../results.js';
import { scratchDirectory } from '../stores.js';
import { Official } from '../wire/official.js';
import { startProgram } from '../wire/processes.js';

@Entity({ table: 'profiles', families: { m: { gc: { kind: 'maxVersions', versions: 1 } } } })
class Profile {
  static readonly key = rowKey('n');
  @Segment('uint', { max: 9_999_999 }) n!: number;
  @Column('m', 'string') status?: string;
  @Column('m', 'double') level?: number;
  @Column('m', 'string') name?: string;
}

const options = benchOptions(process.argv.slice(2), 100_000);
const { rows } = options;
const wants = (name: string): boolean => options.only.length === 0 || options.only.includes(name);
const results = new Results(options);
const entriesPerCall = 10_000;
const patchesInFlight = 64;

if (wants('memory')) await embedded('memory', 'memory:');
if (wants('disk')) await embedded('disk', `file:${join(scratchDirectory(), 'data')}`);
if (wants('live')) await live();
process.exit(results.finish({ rows }));

async function embedded(name: string, url: string): Promise<void> {
  const db = await open(url, { entities: [Profile] });
  await measure(name, await variantsOf(db), 5);
  await db.close();
}

async function live(): Promise<void> {
  const server = await startProgram('server-process', 'ours', 'memory');
  const official = new Official(server.address);
  await official.createTable('profiles', ['m']);
  const bigtable = { emulatorHost: server.address };
  const db = await open('bigtable://p/i', { entities: [Profile], bigtable });
  const variants = await variantsOf(db);
  await measure(
    'live',
    [...variants, { name: 'official', run: (round) => mutate(official, round) }],
    3,
  );
  await db.close();
  await server.stop();
}

async function variantsOf(db: Database): Promise<Variant[]> {
  const profiles = db.repository(Profile);
  const { failures } = await profiles.saveMany(
    Array.from({ length: rows }, (_, n) => profiles.create({ n, name: `name ${n}` })),
  );
  if (failures.length > 0) throw failures[0].error;
  const changesOf = (n: number, round: number) => ({ status: `status ${round}`, level: n });
  return [
    {
      name: 'patches',
      run: async (round) => {
        let next = 0;
        const lane = async (): Promise<void> => {
          while (next < rows) {
            const n = next++;
            await profiles.patch({ n }, changesOf(n, round));
          }
        };
        await Promise.all(Array.from({ length: patchesInFlight }, lane));
        return rows;
      },
    },
    {
      name: 'patchMany',
      run: async (round) => {
        const items = function* () {
          for (let n = 0; n < rows; n++) yield { key: { n }, changes: changesOf(n, round) };
        };
        const { written } = await profiles.patchMany(items());
        if (written !== rows) throw new Error(`${written} of ${rows} rows were written`);
        return written;
      },
    },
  ];
}

/** The same rows as entries of the official client. */
async function mutate(official: Official, round: number): Promise<number> {
  const table = official.table('profiles');
  for (let from = 0; from < rows; from += entriesPerCall) {
    const entries = Array.from({ length: Math.min(entriesPerCall, rows - from) }, (_, i) => {
      const level = Buffer.alloc(8);
      level.writeDoubleBE(from + i);
      const timestamp = `${Date.now() * 1000}`;
      return {
        method: 'insert',
        key: String(from + i).padStart(7, '0'),
        data: {
          m: {
            status: { value: `status ${round}`, timestamp },
            level: { value: level, timestamp },
          },
        },
      };
    });
    await table.mutate(entries);
  }
  return rows;
}

async function measure(name: string, variants: readonly Variant[], rounds: number): Promise<void> {
  const timings = await interleave(variants, rounds, 1);
  const baseline = timings.get('patchMany')!;
  results.addTiming(`${name}.patchMany`, baseline, 'us/row');
  for (const variant of variants) {
    if (variant.name === 'patchMany') continue;
    const timing = timings.get(variant.name)!;
    const comparison = { with: baseline, of: 'patchMany' };
    results.addTiming(`${name}.${variant.name}`, timing, 'us/row', comparison);
  }
}
