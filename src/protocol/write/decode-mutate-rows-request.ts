/**
 * MutateRowsRequest -> the rows to write (google/bigtable/v2/bigtable.proto). An entry that only
 * sets cells is read from the bytes where they lie: its keys, qualifiers and values are views of
 * the request, and no message stands in between. Everything else, and everything that is wrong,
 * goes through the declared messages, which say what it is.
 */
import { noBytes } from '../../bytes/index.js';
import { CellFault, cursor as wire, readEnd, readInt64, readTag, skip } from '../../cell/index.js';
import { RowsmithError } from '../../errors.js';
import type { Micros, Mutation, RowMutation } from '../../store/index.js';
import { MutateRowsRequest } from '../messages/data-messages.js';
import type { ContentOf } from '../messages/message-type.js';
import { decodeRowKey, decodeMutations } from './decode-mutations.js';

/** Rows to write, as a client asked. */
export interface MutateRows {
  readonly tableName?: string;
  readonly authorizedViewName?: string;
  /** Mutations of all entries together, also of those that are refused. */
  readonly mutations: number;
  /** Each entry in order: what it does to its row, or why it cannot be done. */
  readonly entries: readonly (RowMutation | RowsmithError)[];
}

type Content = ContentOf<typeof MutateRowsRequest>;
type Entry = NonNullable<Content['entries']>[number];

/** Tags of the fields that are read here: of the request, its entries, Mutation and SetCell. */
const tag = {
  entries: 0x12,
  entryKey: 0x0a,
  entryMutations: 0x12,
  setCell: 0x0a,
  family: 0x0a,
  qualifier: 0x12,
  timestamp: 0x18,
  value: 0x22,
} as const;

/**
 * Reads a whole request; INVALID_ARGUMENT when the bytes are not one. The rows are views of the
 * bytes.
 */
export function decodeMutateRowsRequest(bytes: Uint8Array): MutateRows {
  try {
    return new Reader(bytes).read();
  } catch (fault) {
    if (!(fault instanceof CellFault) && !(fault instanceof RowsmithError)) throw fault;
    // Only the whole message knows where in it the fault is.
    return readDeclared(MutateRowsRequest.decode(bytes));
  }
}

function readDeclared({ entries = [], ...target }: Content): MutateRows {
  return {
    ...target,
    mutations: entries.reduce((sum, { mutations = [] }) => sum + mutations.length, 0),
    entries: entries.map(rowOf),
  };
}

function rowOf({ rowKey, mutations }: Entry): RowMutation | RowsmithError {
  try {
    return { key: decodeRowKey(rowKey), mutations: decodeMutations(mutations) };
  } catch (error) {
    if (error instanceof RowsmithError) return error;
    throw error;
  }
}

class Reader {
  readonly #entries: (RowMutation | RowsmithError)[] = [];
  #mutations = 0;
  /** The family of the cell before: most often the next one's. */
  #family = '';
  #familyStart = 0;
  #familyEnd = 0;

  readonly #bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  read(): MutateRows {
    const bytes = this.#bytes;
    // Fields of the request that are not entries, as they stand: a message of their own.
    const rest: Uint8Array[] = [];
    for (let at = 0; at < bytes.length;) {
      const start = at;
      const field = readTag(bytes, at, bytes.length);
      if (field === tag.entries) {
        const end = readEnd(bytes, wire.at, bytes.length);
        this.#entries.push(this.#entry(wire.at, end) ?? this.#declared(start, end));
        at = end;
      } else {
        at = skip(bytes, wire.at, bytes.length, field, 1);
        rest.push(bytes.subarray(start, at));
      }
    }
    const entries = this.#entries;
    const mutations = this.#mutations;
    const { tableName, authorizedViewName } = MutateRowsRequest.decode(
      rest.length === 1 ? rest[0] : Buffer.concat(rest),
    );
    return { tableName, authorizedViewName, mutations, entries };
  }

  /** The entry in `[at, end)` when it has a key and sets cells, and nothing else. */
  #entry(at: number, end: number): RowMutation | undefined {
    const bytes = this.#bytes;
    if (at >= end || bytes[at] !== tag.entryKey) return undefined;
    at = readEnd(bytes, at + 1, end);
    if (wire.at === at) return undefined;
    const key = bytes.subarray(wire.at, at);
    const mutations: Mutation[] = [];
    while (at < end) {
      if (bytes[at] !== tag.entryMutations) return undefined;
      const stop = readEnd(bytes, at + 1, end);
      at = wire.at;
      if (at >= stop || bytes[at] !== tag.setCell || readEnd(bytes, at + 1, stop) !== stop)
        return undefined;
      const cell = this.#setCell(wire.at, stop);
      if (cell === undefined) return undefined;
      mutations.push(cell);
      at = stop;
    }
    this.#mutations += mutations.length;
    return { key, mutations };
  }

  /** A SetCell of known fields. */
  #setCell(at: number, end: number): Mutation | undefined {
    const bytes = this.#bytes;
    let family = '';
    let qualifier = noBytes;
    let timestamp: Micros = 0;
    let value = noBytes;
    while (at < end) {
      const field = bytes[at];
      if (field === tag.timestamp) {
        timestamp = this.#micros(at + 1, end);
        at = wire.at;
        continue;
      }
      if (field !== tag.family && field !== tag.qualifier && field !== tag.value) return undefined;
      at = readEnd(bytes, at + 1, end);
      if (field === tag.qualifier) qualifier = bytes.subarray(wire.at, at);
      else if (field === tag.value) value = bytes.subarray(wire.at, at);
      else if (this.#isName(wire.at, at)) family = this.#family;
      else return undefined;
    }
    return { kind: 'setCell', family, qualifier, timestamp, value };
  }

  /**
   * Takes the name in `[start, end)` for `family`; false for one that is not ASCII, as the names of
   * families are.
   */
  #isName(start: number, end: number): boolean {
    const bytes = this.#bytes;
    const familyStart = this.#familyStart;
    let same = end - start === this.#familyEnd - familyStart;
    for (let i = 0; same && i < end - start; i++)
      same = bytes[start + i] === bytes[familyStart + i];
    if (same) return true;
    for (let i = start; i < end; i++) if (bytes[i] >= 0x80) return false;
    this.#familyStart = start;
    this.#familyEnd = end;
    this.#family = Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString(
      'latin1',
    );
    return true;
  }

  /** The varint at `start` as int64: a number where it is exact. */
  #micros(start: number, end: number): Micros {
    const bytes = this.#bytes;
    let value = 0;
    let scale = 1;
    // Seven bytes are 49 bits; of the eighth four more are exact.
    for (let at = start; at < end && at < start + 8; scale *= 128) {
      const byte = bytes[at++];
      if (byte < (scale < 2 ** 49 ? 0x80 : 0x10)) {
        wire.at = at;
        return value + byte * scale;
      }
      value += (byte & 0x7f) * scale;
    }
    return readInt64(bytes, start, end);
  }

  /**
   * The entry whose field is `[start, end)`, through its message: a request with nothing but it.
   */
  #declared(start: number, end: number): RowMutation | RowsmithError {
    const { entries, mutations } = readDeclared(
      MutateRowsRequest.decode(this.#bytes.subarray(start, end)),
    );
    this.#mutations += mutations;
    return entries[0];
  }
}
