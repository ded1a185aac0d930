/**
 * Runs the state machines of sources, rows with copies and propagations in every order, each of
 * them stopping anywhere, and with requests that fail, are lost after they were applied, or arrive
 * late. In every state a copy that is not its source's has a mark.
 */
import {
  continuePropagation,
  type PropagationAnswer,
  type PropagationRequest,
  type PropagationState,
  startPropagation,
} from '../../../../../src/entities/derived/copy/propagate.js';
import {
  continueRepair,
  type RepairState,
  startRepair,
} from '../../../../../src/entities/derived/protocol/entry-repair.js';
import {
  continueWrite,
  startWrite,
} from '../../../../../src/entities/derived/protocol/row-write.js';
import type { WriteState } from '../../../../../src/entities/derived/protocol/write-state.js';
import type { WriteJob } from '../../../../../src/entities/derived/protocol/write-job.js';
import type {
  Answer,
  Copied,
  Request,
  SeenRow,
  Step,
} from '../../../../../src/entities/derived/protocol/step.js';
import { exploreWorlds } from '../../protocol/exploration.js';

interface StoredRow {
  readonly exists: boolean;
  readonly version: string | undefined;
  /** Of a source. */
  readonly value?: string | undefined;
  /** Of a row with a copy: its entry, the entry's token and the copy. */
  readonly entry?: string | undefined;
  readonly token?: string | undefined;
  readonly copy?: string | null | undefined;
}

interface StoredMark {
  readonly source: string;
  readonly position: string | undefined;
}

export interface Storage {
  readonly rows: Readonly<Record<string, StoredRow>>;
  /** Tokens by key, `source/row`. */
  readonly entries: Readonly<Record<string, string>>;
  readonly marks: Readonly<Record<string, StoredMark>>;
  readonly delayed: readonly Sent[];
}

/** What is left out, to show that the exploration would notice. */
export type Breakage =
  'no version' | 'no mark' | 'no source fence' | 'no row fence' | 'no second read';

interface Sent {
  readonly request: Request | PropagationRequest<string>;
  readonly row: string;
  /** The value that a write of a source leaves; null for its deletion. */
  readonly value?: string | null | undefined;
  readonly marks?: readonly string[];
}

export type Job =
  /** Writes a source. */
  | {
      readonly kind: 'source';
      readonly id: string;
      readonly row: string;
      readonly value: string | null;
    }
  /** Writes a row with a copy of this source; deletes it if there is none. */
  | {
      readonly kind: 'copy';
      readonly id: string;
      readonly row: string;
      readonly source: string | undefined;
    }
  | { readonly kind: 'propagate'; readonly id: string; readonly row: string };

/** What a process does next; a propagation runs other processes for each of its rows. */
type Process =
  | {
      readonly kind: 'write';
      readonly job: SentJob;
      readonly state: WriteState;
      readonly request: Request;
    }
  | {
      readonly kind: 'repair';
      readonly job: SentJob;
      readonly state: RepairState;
      readonly request: Request;
    }
  | { readonly kind: 'ended'; readonly result: string };

interface SentJob {
  readonly id: string;
  readonly row: string;
  readonly value?: string | null | undefined;
  readonly source?: string | undefined;
  readonly refresh: boolean;
  readonly entry?: string | undefined;
}

type Running =
  | { readonly step: Process }
  | {
      readonly propagation: PropagationState;
      readonly request: PropagationRequest<string>;
      readonly inner: Process | undefined;
      readonly looks: number;
    }
  | { readonly ended: string };

interface World {
  readonly storage: Storage;
  readonly processes: readonly Running[];
  readonly faults: number;
}

const none: StoredRow = { exists: false, version: undefined };
const attempts = 2;
const maxLooks = 2;

function rowOf(storage: Storage, row: string): StoredRow {
  return storage.rows[row] ?? none;
}

function writeJob(job: SentJob, inEntries: boolean): WriteJob {
  const { id, row, source, refresh } = job;
  const sourcesOf = (seen: SeenRow): readonly string[] => {
    if (!refresh) return source === undefined ? [] : [source];
    return seen.entries.map(({ key }) => key.split('/')[0]);
  };
  const covered = (copied: Copied): string => (inEntries ? JSON.stringify(copied) : '');
  return {
    id,
    row,
    attempts,
    force: false,
    plan: (seen, copied) => {
      if (refresh && !seen.exists) return undefined;
      return sourcesOf(seen).map((each) => ({
        index: 0,
        key: `${each}/${row}`,
        unique: false,
        covered: covered(copied),
        time: 0,
      }));
    },
    copies: { sources: sourcesOf, inEntries, links: readsTwice ? [0] : [] },
  };
}

