/**
 * Identifies a process beyond its PID, which is reused, and a thread of it. Everything is read from
 * Linux's /proc; other systems have only the PID, and so have processes with the /proc of another
 * PID namespace (unshare --pid without --mount-proc).
 */
import { readFileSync, readlinkSync } from 'node:fs';

/** A thread of a process, as it is stored in owner files. */
export interface ProcessIdentity {
  readonly pid: number;
  /**
   * ID of the machine's boot, and start time of the process since then; null where the system does
   * not provide them.
   */
  readonly started: string | null;
  /** The thread that opened the database: a worker may end before its process does. */
  readonly thread: { readonly id: number; readonly started: string } | null;
  /** Each container has separate PIDs. */
  readonly pidNamespace: string | null;
}

/** `unknown`: it runs in another container, and cannot be seen from this one. */
export type Liveness = 'running' | 'ended' | 'unknown';

/** The calling thread. */
export function currentProcess(): ProcessIdentity {
  return {
    pid: process.pid,
    started: processStart(process.pid) ?? null,
    thread: currentThread(),
    pidNamespace: pidNamespace(),
  };
}

/** Whether the thread still runs. Where that cannot be found out it is assumed to. */
export function livenessOf(identity: ProcessIdentity): Liveness {
  const { pid, started, thread, pidNamespace: namespace } = identity;
  const boot = bootId();
  if (started !== null && boot !== undefined && !started.startsWith(`${boot} `)) return 'ended';
  if (namespace !== pidNamespace()) return 'unknown';
  if (!isProcessRunning(pid, started)) return 'ended';
  if (thread === null || statFields(`${pid}`) === undefined) return 'running';
  const found = statFields(`${pid}/task/${thread.id}`);
  return found !== undefined && found.startTime === thread.started ? 'running' : 'ended';
}

/** Whether the process with this PID runs and, where that is known, has this start time. */
function isProcessRunning(pid: number, started: string | null): boolean {
  if (!hasProcess(pid)) return false;
  const fields = statFields(`${pid}`);
  // Processes of other users may be hidden (the option hidepid of /proc).
  if (fields === undefined) return true;
  // A zombie has ended, and waits for its parent to ask for its exit code.
  if (fields.state === 'Z' || fields.state === 'X') return false;
  return started === null || processStart(pid) === started;
}

function hasProcess(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function processStart(pid: number): string | undefined {
  const fields = statFields(`${pid}`);
  const boot = bootId();
  return fields && boot && `${boot} ${fields.startTime}`;
}

function currentThread(): ProcessIdentity['thread'] {
  try {
    // `PID/task/TID`
    const path = readlinkSync('/proc/thread-self');
    const fields = statFields(path);
    return fields === undefined
      ? null
      : { id: Number(path.slice(path.lastIndexOf('/') + 1)), started: fields.startTime };
  } catch {
    return null;
  }
}

function pidNamespace(): string | null {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return null;
  }
}

function bootId(): string | undefined {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
  } catch {
    return undefined;
  }
}

/**
 * State and start time of a process or thread (proc(5), fields 3 and 22 of stat). Undefined if
 * /proc has other PIDs than this process.
 */
function statFields(path: string): { state: string; startTime: string } | undefined {
  try {
    if (readlinkSync('/proc/self') !== `${process.pid}`) return undefined;
    const stat = readFileSync(`/proc/${path}/stat`, 'latin1');
    // The command name, in parentheses, may contain spaces; field 3 follows it.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { state: fields[0], startTime: fields[22 - 3] };
  } catch {
    return undefined;
  }
}
