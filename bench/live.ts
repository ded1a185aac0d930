/**
 * `npm run bench -- bench/live.ts`: the live engine and the official client, with three servers in
 * separate processes: a canned one (prepared messages of 64 KiB, as production sends), ours, and
 * Google's emulator (one message per row); and through a proxy that delays. Typed entities of ours
 * are compared with raw rows of the official client (`decode: false`, its metrics off), and with
 * those rows mapped to the same objects. Options: --rows N (narrow rows, default 100,000; a fifth
 * as many wide ones), --only NAME (narrow, wide, points, prefix, bulk, delay, memory), --json. The
 * exit code is 2 if a target was missed.
 */
import { delays } from './live/delays.js';
import { memory } from './live/memory.js';
import { bulk, points, prefixes } from './live/requests.js';
import type { Run } from './live/run.js';
import { narrow, wide } from './live/scans.js';
import { checkRows, connect, fill } from './live/servers.js';
import { benchOptions, Results } from './results.js';
import { startEmulator, startProgram } from './wire/processes.js';

const options = benchOptions(process.argv.slice(2), 100_000);
const wants = (name: string): boolean => options.only.length === 0 || options.only.includes(name);
const results = new Results(options);
const [narrowRows, wideRows] = [options.rows, Math.floor(options.rows / 5)];
const run: Run = { results, narrowRows, wideRows };

const canned = await connect(
  'canned',
  await startProgram('server-process', 'canned', String(narrowRows), String(wideRows)),
);
const ours = await connect('ours', await startProgram('server-process', 'ours', 'memory'));
const servers = [canned, ours];
const emulator = await startEmulator();
if (emulator === undefined)
  console.error("Google's emulator is not on this machine and is not measured.");
else servers.push(await connect('emulator', emulator));

const filled = servers.filter((server) => server !== canned);
for (const server of filled) await fill(run, server);
await checkRows(run, servers);
for (const server of servers) {
  if (wants('narrow')) await narrow(run, server);
  if (wants('wide')) await wide(run, server);
}
for (const server of servers) {
  const hasRows = server !== canned;
  if (hasRows && wants('points')) await points(run, server);
  if (hasRows && wants('prefix')) await prefixes(run, server);
  if (wants('bulk')) await bulk(run, server);
}
if (wants('delay')) await delays(run, canned.process);
if (wants('memory')) for (const server of servers) memory(run, server);
for (const { process: running } of servers) await running.stop();
process.exit(results.finish({ rows: narrowRows, wide: wideRows }));
