/** The memory of processes that read wide rows. */
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Run } from './run.js';
import type { BenchServer } from './servers.js';

/**
 * The peak memory of a process that reads the wide rows into an array: in total, and how much the
 * scan adds to a process that has loaded the client.
 */
export function memory(
  { results, wideRows }: Run,
  { name, process: { address } }: BenchServer,
): void {
  const official = peakMemory(wideRows, 'official', name, address);
  const parts = ['whole', 'scan'] as const;
  for (const part of parts)
    results.add({
      name: `memory.wide.${name}.official.${part}`,
      value: official[part],
      unit: 'MB',
    });
  for (const client of ['ours', 'ours-pages']) {
    const used = peakMemory(wideRows, client, name, address);
    const hasTarget = name === 'canned' && client === 'ours';
    for (const part of parts)
      results.add({
        name: `memory.wide.${name}.${client}.${part}`,
        value: used[part],
        unit: 'MB',
        ratio: used[part] / official[part],
        of: 'official',
        target: hasTarget ? { kind: 'atMost', ratio: 0.33 } : undefined,
      });
  }
}

interface PeakMemory {
  readonly whole: number;
  readonly scan: number;
}

function peakMemory(wideRows: number, client: string, server: string, address: string): PeakMemory {
  const program = join(dirname(fileURLToPath(import.meta.url)), '../wire/memory-process.js');
  const { stdout } = spawnSync(process.execPath, [program, client, address], { encoding: 'utf8' });
  const found = /^(\d+) rows, ([\d.]+) MB, ([\d.]+) MB/m.exec(stdout);
  if (Number(found?.[1]) !== wideRows) throw new Error(`${client} of ${server}: ${stdout}`);
  return { whole: Number(found![2]), scan: Number(found![2]) - Number(found![3]) };
}
