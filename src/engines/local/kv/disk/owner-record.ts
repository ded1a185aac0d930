/** The owner record: which process holds a database directory; see FORMAT.md. */
import { readFileSync } from 'node:fs';
import { RowsmithError } from '../../../../errors.js';

interface Owner {
  readonly pid: number;
  /** From `processStart`. */
  readonly started: string | null;
}

/** The record of this process. */
export function ownerRecord(): Uint8Array {
  const owner: Owner = { pid: process.pid, started: processStart(process.pid) };
  return new TextEncoder().encode(JSON.stringify({ ...owner, token: Math.random() }));
}

/** Throws DATABASE_IN_USE when the owner of the record is still running. */
export function checkOwner(record: Uint8Array, directory: string): void {
  const { pid, started } = JSON.parse(Buffer.from(record).toString()) as Owner;
  if (!isProcessAlive(pid) || processStart(pid) !== started) return;
  const isThisProcess = pid === process.pid;
  throw new RowsmithError('DATABASE_IN_USE', {
    directory,
    pid,
    fix: isThisProcess
      ? 'close the other database of this process first'
      : `close it in process ${pid} first`,
  });
}

function isProcessAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/**
 * Identifies a process beyond its PID, which is reused: the boot ID of the machine, and the start
 * time since boot (proc(5), field 22 of stat). Null where the system does not provide them.
 */
function processStart(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The command name, in parentheses, may contain spaces; field 3 follows it.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim()} ${fields[22 - 3]}`;
  } catch {
    return null;
  }
}
