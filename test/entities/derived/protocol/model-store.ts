/**
 * Storage as the index protocol sees it: rows and entries, each read and written atomically, in
 * plain data. A broken one leaves out a condition, to show that the exploration would notice.
 */
import type {
  Answer,
  EntryName,
  EntryTokens,
  PlannedEntry,
  Request,
  SeenRow,
} from '../../../../src/entities/derived/protocol/step.js';

/** The entries that a row should have, by index. */
export type Values = readonly PlannedEntry[];

interface StoredRow {
  readonly values: Values | undefined;
  readonly version: string | undefined;
  readonly tokens: EntryTokens;
}

interface StoredEntry {
  readonly row: string;
  readonly token: string;
  readonly covered: string;
  /** The latest time that a write gave it: when it expires. */
  readonly time: number;
}

/** A request with what the machine does not say: its row, and what a commit writes. */
export interface SentRequest {
  readonly request: Request;
  readonly row: string;
  readonly values: Values | undefined;
}

export interface Storage {
  readonly rows: Readonly<Record<string, StoredRow>>;
  readonly entries: Readonly<Record<string, StoredEntry>>;
  /** Versions of all commits that were made. */
  readonly committed: readonly string[];
  /** Requests that are still on their way, though their senders were told that they failed. */
  readonly delayed: readonly SentRequest[];
}

/**
 * What storage leaves out; `repeats` is a client that sends the same entries twice, and `shortens`
 * a write of an entry that forgets the time of another one.
 */
export type Breakage = 'no fence' | 'no version' | 'no token' | 'repeats' | 'shortens' | undefined;

const absent: StoredRow = { values: undefined, version: undefined, tokens: [] };

export function entryId({ index, key }: EntryName): string {
  return `${index}:${key}`;
}

export function emptyStorage(): Storage {
  return { rows: {}, entries: {}, committed: [], delayed: [] };
}

/** Storage in which a row has values and their entries. */
export function withRow(storage: Storage, row: string, values: Values): Storage {
  const token = `0.${row}`;
  const entries = { ...storage.entries };
  for (const value of values) {
    const { covered, time } = value;
    entries[entryId(value)] = { row, token, covered, time };
  }
  const tokens = values.map(({ index, key, time }) => ({ index, key, token, time }));
  const stored = { values, version: token, tokens };
  return { ...storage, rows: { ...storage.rows, [row]: stored }, entries };
}

export function seenRow({ rows }: Storage, row: string): SeenRow {
  const { values, version, tokens } = rows[row] ?? absent;
  const entries = (values ?? []).map(({ index, key, covered }) => {
    const stored = tokens.find((each) => each.index === index && each.key === key);
    return { index, key, covered, token: stored?.token, time: stored?.time ?? 0 };
  });
  return { version, exists: values !== undefined, entries, rolled: [] };
}

const applied: Answer = { kind: 'done', applied: true };
const refused: Answer = { kind: 'done', applied: false };

/** An entry that is written: with the latest time, unless it was another row's. */
function withTime(
  written: StoredEntry,
  name: PlannedEntry,
  { entries }: Storage,
  broken: Breakage,
): StoredEntry {
  const before = entries[entryId(name)] as StoredEntry | undefined;
  if (before?.row !== written.row || broken === 'shortens') return written;
  return { ...written, time: Math.max(before.time, written.time) };
}

/** Storage after a request, and the answer. */
export function apply(
  storage: Storage,
  { request, row, values }: SentRequest,
  broken: Breakage,
): [Storage, Answer] {
  const { rows, entries } = storage;
  switch (request.kind) {
    case 'readRow':
      return [storage, { kind: 'row', row: seenRow(storage, request.row) }];
    case 'readSources':
      return [storage, { kind: 'sources', copied: [] }];
    case 'mark':
      return [storage, applied];
    case 'markBuckets':
    case 'settle':
    case 'unmark':
    case 'readBucket':
    case 'startBuild':
    case 'scanBucket':
    case 'finishBuild':
      throw new Error(`an index has no buckets to ${request.kind}`);
    case 'readEntry': {
      const held = entries[entryId(request.entry)] as StoredEntry | undefined;
      return [storage, { kind: 'entry', held: held && { row: held.row, token: held.token } }];
    }
    case 'writeEntries': {
      const { token } = request;
      const written = request.entries.map((each) => [
        entryId(each),
        withTime({ row, token, covered: each.covered, time: each.time }, each, storage, broken),
      ]);
      return [{ ...storage, entries: { ...entries, ...Object.fromEntries(written) } }, applied];
    }
    case 'reserve':
    case 'replace': {
      const held = entries[entryId(request.entry)] as StoredEntry | undefined;
      const isFree =
        request.kind === 'reserve'
          ? held === undefined || held.row === row
          : held?.row === request.held.row && held.token === request.held.token;
      if (!isFree) return [storage, refused];
      const { token, entry } = request;
      const { covered, time } = entry;
      const mine = withTime({ row, token, covered, time }, entry, storage, broken);
      return [{ ...storage, entries: { ...entries, [entryId(entry)]: mine } }, applied];
    }
    case 'fence': {
      const stored = rows[request.row] ?? absent;
      if (broken === 'no fence') return [storage, applied];
      if (stored.version !== request.version) return [storage, refused];
      const fenced = { ...stored, version: request.next };
      return [{ ...storage, rows: { ...rows, [request.row]: fenced } }, applied];
    }
    case 'commit': {
      const stored = rows[row] ?? absent;
      if (broken !== 'no version' && stored.version !== request.version) return [storage, refused];
      const next = { values, version: request.next, tokens: request.tokens };
      const committed = [...storage.committed, request.next].sort();
      return [{ ...storage, rows: { ...rows, [row]: next }, committed }, applied];
    }
    case 'deleteEntry': {
      const id = entryId(request.entry);
      const held = entries[id] as StoredEntry | undefined;
      if (held === undefined) return [storage, refused];
      if (broken !== 'no token' && held.token !== request.token) return [storage, refused];
      const { [id]: _deleted, ...rest } = entries;
      return [{ ...storage, entries: rest }, applied];
    }
  }
}

/** What is wrong in this state, whoever is on the way; undefined if nothing is. */
export function violation({ rows, entries }: Storage): string | undefined {
  const holders = new Map<string, string>();
  for (const [row, { values, tokens }] of Object.entries(rows)) {
    for (const value of values ?? []) {
      const id = entryId(value);
      if (entries[id]?.row !== row) return `row ${row} has ${id}, and its entry is not there`;
      if (entries[id].time < value.time) return `${id} expires before row ${row}`;
      if (value.unique && holders.has(id)) return `rows ${row} and ${holders.get(id)} have ${id}`;
      holders.set(id, row);
    }
    for (const each of tokens) {
      const entry = entries[entryId(each)] as StoredEntry | undefined;
      if (entry !== undefined && entry.time < each.time) return `row ${row} has a later time`;
    }
  }
  return undefined;
}
