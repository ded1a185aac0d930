/**
 * Runs the state machines of the protocol in every order, each of them stopping anywhere, and with
 * requests that fail, are lost after they were applied, or arrive late.
 */
import {
  continueRepair,
  type RepairJob,
  type RepairResult,
  type RepairState,
  startRepair,
} from '../../../../src/entities/derived/protocol/entry-repair.js';
import { continueWrite, startWrite } from '../../../../src/entities/derived/protocol/row-write.js';
import type { WriteState } from '../../../../src/entities/derived/protocol/write-state.js';
import type { WriteJob, WriteResult } from '../../../../src/entities/derived/protocol/write-job.js';
import type { Answer, Request, Step } from '../../../../src/entities/derived/protocol/step.js';
import { type Exploration, exploreWorlds } from './exploration.js';
import {
  apply,
  type Breakage,
  type SentRequest,
  type Storage,
  type Values,
  violation,
} from './model-store.js';

export { ProtocolViolation } from './exploration.js';

/** A process to run: a write with the values that it leaves, or a repair. */
export type Job =
  | { readonly kind: 'write'; readonly job: WriteJob; readonly values: Values | undefined }
  | { readonly kind: 'repair'; readonly job: RepairJob };

type Process =
  | { readonly request: Request; readonly state: WriteState | RepairState }
  | { readonly result: WriteResult | RepairResult };

interface World {
  readonly storage: Storage;
  readonly processes: readonly Process[];
  /** Requests that may still fail. */
  readonly faults: number;
}

function processOf(step: Step<WriteState | RepairState, WriteResult | RepairResult>): Process {
  if (step.kind === 'end') return { result: step.result };
  return { request: step.request, state: step.state };
}

function start(job: Job): Process {
  return processOf(job.kind === 'write' ? startWrite(job.job) : startRepair(job.job));
}

function proceed(job: Job, state: WriteState | RepairState, answer: Answer): Process {
  if (job.kind === 'write') return processOf(continueWrite(job.job, state as WriteState, answer));
  return processOf(continueRepair(job.job, state as RepairState, answer));
}

const notApplied: Answer = { kind: 'failed', mayBeApplied: false };
const unknown: Answer = { kind: 'failed', mayBeApplied: true };

/** All states that follow. */
function* successors(
  jobs: readonly Job[],
  world: World,
  broken: Breakage,
): Iterable<[World, string]> {
  const { storage, processes, faults } = world;
  for (const [i, process] of processes.entries()) {
    if ('result' in process) continue;
    const job = jobs[i];
    const sent: SentRequest = {
      request: process.request,
      row: job.job.row,
      values: job.kind === 'write' ? job.values : undefined,
    };
    const label = `${job.job.id} ${process.request.kind}`;
    const after = (next: Storage, answer: Answer, left = faults): World => ({
      storage: next,
      processes: processes.with(i, proceed(job, process.state, answer)),
      faults: left,
    });
    const [changed, answer] = apply(storage, sent, broken);
    yield [after(changed, answer), label];
    if (faults === 0) continue;
    yield [after(storage, notApplied, faults - 1), `${label} fails`];
    if (process.request.kind.startsWith('read')) continue;
    yield [after(changed, unknown, faults - 1), `${label} is lost after it`];
    if (broken === 'repeats' && process.request.kind === 'writeEntries') {
      const again = { ...changed, delayed: [...changed.delayed, sent] };
      yield [after(again, answer, faults - 1), `${label} is sent twice`];
    }
    const late = { ...storage, delayed: [...storage.delayed, sent] };
    yield [after(late, unknown, faults - 1), `${label} is delayed`];
  }
  for (const [i, sent] of storage.delayed.entries()) {
    const [changed] = apply(storage, sent, broken);
    const delayed = storage.delayed.filter((_, at) => at !== i);
    yield [{ ...world, storage: { ...changed, delayed } }, `${sent.request.kind} arrives`];
  }
}

/** Throws ProtocolViolation with the steps that lead to a state that is wrong. */
export function explore(
  storage: Storage,
  jobs: readonly Job[],
  { faults = 0, broken }: { readonly faults?: number; readonly broken?: Breakage } = {},
): Exploration<World> {
  const world: World = { storage, processes: jobs.map(start), faults };
  return exploreWorlds(world, {
    successors: (each) => successors(jobs, each, broken),
    problem: (each) => violation(each.storage) ?? untrueResults(jobs, each),
  });
}

/** Writes that ended say what they did. */
function untrueResults(jobs: readonly Job[], { storage, processes }: World): string | undefined {
  for (const [i, process] of processes.entries()) {
    const job = jobs[i];
    if (job.kind !== 'write' || !('result' in process)) continue;
    const untrue = untrueResult(job.job.id, process.result, storage.committed);
    if (untrue !== undefined) return untrue;
  }
  return undefined;
}

/** What is wrong with how a write ended. Its commits are among these. */
export function untrueResult(
  id: string,
  result: { readonly kind: string },
  committed: readonly string[],
): string | undefined {
  const commits = committed.filter((version) => version.startsWith(`${id}.`));
  if (commits.length > 1) return `${id} was written ${commits.length} times`;
  const mayBeWritten =
    result.kind === 'written' ||
    (result.kind === 'failed' && 'mayBeWritten' in result && result.mayBeWritten === true);
  if (!mayBeWritten && commits.length > 0) return `${id} ended as ${result.kind}, and was written`;
  if (result.kind === 'written' && commits.length === 0) return `${id} was not written`;
  return undefined;
}
