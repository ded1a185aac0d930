/**
 * `npm run bench`: the cost of Rowsmith with 1,000,000 small rows, compared with the minimum
 * (hand-written code on buffers, one fdatasync) and with classic-level. Options: --rows N, --only
 * NAME (load, scan, get, save, open, size, stream, limit, memory; the required load always runs),
 * --json. The exit code is 2 if a target was missed. Bulk loads of 5,000,000 rows, which take some
 * minutes: --rows 5000000 --only load --only memory.
 */
import { join } from 'node:path';
import { DataSet, readingOf } from './data-set.js';
import { measureSave } from './durable-save.js';
import { HandReader, handKey, handValue } from './hand-codec.js';
import { timingOf } from './interleave.js';
import { jsonText } from './json-text.js';
import { limitOne } from './limit.js';
import { loadDisk, loadMemory } from './load.js';
import { benchOptions, Results } from './results.js';
import { getDisk, getMemory, scanDisk, scanMemory } from './scan.js';
import { diskMegabytes, openLevel, openReadings, scratchDirectory } from './stores.js';
import { streamAll } from './streaming.js';

const options = benchOptions(process.argv.slice(2));
const wants = (name: string): boolean => options.only.length === 0 || options.only.includes(name);
const data = new DataSet(options.rows);
const directory = scratchDirectory();
const results = new Results(options);

await checkCodecs();
if (options.only.some((name) => name !== 'memory') || options.only.length === 0) await onDisk();
if (wants('memory')) await inMemory();
process.exit(results.finish({ rows: data.rows }));

async function onDisk(): Promise<void> {
  const [ours, theirs] = [join(directory, 'rowsmith'), join(directory, 'level')];
  let disk = await openReadings(`file:${ours}`);
  let level = await openLevel(theirs);
  await loadDisk(data, disk, level, results);
  if (wants('size')) {
    // Until then, the last rows are in the log.
    await disk.database.close();
    disk = await openReadings(`file:${ours}`);
    const payload = (data.rows * rowBytes()) / 1e6;
    results.add({
      name: 'size.disk',
      value: diskMegabytes(ours),
      unit: 'MB',
      ratio: diskMegabytes(ours) / payload,
      of: 'keys and values',
    });
    results.add({
      name: 'size.level',
      value: diskMegabytes(theirs),
      unit: 'MB',
      ratio: diskMegabytes(theirs) / payload,
      of: 'keys and values',
    });
  }
  if (wants('open')) {
    const opens = { disk: [] as number[], level: [] as number[] };
    for (let i = 0; i < 7; i++) {
      await disk.database.close();
      await level.close();
      const started = performance.now();
      disk = await openReadings(`file:${ours}`);
      await disk.readings.get(readingOf(0, 0));
      const between = performance.now();
      level = await openLevel(theirs);
      await level.get(handKey(readingOf(0, 0)));
      opens.disk.push((between - started) * 1000);
      opens.level.push((performance.now() - between) * 1000);
    }
    const reference = timingOf(opens.level);
    results.addTiming(
      'open.disk',
      timingOf(opens.disk),
      'ms',
      { with: reference, of: 'open.level' },
      0.001,
    );
    results.addTiming('open.level', reference, 'ms', undefined, 0.001);
  }
  if (wants('scan')) await scanDisk(data, disk, level, results);
  if (wants('get')) await getDisk(data, disk, level, results);
  await level.close();
  if (wants('limit'))
    await limitOne(data, disk, `file:${join(directory, 'small')}`, results, 'disk');
  if (wants('stream')) await streamAll(disk, data.rows, results);
  if (wants('save')) await measureSave(data, disk, directory, results);
  await disk.database.close();
}

async function inMemory(): Promise<void> {
  const memory = await openReadings('memory:');
  await loadMemory(data, memory, results);
  await scanMemory(data, memory, results);
  await getMemory(data, memory, results);
  await limitOne(data, memory, 'memory:', results, 'memory');
  await memory.database.close();
}

/** The floor must read and write the same bytes as Rowsmith, or the ratios would mean nothing. */
async function checkCodecs(): Promise<void> {
  const { database, readings } = await openReadings('memory:');
  const reader = new HandReader();
  const rows = data.slice(0, 1000);
  await readings.saveMany(rows);
  const { key, columns } = readings.model;
  for (const row of rows) {
    const bytes = handKey(row);
    const value = handValue(row.status!);
    const written =
      bytes.equals(key.encode(row as unknown as Record<string, unknown>)) &&
      value.equals(columns[0].codec.encode(row.status));
    const read =
      jsonText(reader.read(bytes, value)) === jsonText(row) &&
      jsonText(await readings.get(row)) === jsonText(row);
    if (!written || !read)
      throw new Error(`The hand-written codec and Rowsmith differ on ${jsonText(row)}`);
  }
  await database.close();
}

function rowBytes(): number {
  return (
    data
      .slice(0, 1000)
      .reduce((sum, row) => sum + handKey(row).length + handValue(row.status!).length, 0) /
    Math.min(1000, data.rows)
  );
}
