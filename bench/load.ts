/** saveMany of all rows, compared with batches of classic-level. The other benchmarks read them. */
import type { DataSet } from './data-set.js';
import { handKey, handValue } from './hand-codec.js';
import { type Timing, timingOf } from './interleave.js';
import type { Reading } from './reading.js';
import { progress, type Results } from './results.js';
import type { Level, Opened } from './stores.js';

/** Rows that one store writes before the other continues. */
const turnRows = 50_000;
/** Rows of a batch of classic-level. */
const levelRows = 4096;

/** Loads the disk engine and classic-level in turns. Creating the entities is not measured. */
export async function loadDisk(
  data: DataSet,
  disk: Opened,
  level: Level,
  results: Results,
): Promise<void> {
  const saved = await inTurns(data, 'disk', {
    disk: (rows) => save(disk, rows),
    level: (rows) => batch(level, rows),
  });
  const reference = rate(saved.level);
  const ours = rate(saved.disk);
  results.add({
    name: 'saveMany.disk',
    ...ours,
    unit: 'rows/s',
    ratio: ours.value / reference.value,
    of: 'level.batch',
  });
  results.add({ name: 'level.batch', ...reference, unit: 'rows/s' });
}

/** Loads the memory engine. */
export async function loadMemory(data: DataSet, memory: Opened, results: Results): Promise<void> {
  const saved = await inTurns(data, 'memory', { memory: (rows) => save(memory, rows) });
  results.add({ name: 'saveMany.memory', ...rate(saved.memory), unit: 'rows/s' });
}

/** Milliseconds per row: in total, and of each turn. */
interface Written {
  readonly total: number;
  readonly each: Timing;
}

type Writer = (rows: readonly Reading[]) => Promise<unknown>;

async function inTurns<N extends string>(
  data: DataSet,
  what: string,
  writers: Record<N, Writer>,
): Promise<Record<N, Written>> {
  const times = new Map<N, number[]>();
  for (let from = 0; from < data.rows; from += turnRows) {
    progress(`loading ${what}: ${from} of ${data.rows} rows`);
    const rows = data.slice(from, Math.min(from + turnRows, data.rows));
    for (const name of Object.keys(writers) as N[]) {
      const started = performance.now();
      await writers[name](rows);
      times.set(name, [...(times.get(name) ?? []), (performance.now() - started) / rows.length]);
    }
  }
  const written = [...times].map(([name, each]) => [
    name,
    { total: each.reduce((sum, ms) => sum + ms, 0) / each.length, each: timingOf(each) },
  ]);
  return Object.fromEntries(written) as Record<N, Written>;
}

/** Rows per second in total, and of the slowest and fastest turn. */
function rate({ total, each }: Written): {
  readonly value: number;
  readonly min: number;
  readonly max: number;
} {
  return { value: 1000 / total, min: 1000 / each.max, max: 1000 / each.min };
}

async function save({ readings }: Opened, rows: readonly Reading[]): Promise<void> {
  const { failures } = await readings.saveMany(rows);
  if (failures.length > 0) throw failures[0].error;
}

async function batch(level: Level, rows: readonly Reading[]): Promise<void> {
  for (let from = 0; from < rows.length; from += levelRows) {
    await level.batch(
      rows
        .slice(from, from + levelRows)
        .map((row) => ({ type: 'put' as const, key: handKey(row), value: handValue(row.status!) })),
    );
  }
}
