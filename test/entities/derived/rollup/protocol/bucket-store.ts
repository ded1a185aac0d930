/**
 * Storage as the rollup protocol sees it: the rows and entries of the index protocol's model, what
 * each row adds to the bucket of each rollup, and the buckets. A broken one leaves out a condition,
 * to show that the exploration would notice.
 */
import type {
  Answer,
  MarkName,
  PlannedMark,
  Request,
  RollupToken,
  SeenBucket,
  SeenMark,
  SeenRow,
} from '../../../../../src/entities/derived/protocol/step.js';
import {
  apply as applyToRows,
  type SentRequest,
  seenRow,
  type Storage as RowStorage,
} from '../../protocol/model-store.js';
import { type Breakage, rowBreakage } from './breakage.js';
import {
  type Change,
  type Correction,
  corrected,
  type Totals,
  totalsAfter,
  type Value,
} from './totals.js';

/** What a row adds to each rollup, and what it says of its last writes. */
export interface Contribution {
  readonly adds: readonly Value[];
  readonly rolled: readonly (RollupToken | undefined)[];
}

/** What a read of a row shows. */
export interface RolledRow extends SeenRow {
  readonly adds: readonly Value[];
}

/** What a scan shows of a row. */
export interface NamedRow extends RolledRow {
  readonly name: string;
}

export interface StoredMark extends SeenMark {
  readonly change: Change;
  /** Whether storage may have forgotten whether its write was made. */
  readonly old: boolean;
}

export interface StoredBucket extends SeenBucket, Totals {
  readonly marks: readonly StoredMark[];
  readonly log: readonly StoredMark[];
  /** Only known to the test: the totals do not match the rows until a build has ended. */
  readonly doubt: boolean;
}

/** One request to one row, and what its sender knows besides. */
export interface Part extends SentRequest {
  /** What a commit leaves of each value; undefined leaves it as it is. */
  readonly to?: readonly (Value | undefined)[] | undefined;
  /** What the settler read of the bucket before. */
  readonly decided?: Decision | undefined;
}

export interface Decision {
  readonly isStale: boolean;
  readonly isBuilt: boolean;
}

export interface Storage extends RowStorage {
  readonly contributions: Readonly<Record<string, Contribution>>;
  /** By position of the rollup: all rows of the test are in one bucket. */
  readonly buckets: readonly StoredBucket[];
  readonly delayed: readonly Part[];
  /** Whether cells were collected, and for broken storage what marks said that are gone. */
  readonly past: { readonly collected: boolean; readonly changes?: readonly StoredMark[] };
}

export function rolledRow(storage: Storage, row: string): NamedRow {
  const { adds, rolled } = contributionOf(storage, row);
  return { ...seenRow(storage, row), name: row, adds, rolled };
}

export function contributionOf({ contributions, buckets }: Storage, row: string): Contribution {
  const none = { adds: buckets.map(() => null), rolled: buckets.map(() => undefined) };
  return contributions[row] ?? none;
}

/** Whether the write of a mark was made, whatever storage still says. */
export function isMade({ committed }: RowStorage, token: string): boolean {
  return token.startsWith('0.') || committed.includes(token);
}

const done: Answer = { kind: 'done', applied: true };
const refused: Answer = { kind: 'done', applied: false };

/** Storage after one part of a request, and the answer. */
export function applyPart(
  storage: Storage,
  part: Part,
  broken: Breakage | undefined,
): [Storage, Answer] {
  const { request } = part;
  switch (request.kind) {
    case 'readRow':
      return [storage, { kind: 'row', row: rolledRow(storage, request.row) }];
    case 'readBucket':
      return [storage, { kind: 'bucket', bucket: storage.buckets[request.rollup] }];
    case 'markBuckets':
      return placeMark(storage, request.marks[0], part.row, broken);
    case 'settle':
      return [settleMark(storage, request.marks[0], part.decided, broken), done];
    case 'unmark':
      return [removeMark(storage, request.marks[0]), done];
    case 'startBuild': {
      const { rollup, build } = request;
      return [withBucket(storage, rollup, { ...storage.buckets[rollup], build }), done];
    }
    case 'finishBuild':
      return finishBuild(storage, request, broken);
    default:
      return applyToRow(storage, part, broken);
  }
}

function withBucket(storage: Storage, rollup: number, bucket: StoredBucket): Storage {
  return { ...storage, buckets: storage.buckets.with(rollup, bucket) };
}

function byToken(a: SeenMark, b: SeenMark): number {
  return a.token < b.token ? -1 : 1;
}