function sourceJob({ id, row }: SentJob): WriteJob {
  return { id, row, attempts, force: false, plan: () => [], marks: () => true };
}

function jobOf(job: SentJob, inEntries: boolean): WriteJob {
  return job.value === undefined ? writeJob(job, inEntries) : sourceJob(job);
}

const done: Answer = { kind: 'done', applied: true };
const refused: Answer = { kind: 'done', applied: false };

/** Storage after a request, and the answer. */
function apply(
  storage: Storage,
  { request, row, value, marks }: Sent,
  broken: Breakage | undefined,
): [Storage, Answer | PropagationAnswer<string>] {
  const { rows, entries } = storage;
  const put = (name: string, stored: StoredRow): Storage => ({
    ...storage,
    rows: { ...rows, [name]: stored },
  });
  switch (request.kind) {
    case 'readRow': {
      const { version, exists, entry, token, copy } = rowOf(storage, request.row);
      const covered = copy === undefined ? '' : coveredText(entry, copy);
      const seen = entry === undefined ? [] : [{ index: 0, key: entry, covered, token, time: 0 }];
      return [storage, { kind: 'row', row: { version, exists, entries: seen, rolled: [] } }];
    }
    case 'readEntry': {
      const token = entries[request.entry.key] as string | undefined;
      const [, holder] = request.entry.key.split('/');
      return [
        storage,
        { kind: 'entry', held: token === undefined ? undefined : { row: holder, token } },
      ];
    }
    case 'writeEntries': {
      const written = request.entries.map(({ key }) => [key, request.token]);
      return [{ ...storage, entries: { ...entries, ...Object.fromEntries(written) } }, done];
    }
    case 'readSources': {
      const copied = request.sources.map((source) => ({
        source,
        values: [rowOf(storage, source).value ?? null],
      }));
      return [storage, { kind: 'sources', copied }];
    }
    case 'mark': {
      if (broken === 'no mark') return [storage, done];
      const mark = { source: row, position: undefined };
      return [{ ...storage, marks: { ...storage.marks, [request.token]: mark } }, done];
    }
    case 'commit': {
      const stored = rowOf(storage, row);
      if (broken !== 'no version' && stored.version !== request.version) return [storage, refused];
      if (value !== undefined)
        return [
          put(row, { exists: value !== null, version: request.next, value: value ?? undefined }),
          done,
        ];
      const [link] = request.tokens as readonly ({ key: string; token: string } | undefined)[];
      if (link === undefined) return [put(row, { exists: false, version: request.next }), done];
      const [copied] = request.copied;
      const next = { entry: link.key, token: link.token, copy: copied.values[0] };
      return [put(row, { exists: true, version: request.next, ...next }), done];
    }
    case 'fence': {
      // Of a propagation, which names no row, or of a repair.
      const name = 'row' in request ? request.row : row;
      const next = 'next' in request ? request.next : `f${rowOf(storage, row).version ?? ''}`;
      const left = 'row' in request ? 'no row fence' : 'no source fence';
      const stored = rowOf(storage, name);
      if (broken === left) return [storage, done];
      if (stored.version !== request.version) return [storage, refused];
      return [put(name, { ...stored, version: next }), done];
    }
    case 'deleteEntry': {
      const { key } = request.entry;
      if (entries[key] !== request.token) return [storage, refused];
      const { [key]: _deleted, ...rest } = entries;
      return [{ ...storage, entries: rest }, done];
    }
    case 'readVersion':
      return [storage, { kind: 'version', version: rowOf(storage, row).version }];
    case 'readMarks': {
      const found = Object.entries(storage.marks)
        .filter(([, { source }]) => source === row)
        .map(([token, { position }]) => ({ token, position, done: 0 }));
      return [storage, { kind: 'marks', marks: found }];
    }
    case 'page': {
      const keys = Object.keys(entries).filter((key) => key.startsWith(`${row}/`));
      const [key] = keys
        .sort()
        .filter((each) => request.after === undefined || each > request.after);
      if ((key as string | undefined) === undefined)
        return [storage, { kind: 'page', entries: [], position: undefined }];
      return [storage, { kind: 'page', entries: [key], position: key }];
    }
    case 'advance': {
      const moved = request.tokens.filter((token) => Object.hasOwn(storage.marks, token));
      const changed = moved.map((token) => [token, { source: row, position: request.position }]);
      return [{ ...storage, marks: { ...storage.marks, ...Object.fromEntries(changed) } }, done];
    }
    case 'removeMarks': {
      const left = Object.entries(storage.marks).filter(
        ([token]) => !request.tokens.includes(token),
      );
      return [{ ...storage, marks: Object.fromEntries(left) }, done];
    }
    default:
      throw new Error(`${request.kind} of ${row} ${marks?.join() ?? ''}`);
  }
}

