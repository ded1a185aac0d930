/**
 * Runs the state machines of writes, recoveries, builds and readers in every order, each of them
 * stopping anywhere, with requests that fail, are lost after they were applied, arrive late or
 * twice, and with cells that storage collects once all have stopped.
 */
import type { Answer, Request } from '../../../../../src/entities/derived/protocol/step.js';
import { type Exploration, exploreWorlds } from '../../protocol/exploration.js';
import { untrueResult } from '../../protocol/explore.js';
import type { Breakage } from './breakage.js';
import { applyPart, type Part, type Storage, type StoredMark } from './bucket-store.js';
import { collected } from './collect.js';
import { problemOf } from './exactness.js';
import { type Job, sumOfRows, sumRead } from './jobs.js';
import {
  answered,
  type Asking,
  isAsking,
  partOf,
  type Process,
  start,
  startRecoveryOf,
} from './process.js';

export interface RollupWorld {
  readonly storage: Storage;
  readonly processes: readonly Process[];
  readonly faults: number;
}

export interface Options {
  /** How many requests fail, are lost, late or repeated. */
  readonly faults?: number;
  readonly broken?: Breakage | undefined;
}

const notApplied: Answer = { kind: 'failed', mayBeApplied: false };
const unknown: Answer = { kind: 'failed', mayBeApplied: true };

/** Requests that clients of storage may repeat, because their second arrival changes nothing. */
const repeatable: readonly Request['kind'][] = [
  'settle',
  'unmark',
  'commit',
  'fence',
  'finishBuild',
];

function isRepeated({ kind }: Request, broken: Breakage | undefined): boolean {
  if (kind === 'markBuckets') return broken === 'repeated marks';
  if (kind === 'startBuild') return broken === 'repeated starts';
  return repeatable.includes(kind);
}

/** All states that follow. */
function* successors(
  jobs: readonly Job[],
  world: RollupWorld,
  broken: Breakage | undefined,
): Iterable<[RollupWorld, string]> {
  const { storage, processes } = world;
  for (const [i, process] of processes.entries()) {
    if (isAsking(process)) yield* answers(jobs, world, i, process, broken);
    else if (isListing(jobs[i], process, storage)) yield* choices(jobs, world, i, broken);
  }
  for (const [i, part] of storage.delayed.entries()) {
    const [changed] = applyPart(storage, part, broken);
    const delayed = storage.delayed.filter((_, at) => at !== i);
    const next = { ...world, storage: { ...changed, delayed } };
    yield [watched(jobs, next), `${part.request.kind} arrives`];
  }
  if (!storage.past.collected && jobs.some(({ later }) => later)) yield* collections(jobs, world);
}

/** What follows the next request of one process. */
function* answers(
  jobs: readonly Job[],
  world: RollupWorld,
  i: number,
  process: Asking,
  broken: Breakage | undefined,
): Iterable<[RollupWorld, string]> {
  const { storage, processes, faults } = world;
  const job = jobs[i];
  const part = partOf(job, process);
  const { kind } = part.request;
  const label = `${job.job.id} ${kind}`;
  const after = (next: Storage, answer: Answer, left = faults): RollupWorld =>
    watched(jobs, {
      storage: next,
      processes: processes.with(i, answered(next, job, process, answer, broken)),
      faults: left,
    });
  const [changed, answer] = applyPart(storage, part, broken);
  yield [after(changed, answer), label];
  if (faults === 0) return;
  yield [after(storage, notApplied, faults - 1), `${label} fails`];
  if (kind.startsWith('read')) return;
  yield [after(changed, unknown, faults - 1), `${label} is lost after it`];
  yield [after(delaying(storage, part), unknown, faults - 1), `${label} is delayed`];
  if (isRepeated(part.request, broken))
    yield [after(delaying(changed, part), answer, faults - 1), `${label} is sent twice`];
}

function delaying(storage: Storage, part: Part): Storage {
  return { ...storage, delayed: [...storage.delayed, part] };
}

function isListing({ kind, later }: Job, process: Process, { past }: Storage): boolean {
  if (kind !== 'recover' || !('waits' in process)) return false;
  return later !== true || past.collected;
}

/** A recovery begins with any mark that is there, unless it is old. */
function* choices(
  jobs: readonly Job[],
  world: RollupWorld,
  i: number,
  broken: Breakage | undefined,
): Iterable<[RollupWorld, string]> {
  const { id, rollup } = (jobs[i] as Extract<Job, { kind: 'recover' }>).job;
  for (const mark of world.storage.buckets[rollup].marks) {
    if (mark.old && broken !== 'old marks are recovered') continue;
    const process = startRecoveryOf(world.storage, jobs[i], mark);
    yield [
      { ...world, processes: world.processes.with(i, process) },
      `${id} recovers ${mark.token}`,
    ];
  }
}

/** Storage collects cells; whoever was in the middle of a call is gone, and later jobs begin. */
function* collections(jobs: readonly Job[], world: RollupWorld): Iterable<[RollupWorld, string]> {
  for (const [storage, label] of collected(world.storage)) {
    const processes = jobs.map((job): Process => {
      return job.later === true ? start(storage, job) : { result: { kind: 'stopped' } };
    });
    yield [{ ...world, storage, processes }, label];
  }
}

/** Readers remember all sums that were right while they read. */
function watched(jobs: readonly Job[], world: RollupWorld): RollupWorld {
  if (!jobs.some(({ kind }) => kind === 'read')) return world;
  const sum = sumOfRows(world.storage, 0);
  const processes = world.processes.map((process) => {
    if (!isAsking(process) || process.during === undefined || process.during.includes(sum))
      return process;
    return { ...process, during: [...process.during, sum].sort((a, b) => a - b) };
  });
  return { ...world, processes };
}

/** A sum that a reader returned was right while it read; a write that ended says what it did. */
function untrue(jobs: readonly Job[], { storage, processes }: RollupWorld): string | undefined {
  for (const [i, process] of processes.entries()) {
    if (!('result' in process)) continue;
    const job = jobs[i];
    const { result, during } = process;
    if (job.kind === 'write' && result.kind !== 'stopped' && !storage.past.collected) {
      const found = untrueResult(job.job.id, result, storage.committed);
      if (found !== undefined) return found;
    }
    if (job.kind !== 'read' || result.kind !== 'read') continue;
    const { bucket, made } = result as unknown as {
      bucket: Storage['buckets'][number];
      made: readonly StoredMark[];
    };
    const sum = sumRead(bucket, made);
    if (!during!.includes(sum)) return `${sum} was read, and only ${during!.join(', ')} was right`;
  }
  return undefined;
}

/** Throws ProtocolViolation with the steps that lead to a state that is wrong. */
export function exploreRollups(
  storage: Storage,
  jobs: readonly Job[],
  { faults = 0, broken }: Options = {},
): Exploration<RollupWorld> {
  const processes = jobs.map((job): Process => {
    return job.later === true ? { waits: true } : start(storage, job);
  });
  return exploreWorlds(watched(jobs, { storage, processes, faults }), {
    successors: (world) => successors(jobs, world, broken),
    problem: (world) => problemOf(world.storage) ?? untrue(jobs, world),
  });
}
