/** Copies and verifies the files of a database. */
import { resolve } from 'node:path';
import { type FaultTexts, RowsmithError } from '../../../base/index.js';
import {
  type BackupSummary,
  copiesOf,
  type DiskCopies,
  openEngine,
} from '../../../engines/index.js';
import { UsageError } from '../../command.js';
import type { Terminal } from '../../terminal/terminal.js';
import { checkStored } from '../database.js';

/** Copies a database to a directory, which must be empty or not exist. */
export function copyDatabase(
  url: string,
  directory: string,
  terminal: Terminal,
): Promise<BackupSummary> {
  return withCopies(url, 'copy', terminal, (copies, onStep) => copies.backup(directory, onStep));
}

/** Reads all files of a database. */
export function verifyDatabase(url: string, terminal: Terminal): Promise<BackupSummary> {
  return withCopies(url, 'verify', terminal, (copies, onStep) => copies.verify(onStep));
}

/** The directory that an argument names. */
export function directoryOf(folder: string, argument: string | undefined): string {
  if (argument === undefined) throw new UsageError(faults.noDirectory);
  return resolve(folder, argument);
}

async function withCopies(
  url: string,
  name: string,
  terminal: Terminal,
  work: (copies: DiskCopies, onStep: (fraction: number) => void) => Promise<BackupSummary>,
): Promise<BackupSummary> {
  checkStored(url);
  const engine = await openEngine(url, { readOnly: true });
  const bar = terminal.progress(name);
  try {
    const copies = copiesOf(engine);
    if (copies === undefined) throw new RowsmithError('UNSUPPORTED', { url, ...faults.noFiles });
    return await work(copies, (fraction) => bar.update(0, { fraction }));
  } finally {
    bar.clear();
    await engine.close();
  }
}

const faults = {
  noDirectory: {
    problem: 'a directory is missing',
    fix: 'name one that is empty or does not exist',
  },
  noFiles: {
    problem: 'only databases on disk have files',
    fix: 'name file:./directory; on Bigtable use its backups',
  },
} satisfies FaultTexts;