let coversCopies = false;
let readsTwice = true;

function coveredText(entry: string | undefined, copy: string | null): string {
  if (!coversCopies || entry === undefined) return '';
  return JSON.stringify([{ source: entry.split('/')[0], values: [copy] }]);
}

/** What is wrong in this state, whoever is on the way; undefined if nothing is. */
function violation({ rows, entries, marks }: Storage): string | undefined {
  for (const [row, { entry, copy }] of Object.entries(rows)) {
    if (entry === undefined) continue;
    if (!Object.hasOwn(entries, entry))
      return `row ${row} has ${entry}, and its entry is not there`;
    const [source] = entry.split('/');
    const value = (rows[source] as StoredRow | undefined)?.value ?? null;
    const isMarked = Object.values(marks).some((mark) => mark.source === source);
    if (copy !== value && !isMarked) return `row ${row} has ${copy}, not ${value}, and no mark`;
  }
  return undefined;
}

function processOf(
  kind: 'write' | 'repair',
  job: SentJob,
  step: Step<WriteState | RepairState, { readonly kind: string }>,
): Process {
  if (step.kind === 'end') return { kind: 'ended', result: step.result.kind };
  return { kind, job, state: step.state, request: step.request } as Process;
}

function started(job: SentJob): Process {
  return processOf('write', job, startWrite(jobOf(job, coversCopies)));
}

function proceed(process: Process, answer: Answer): Process {
  if (process.kind === 'write')
    return processOf(
      'write',
      process.job,
      continueWrite(jobOf(process.job, coversCopies), process.state, answer),
    );
  if (process.kind !== 'repair') return process;
  const { id, entry, row } = process.job;
  const repair = { id, row, entry: { index: 0, key: entry! } };
  return processOf('repair', process.job, continueRepair(repair, process.state, answer));
}

function start(job: Job): Running {
  if (job.kind !== 'propagate') {
    const { id, row } = job;
    const value = job.kind === 'source' ? job.value : undefined;
    const source = job.kind === 'copy' ? job.source : undefined;
    return { step: started({ id, row, value, source, refresh: false }) };
  }
  const first = startPropagation<string>();
  if (first.kind === 'end') return { ended: first.result };
  return { propagation: first.state, request: first.request, inner: undefined, looks: 0 };
}

/** The row of a page is refreshed; if it does not exist, its entry is repaired. */
function innerOf(
  id: string,
  request: PropagationRequest<string>,
  looks: number,
): Process | undefined {
  if (request.kind !== 'refresh') return undefined;
  const [entry] = request.entries;
  return started({ id: `${id}${looks}`, row: entry.split('/')[1], refresh: true, entry });
}

function advance(
  running: Extract<Running, { propagation: unknown }>,
  id: string,
  answer: PropagationAnswer<string>,
): Running {
  const step = continuePropagation(running.propagation, answer);
  if (step.kind === 'end') return { ended: step.result };
  const { state, request } = step;
  return { propagation: state, request, inner: innerOf(id, request, 0), looks: 0 };
}

/** After a request of the row that is being refreshed. */
function refreshed(
  running: Extract<Running, { propagation: unknown }>,
  id: string,
  inner: Process,
): Running {
  if (inner.kind !== 'ended') return { ...running, inner };
  const { result } = inner;
  if (result === 'written' || result === 'deleted')
    return advance(running, id, { kind: 'done', applied: true });
  const looks = running.looks + 1;
  if (result === 'unchanged') {
    const before = running.inner as Extract<Process, { kind: 'write' }>;
    const { entry, row } = before.job;
    const job: SentJob = { id: `${id}r${looks}`, row, refresh: false, entry };
    const repair = startRepair({ id: job.id, row, entry: { index: 0, key: entry! } });
    return { ...running, looks, inner: processOf('repair', job, repair) };
  }
  if (looks >= maxLooks || (result !== 'busy' && result !== 'kept')) return { ended: result };
  return { ...running, looks, inner: innerOf(id, running.request, looks) };
}

