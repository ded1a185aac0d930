/** Folders that are filled once for all suites and runs. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The folder with what a file pins; `fill` makes it in an empty folder. */
export async function filledFolder(
  language: string,
  pins: string,
  fill: (folder: string) => Promise<void>,
): Promise<string> {
  const hash = createHash('sha256').update(readFileSync(pins)).digest('hex').slice(0, 12);
  const folder = join(__dirname, `../../../.tmp/languages/${language}-${hash}`);
  const isComplete = (): boolean => existsSync(join(folder, 'complete'));
  mkdirSync(dirname(folder), { recursive: true });
  // Several suites need it at the same time: one fills it, and the other suites wait.
  while (!isComplete() && !lock(`${folder}.lock`))
    await new Promise((resolve) => void setTimeout(resolve, 200));
  if (isComplete()) return folder;
  try {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder);
    await fill(folder);
    writeFileSync(join(folder, 'complete'), '');
    return folder;
  } finally {
    rmSync(`${folder}.lock`, { recursive: true });
  }
}

/** Takes a lock, also one that an ended run has left; false if another suite has it. */
function lock(path: string): boolean {
  const since = statSync(path, { throwIfNoEntry: false })?.mtimeMs;
  if (since !== undefined && Date.now() - since > 600_000) rmSync(path, { recursive: true });
  try {
    mkdirSync(path);
    return true;
  } catch {
    return false;
  }
}
