/**
 * Import and export with the embedded engine on disk: `tsx bench/import.ts [ROWS]`. Flights of
 * vega-datasets, repeated on other days up to ROWS (default 200,000); two columns, a key of four
 * segments. Rows per second of the whole run, including opening and the last flush; and per second
 * of processor time of all threads, which depends little on other work on the machine.
 */
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { column, defineEntity, maxVersions, open, rowKey } from '../src/index.js';
import { buildModel } from '../src/entities/model/index.js';
import { exportRows, importRows, type RowFormat } from '../src/tools/transfer/index.js';

class Flight {
  origin = '';
  at = new Date(0);
  destination = '';
  serial = 0;
  delay?: number;
  distance?: number;
}
const Flights = defineEntity(Flight, {
  table: 'flights',
  families: { f: { gc: maxVersions(1) } },
  key: rowKey('origin', 'at', 'destination', 'serial'),
  segments: {
    origin: 'string',
    at: 'timestamp',
    destination: 'string',
    serial: { kind: 'uint', width: 7 },
  },
  columns: { delay: column('f', 'int32'), distance: column('f', 'int32') },
});

const rows = Number(process.argv[2] ?? 200_000);
const source = JSON.parse(
  readFileSync(
    join(createRequire(import.meta.url).resolve('vega-datasets'), '../../data/flights-20k.json'),
    'utf8',
  ),
) as { date: string; delay: number; distance: number; origin: string; destination: string }[];

function flightsFile(folder: string, format: RowFormat): string {
  const file = join(folder, `flights.${format}`);
  const lines = Array.from({ length: rows }, (_, serial) => {
    const { date, delay, distance, origin, destination } = source[serial % source.length];
    const day = Math.floor(serial / source.length) * 86_400_000;
    const time = new Date(`${date.replaceAll('/', '-').replace(' ', 'T')}Z`).getTime();
    const at = new Date(time + day).toISOString();
    return lineOf(format, { origin, at, destination, serial, delay, distance });
  });
  if (format === 'csv') lines.unshift('origin,at,destination,serial,delay,distance');
  writeFileSync(file, `${lines.join('\n')}\n`);
  return file;
}

function lineOf(format: RowFormat, row: Readonly<Record<string, string | number>>): string {
  if (format === 'csv') return Object.values(row).join();
  return JSON.stringify(row);
}

async function main(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'rowsmith-bench-'));
  const model = buildModel(Flights);
  try {
    for (const format of ['jsonl', 'csv'] as const) {
      const file = flightsFile(folder, format);
      const started = performance.now();
      const cpu = process.cpuUsage();
      const db = await open(`file:${join(folder, format)}`, { entities: [Flights] });
      const { written, rejected } = await importRows(db.engine, model, file, { format });
      const imported = performance.now();
      const { user, system } = process.cpuUsage(cpu);
      const out = await exportRows(db.engine, model, `${file}.out`, { format });
      const exported = performance.now();
      await db.close();
      const rate = (count: number, ms: number): string =>
        Math.round(count / (ms / 1000)).toLocaleString('en-US');
      console.log(
        `${format.padEnd(6)} import ${rate(written, imported - started)} rows/s, ${rate(written, (user + system) / 1000)} per second of processor time (${rejected} bad, ${(statSync(file).size / 1e6).toFixed(1)} MB)  export ${rate(out.rows, exported - imported)} rows/s  peak memory ${Math.round(process.resourceUsage().maxRSS / 1024)} MB`,
      );
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}

void main();