function placeMark(
  storage: Storage,
  mark: PlannedMark,
  row: string,
  broken: Breakage | undefined,
): [Storage, Answer] {
  const { rollup, token, order, before } = mark;
  const { change } = mark as PlannedMark & { readonly change: Change };
  const bucket = storage.buckets[rollup];
  const isBlocked = before !== undefined && bucket.marks.some((each) => each.token === before);
  if (isBlocked && broken !== 'no help') return [storage, { kind: 'marked', blocked: [mark] }];
  const stored = { token, order, row, change, old: false };
  const free: Answer = { kind: 'marked', blocked: [] };
  const known = forgets(broken)
    ? { ...storage, past: { ...storage.past, changes: [...(storage.past.changes ?? []), stored] } }
    : storage;
  if (broken === 'commit first') return [known, free];
  const others = bucket.marks.filter((each) => each.token !== token);
  const marks = [...others, stored].sort(byToken);
  return [withBucket(known, rollup, { ...bucket, marks }), free];
}

/** Whether broken storage adds what no mark says any more. */
function forgets(broken: Breakage | undefined): boolean {
  return broken === 'commit first' || broken === 'settle without the mark';
}

function settleMark(
  storage: Storage,
  { rollup, token }: MarkName,
  decided: Decision | undefined,
  broken: Breakage | undefined,
): Storage {
  const bucket = storage.buckets[rollup];
  const found = bucket.marks.find((each) => each.token === token);
  const mark = found ?? storage.past.changes?.find((each) => each.token === token);
  if (mark === undefined) return storage;
  const isStale = bucket.isOrdered && (decided?.isStale ?? true);
  const isLogged = broken === 'log as read' ? decided?.isBuilt : bucket.build !== undefined;
  const marks = bucket.marks.filter((each) => each.token !== token);
  const log = [...bucket.log.filter((each) => each.token !== token), mark].sort(byToken);
  return withBucket(storage, rollup, {
    ...bucket,
    ...totalsAfter(bucket, mark.change, isStale),
    marks: broken === 'keep the mark' ? bucket.marks : marks,
    log: isLogged === true && broken !== 'no log' ? log : bucket.log,
    revision: token,
  });
}

function removeMark(storage: Storage, { rollup, token }: MarkName): Storage {
  const bucket = storage.buckets[rollup];
  const removed = bucket.marks.find((each) => each.token === token);
  if (removed === undefined) return storage;
  const marks = bucket.marks.filter((each) => each !== removed);
  // A build that removes an old mark sets the totals anew, and until it has ended one is running.
  const isLost = isMade(storage, token) && removed.old && bucket.build !== undefined;
  return withBucket(storage, rollup, { ...bucket, marks, doubt: bucket.doubt || isLost });
}

function finishBuild(
  storage: Storage,
  request: Extract<Request, { kind: 'finishBuild' }>,
  broken: Breakage | undefined,
): [Storage, Answer] {
  const { rollup, build, since, correction } = request;
  const bucket = storage.buckets[rollup];
  const isOurs = bucket.build === build || broken === 'finish without the build';
  if (!isOurs || (since !== undefined && since.revision !== bucket.revision))
    return [storage, refused];
  const next = { ...bucket, ...corrected(bucket, correction as Correction) };
  const ended = { ...next, log: [], build: undefined, doubt: false };
  return [withBucket(storage, rollup, ended), done];
}

/** Requests that the model of indexes answers, too. */
function applyToRow(storage: Storage, part: Part, broken: Breakage | undefined): [Storage, Answer] {
  const { request, row, to } = part;
  const [rows, answer] = applyToRows(storage, part, rowBreakage(broken));
  const changed = { ...storage, ...rows, delayed: storage.delayed };
  if (answer.kind !== 'done' || !answer.applied) return [changed, answer];
  if (request.kind === 'commit') {
    const before = contributionOf(storage, row);
    const rolled = [...before.rolled];
    for (const { rollup, token, order } of request.rolled) rolled[rollup] = { token, order };
    const adds = before.adds.map((value, i) => (to?.[i] === undefined ? value : to[i]));
    return [withContribution(changed, row, { adds, rolled }), answer];
  }
  if (request.kind === 'fence' && broken === 'fence replaces the token') {
    const { adds, rolled } = contributionOf(storage, request.row);
    const replaced = rolled.map((each) => each && { ...each, token: request.next });
    return [withContribution(changed, request.row, { adds, rolled: replaced }), answer];
  }
  return [changed, answer];
}

function withContribution(storage: Storage, row: string, added: Contribution): Storage {
  return { ...storage, contributions: { ...storage.contributions, [row]: added } };
}
