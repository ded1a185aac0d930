/** Programs that write new rows into one bucket of a rollup at the same time. */
import { Database, openParts, type OpenOptions } from '../../../src/entities/repository/index.js';
import { withStages } from '../../../src/data/store/index.js';
import { timingOf } from '../../interleave.js';
import { progress, type Results } from '../../results.js';
import { RequestCounter } from '../requests/request-counter.js';
import { Plain, Rolled, valuesOf } from './entities.js';

const entities = [Plain, Rolled];
const kinds = { plain: Plain, rollup: Rolled };
const writerCounts = [1, 10, 100];
/** How long the writers of a round write, into a bucket that is empty at first. */
const millis = 2_000;
const rounds = 3;

/** A program: a database of its own, whose requests are counted. */
interface Program {
  readonly db: Database;
  readonly counter: RequestCounter;
}

/** Programs over one engine in memory, or with connections of their own to one server. */
export async function measureWriters(
  results: Results,
  name: string,
  server: string | undefined,
): Promise<void> {
  const programs = await openPrograms(server, Math.max(...writerCounts));
  let hour = 0;
  for (const count of writerCounts) {
    const samples = new Map<string, { micros: number[]; writes: number; requests: number }>(
      Object.keys(kinds).map((kind) => [kind, { micros: [], writes: 0, requests: 0 }]),
    );
    for (let round = 0; round < rounds; round++)
      for (const [kind, entity] of Object.entries(kinds)) {
        progress(`${name}.writers.${count}.${kind} ${round}`);
        const { writes, requests, seconds } = await run(programs.slice(0, count), entity, hour++);
        const sample = samples.get(kind)!;
        sample.micros.push((seconds * 1e6) / writes);
        sample.writes += writes;
        sample.requests += requests;
      }
    const plain = timingOf(samples.get('plain')!.micros);
    for (const [kind, { micros, writes, requests }] of samples) {
      const timing = timingOf(micros);
      results.add({
        name: `${name}.writers.${count}.${kind}`,
        value: 1e6 / timing.median,
        unit: 'writes/s',
        min: 1e6 / timing.max,
        max: 1e6 / timing.min,
        ratio: kind === 'plain' ? undefined : plain.median / timing.median,
        of: kind === 'plain' ? undefined : 'plain',
      });
      results.add({
        name: `${name}.writers.${count}.${kind}.requests`,
        value: requests / writes,
        unit: 'per write',
      });
    }
  }
  for (const { db } of server === undefined ? programs.slice(0, 1) : programs) await db.close();
}

async function openPrograms(server: string | undefined, count: number): Promise<Program[]> {
  const url = server === undefined ? 'memory:' : 'bigtable://p/i';
  const options: OpenOptions =
    server === undefined ? { entities } : { entities, bigtable: { emulatorHost: server } };
  const first = await openParts(url, options);
  await new Database(first).admin.apply();
  const programs: Program[] = [];
  for (let i = 0; i < count; i++) {
    const parts = server === undefined ? first : await openParts(url, options);
    const counter = new RequestCounter();
    const engine = withStages(parts.engine, [counter]);
    programs.push({ db: new Database({ ...parts, engine }), counter });
  }
  if (server !== undefined) await first.engine.close();
  return programs;
}

/** Each program saves one new row after the other until the time is over. */
async function run(programs: readonly Program[], entity: typeof Plain, hour: number) {
  const before = requestsOf(programs);
  const started = performance.now();
  let next = 0;
  const write = async ({ db }: Program): Promise<void> => {
    const rows = db.repository(entity);
    while (performance.now() - started < millis)
      await rows.save(rows.create(valuesOf('hot', hour, next++)));
  };
  await Promise.all(programs.map(write));
  const seconds = (performance.now() - started) / 1000;
  const written = await rowsIn(programs[0].db, entity, hour);
  if (written !== undefined && written !== next)
    throw new Error(`${written} of ${next} rows are in the bucket.`);
  return { writes: next, requests: requestsOf(programs) - before, seconds };
}

/** The rows of a bucket; undefined for an entity without rollup. */
async function rowsIn(
  db: Database,
  entity: typeof Plain,
  hour: number,
): Promise<number | undefined> {
  if (entity === Plain) return undefined;
  const bucket = await db
    .repository(Rolled)
    .rollup('hourly')
    .get(valuesOf('hot', hour, 0));
  return bucket?.count;
}

function requestsOf(programs: readonly Program[]): number {
  return programs.reduce((sum, { counter }) => sum + counter.requests, 0);
}
