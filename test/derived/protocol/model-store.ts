/**
 * Storage as the index protocol sees it: rows and entries, each read and written atomically, in
 * plain data. A broken one leaves out a condition, to show that the exploration would notice.
 */
import type {
  Answer,
  EntryName,
  PlannedEntry,
  Request,
  SeenRow,
} from '../../../src/derived/protocol/step.js';

/** The entries that a row should have, by index. */
export type Values = readonly PlannedEntry[];

interface StoredRow {
  readonly values: Values | undefined;
  readonly version: string | undefined;
  readonly tokens: readonly (EntryName & { readonly token: string })[];
}

interface StoredEntry {
  readonly row: string;
  readonly token: string;
  readonly covered: string;
}

/** A request with what the machine does not say: whose it is, and what a commit writes. */
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
  /** Requests whose senders were answered that they failed, and that are still on their way. */
  readonly delayed: readonly SentRequest[];
}

/** What storage leaves out; `repeats` is a client that sends the same entries twice. */
export type Breakage = 'no fence' | 'no version' | 'no token' | 'repeats' | undefined;

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
  for (const value of values) entries[entryId(value)] = { row, token, covered: value.covered };
  const tokens = values.map(({ index, key }) => ({ index, key, token }));
  const stored = { values, version: token, tokens };
  return { ...storage, rows: { ...storage.rows, [row]: stored }, entries };
}

export function seenRow({ rows }: Storage, row: string): SeenRow {
  const { values, version, tokens } = rows[row] ?? absent;
  const entries = (values ?? []).map(({ index, key, covered }) => {
    const token = tokens.find((each) => each.index === index && each.key === key)?.token;
    return { index, key, covered, token };
  });
  return { version, exists: values !== undefined, entries, rolled: [] };
}

const applied: Answer = { kind: 'done', applied: true };
const refused: Answer = { kind: 'done', applied: false };

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
        { row, token, covered: each.covered },
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
      const mine = { row, token, covered: entry.covered };
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
  for (const [row, { values }] of Object.entries(rows)) {
    for (const value of values ?? []) {
      const id = entryId(value);
      if (entries[id]?.row !== row) return `row ${row} has ${id}, and its entry is not there`;
      if (value.unique && holders.has(id)) return `rows ${row} and ${holders.get(id)} have ${id}`;
      holders.set(id, row);
    }
  }
  return undefined;
}
