/** `rowsmith compact`: removes what the garbage collection rules collect from the files. */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { bytesText, RowsmithError, type FaultTexts } from '../../../base/index.js';
import { openEngine, parseEngineUrl } from '../../../engines/index.js';
import type { Compaction } from '../../../data/store/index.js';
import { defineCommand, urlOption, UsageError } from '../../command.js';
import { grouped, type Progress } from '../../terminal/progress.js';
import type { Terminal } from '../../terminal/terminal.js';
import { checkStored, urlOf } from '../database.js';

/** The command. */
export const command = defineCommand({
  usage: '[--url URL]',
  about: `Removes the cells that the stored garbage collection rules collect from a file: database,
and writes the rest to a new file, which replaces the old one. Needs space for the copy, and no
other writer. If it is stopped, run it again.`,
  options: { url: urlOption },
  examples: [
    ['compact', 'the database of the config'],
    ['compact --url file:./data', 'another database'],
  ],
  json: '{ url: string, rows: number, cells: number, bytesBefore: number, bytesAfter: number }',
  async run({ values }, context) {
    const { terminal } = context;
    const url = await urlOf(values.url, context);
    const directory = directoryOf(url);
    checkStored(url);
    const bytesBefore = bytesIn(directory);
    const { rows, cells } = await compactFiles(url, terminal);
    const bytesAfter = bytesIn(directory);
    terminal.printJson({ url, rows, cells, bytesBefore, bytesAfter });
    terminal.print(removedText(rows, cells));
    terminal.print(`${bytesText(bytesBefore)} before, ${bytesText(bytesAfter)} after: ${url}`);
  },
});

/** Throws UsageError for memory:, and UNSUPPORTED for Bigtable. */
function directoryOf(url: string): string {
  const target = parseEngineUrl(url);
  if (target.kind === 'disk') return target.directory;
  if (target.kind === 'memory') throw new UsageError(faults.memoryDatabase);
  throw new RowsmithError('UNSUPPORTED', {
    database: url,
    ...faults.managedCollection,
  });
}

async function compactFiles(url: string, terminal: Terminal): Promise<Compaction> {
  const engine = await openEngine(url);
  let phase: string | undefined;
  let bar: Progress | undefined;
  try {
    return await engine.compact(undefined, {
      onProgress(progress) {
        if (progress.phase !== phase) {
          bar?.clear();
          phase = progress.phase;
          bar = terminal.progress(phase);
        }
        bar?.update(progress.rows, { fraction: progress.fraction, estimated: true });
      },
    });
  } finally {
    bar?.clear();
    await engine.close();
  }
}

function removedText(rows: number, cells: number): string {
  if (cells === 0) return 'nothing was due';
  const counts = `${grouped(rows)} ${rows === 1 ? 'row' : 'rows'} and `;
  return `${counts}${grouped(cells)} ${cells === 1 ? 'cell' : 'cells'} removed`;
}

/** The size of the files of a database; 0 for what is no directory, which `openEngine` rejects. */
function bytesIn(directory: string): number {
  if (!statSync(directory).isDirectory()) return 0;
  // A process that has the database open may remove files meanwhile.
  const files = readdirSync(directory).map((name) =>
    statSync(join(directory, name), { throwIfNoEntry: false }),
  );
  return files.reduce((sum, file) => sum + (file?.isFile() === true ? file.size : 0), 0);
}

const faults = {
  memoryDatabase: { problem: 'memory: is empty in every process', fix: 'name file:./directory' },
  managedCollection: {
    problem: 'only databases in files are compacted: Bigtable runs garbage collection itself',
    fix: 'none needed on Bigtable; for rowsmith serve --dir, stop the server and compact its directory',
  },
} satisfies FaultTexts;