const failed: Answer = { kind: 'failed', mayBeApplied: false };
const unknown: Answer = { kind: 'failed', mayBeApplied: true };

function* successors(
  jobs: readonly Job[],
  world: World,
  broken: Breakage | undefined,
): Iterable<[World, string]> {
  const { storage, processes, faults } = world;
  for (const [i, each] of processes.entries()) {
    if ('ended' in each) continue;
    const inner = 'step' in each ? each.step : each.inner;
    if (inner?.kind === 'ended') continue;
    const { id } = jobs[i];
    const sent: Sent =
      inner === undefined
        ? { request: (each as { request: PropagationRequest<string> }).request, row: jobs[i].row }
        : { request: inner.request, row: inner.job.row, value: inner.job.value };
    const label = `${id} ${sent.request.kind}`;
    const after = (
      next: Storage,
      answer: Answer | PropagationAnswer<string>,
      left = faults,
    ): World => {
      let moved: Running;
      if ('step' in each) moved = { step: proceed(each.step, answer as Answer) };
      else if (inner !== undefined) moved = refreshed(each, id, proceed(inner, answer as Answer));
      else if ((answer as Answer).kind === 'failed') moved = { ended: 'failed' };
      else moved = advance(each, id, answer as PropagationAnswer<string>);
      return { storage: next, processes: processes.with(i, moved), faults: left };
    };
    const [changed, answer] = apply(storage, sent, broken);
    yield [after(changed, answer), label];
    if (faults === 0) continue;
    yield [after(storage, failed, faults - 1), `${label} fails`];
    if (sent.request.kind.startsWith('read') || sent.request.kind === 'page') continue;
    yield [after(changed, unknown, faults - 1), `${label} is lost after it`];
    const late = { ...storage, delayed: [...storage.delayed, sent] };
    yield [after(late, unknown, faults - 1), `${label} is delayed`];
    // The client of the storage repeated a write of a mark, and the first one arrives later.
    if (sent.request.kind !== 'mark' && sent.request.kind !== 'removeMarks') continue;
    const twice = { ...changed, delayed: [...changed.delayed, sent] };
    yield [after(twice, answer, faults - 1), `${label} twice`];
  }
  for (const [i, sent] of storage.delayed.entries()) {
    const [changed] = apply(storage, sent, broken);
    const delayed = storage.delayed.filter((_, at) => at !== i);
    yield [{ ...world, storage: { ...changed, delayed } }, `${sent.request.kind} arrives`];
  }
}

/** Throws an error with the steps that lead to a state that is wrong. Returns the states. */
export function exploreCopies(
  storage: Storage,
  jobs: readonly Job[],
  options: { readonly faults?: number; readonly broken?: Breakage; readonly covers?: boolean } = {},
): { readonly states: number; readonly ends: readonly Storage[] } {
  const { faults = 0, broken, covers = false } = options;
  coversCopies = covers;
  readsTwice = broken !== 'no second read';
  const world: World = { storage, processes: jobs.map(start), faults };
  const { states, ends } = exploreWorlds(world, {
    successors: (each) => successors(jobs, each, broken),
    problem: (each) => violation(each.storage),
  });
  return { states, ends: ends.map((each) => each.storage) };
}

/** Storage with sources and their values, and rows with copies of them. */
export function storageWith(
  values: Readonly<Record<string, string>>,
  copies: Readonly<Record<string, string>>,
): Storage {
  const rows: Record<string, StoredRow> = {};
  const entries: Record<string, string> = {};
  for (const [row, value] of Object.entries(values))
    rows[row] = { exists: true, version: `0.${row}`, value };
  for (const [row, source] of Object.entries(copies)) {
    const [entry, token] = [`${source}/${row}`, `0.${row}`];
    entries[entry] = token;
    rows[row] = { exists: true, version: token, entry, token, copy: values[source] };
  }
  return { rows, entries, marks: {}, delayed: [] };
}
