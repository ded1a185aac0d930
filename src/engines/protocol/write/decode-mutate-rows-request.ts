/**
 * MutateRowsRequest -> the rows to write (google/bigtable/v2/bigtable.proto). Entries that contain
 * only SetCell mutations are decoded directly, to offsets in the request's bytes. All other
 * entries, and malformed ones, are decoded through the declared messages, which give exact errors.
 */
import { maxMutations, RowsmithError } from '../../../base/index.js';
import {
  CodecError,
  cursor as wire,
  readEnd,
  readInt64,
  readTag,
  skip,
} from '../../../data/cell/index.js';
import {
  PackedCells,
  PackedRow,
  type Micros,
  type RowMutation,
} from '../../../data/store/index.js';
import { MutateRowsRequest, timestampOrigin } from '../messages/data-messages.js';
import type { ContentOf } from '../../../data/cell/index.js';
import {
  checkRequestSize,
  maxElements,
  maxRequestFields,
  tooMany,
} from '../messages/request-size.js';
import { withToken } from './decode-idempotency.js';
import { decodeRowKey, decodeMutations } from './decode-mutations.js';

/** The contents of a MutateRowsRequest. */
export interface MutateRows {
  readonly tableName?: string;
  readonly appProfileId?: string;
  readonly authorizedViewName?: string;
  /** Number of mutations in all entries, including rejected ones. */
  readonly mutations: number;
  /** The entries in order: the row to write, or the error of the entry. */
  readonly entries: readonly (RowMutation | RowsmithError)[];
}

type Content = ContentOf<typeof MutateRowsRequest>;
type Entry = NonNullable<Content['entries']>[number];

/** Tags of the request, its entries, Mutation and SetCell. */
const tag = {
  entries: 0x12,
  entryKey: 0x0a,
  entryMutations: 0x12,
  setCell: 0x0a,
  family: 0x0a,
  qualifier: 0x12,
  timestamp: 0x18,
  value: 0x22,
  timestampOrigin: 0x38,
} as const;

/** Entries that are decoded without yielding: less than 10 ms of work. */
const entriesPerStep = 1000;

/** Decodes a request; INVALID_ARGUMENT if it is malformed. The rows are views of `bytes`. */
export function decodeMutateRowsRequest(bytes: Uint8Array): MutateRows {
  const steps = decodeMutateRowsSteps(bytes);
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  return step.value;
}

/** Decodes a request, and yields after every `entriesPerStep` entries. */
export function* decodeMutateRowsSteps(bytes: Uint8Array): Generator<void, MutateRows, void> {
  try {
    return yield* new Reader(bytes).read();
  } catch (error) {
    if (!(error instanceof CodecError) && !(error instanceof RowsmithError)) throw error;
    if (error instanceof RowsmithError && error.code === 'LIMIT_EXCEEDED') throw error;
    checkRequestSize(MutateRowsRequest.shape, bytes);
    // Decoding the whole message again gives the full path of the error.
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

function rowOf({ rowKey, mutations, idempotency }: Entry): RowMutation | RowsmithError {
  try {
    const row = { key: decodeRowKey(rowKey), mutations: decodeMutations(mutations) };
    return withToken(row, idempotency);
  } catch (error) {
    if (error instanceof RowsmithError) return error;
    throw error;
  }
}

class Reader {
  readonly #entries: (RowMutation | RowsmithError)[] = [];
  readonly #cells: PackedCells;
  #mutations = 0;
  /** Indexes in the families of the cells. */
  readonly #families = new Map<string, number>();
  /** Index and bytes of the previous cell's family, which the next cell usually has too. */
  #family = -1;
  #familyStart = 0;
  #familyEnd = 0;

  readonly #bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    // Not a Buffer: its views are slower to create.
    this.#bytes = new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length);
    this.#cells = new PackedCells(this.#bytes, Math.min(maxMutations, bytes.length >>> 7));
  }

  *read(): Generator<void, MutateRows, void> {
    const bytes = this.#bytes;
    const entries = this.#entries;
    // The fields other than entries, still encoded; together they are a valid message.
    const rest: Uint8Array[] = [];
    for (let at = 0; at < bytes.length;) {
      const start = at;
      const field = readTag(bytes, at, bytes.length);
      if (entries.length + rest.length === maxRequestFields)
        throw tooMany('', 'fields', maxRequestFields);
      if (field === tag.entries) {
        if (entries.length === maxElements) throw tooMany('entries', 'entries', maxElements);
        const end = readEnd(bytes, wire.at, bytes.length);
        entries.push(this.#entry(wire.at, end) ?? this.#declared(start, end));
        at = end;
        if (entries.length % entriesPerStep === 0) yield;
      } else {
        at = skip(bytes, wire.at, bytes.length, field, 1);
        rest.push(bytes.subarray(start, at));
      }
    }
    const mutations = this.#mutations;
    const target = MutateRowsRequest.decode(Buffer.concat(rest));
    const { tableName, appProfileId, authorizedViewName } = target;
    return { tableName, appProfileId, authorizedViewName, mutations, entries };
  }

  /** The entry at `[at, end)` if it has a key and SetCell mutations only; else undefined. */
  #entry(at: number, end: number): PackedRow | undefined {
    const bytes = this.#bytes;
    if (at >= end || bytes[at] !== tag.entryKey) return undefined;
    const keyEnd = readEnd(bytes, at + 1, end);
    const keyStart = wire.at;
    if (keyStart === keyEnd) return undefined;
    const cells = this.#cells;
    const first = cells.count;
    for (at = keyEnd; at < end;) {
      if (bytes[at] !== tag.entryMutations) return this.#giveUp(first);
      const stop = readEnd(bytes, at + 1, end);
      if (!this.#mutation(wire.at, stop)) return this.#giveUp(first);
      if (cells.count - first > maxMutations) throw tooMany('entries', 'mutations', maxMutations);
      at = stop;
    }
    this.#mutations += cells.count - first;
    if (this.#mutations > maxMutations) throw tooMany('entries', 'mutations', maxMutations);
    return new PackedRow(cells, keyStart, keyEnd, first, cells.count);
  }

  /** Removes the cells from `first` on, of an entry that must be decoded as declared. */
  #giveUp(first: number): undefined {
    this.#cells.count = first;
    return undefined;
  }

  /** Adds the cell of the mutation at `[at, end)`; false if it must be decoded as declared. */
  #mutation(at: number, end: number): boolean {
    const bytes = this.#bytes;
    if (at >= end || bytes[at] !== tag.setCell) return false;
    const cellEnd = readEnd(bytes, at + 1, end);
    at = wire.at;
    if (cellEnd === end) return this.#setCell(at, cellEnd, false);
    return this.#isTruncation(cellEnd, end) && this.#setCell(at, cellEnd, true);
  }

  /** Whether `[at, end)` is a timestamp_origin of CLIENT_AUTO_GENERATED and nothing else. */
  #isTruncation(at: number, end: number): boolean {
    const bytes = this.#bytes;
    return (
      end - at === 2 &&
      bytes[at] === tag.timestampOrigin &&
      bytes[at + 1] === timestampOrigin.clientAutoGenerated
    );
  }

  /**
   * Adds the SetCell at `[at, end)`; false if it has unknown fields, a family that is absent or not
   * ASCII, as names of families are, or a timestamp that is not a safe integer.
   */
  #setCell(at: number, end: number, truncate: boolean): boolean {
    const bytes = this.#bytes;
    let family = -1;
    let qualifierStart = 0;
    let qualifierEnd = 0;
    let timestamp = 0;
    let valueStart = 0;
    let valueEnd = 0;
    while (at < end) {
      const field = bytes[at];
      if (field === tag.timestamp) {
        timestamp = Number(this.#micros(at + 1, end));
        at = wire.at;
        continue;
      }
      if (field !== tag.family && field !== tag.qualifier && field !== tag.value) return false;
      at = readEnd(bytes, at + 1, end);
      if (field === tag.family) {
        family = this.#familyAt(wire.at, at);
        // Also where another one follows: text that is not UTF-8 is an error wherever it is.
        if (family < 0) return false;
      } else if (field === tag.qualifier) {
        qualifierStart = wire.at;
        qualifierEnd = at;
      } else {
        valueStart = wire.at;
        valueEnd = at;
      }
    }
    if (family < 0 || !Number.isSafeInteger(timestamp)) return false;
    this.#cells.add(
      family,
      qualifierStart,
      qualifierEnd,
      valueStart,
      valueEnd,
      timestamp,
      truncate,
    );
    return true;
  }

  /** Index of the family with its name at `[start, end)`; -1 if the name is not ASCII. */
  #familyAt(start: number, end: number): number {
    const bytes = this.#bytes;
    const familyStart = this.#familyStart;
    let same = this.#family >= 0 && end - start === this.#familyEnd - familyStart;
    for (let i = 0; same && i < end - start; i++)
      same = bytes[start + i] === bytes[familyStart + i];
    if (same) return this.#family;
    for (let i = start; i < end; i++) if (bytes[i] >= 0x80) return -1;
    const { buffer, byteOffset } = bytes;
    const name = Buffer.from(buffer, byteOffset + start, end - start).toString('latin1');
    let index = this.#families.get(name);
    if (index === undefined) {
      index = this.#cells.families.push(name) - 1;
      this.#families.set(name, index);
    }
    this.#familyStart = start;
    this.#familyEnd = end;
    return (this.#family = index);
  }

  /** The varint at `start` as int64: a number if it is a safe integer, else a bigint. */
  #micros(start: number, end: number): Micros {
    const bytes = this.#bytes;
    let value = 0;
    let scale = 1;
    // Seven bytes hold 49 bits; four more bits of the eighth stay below 2^53.
    for (let at = start; at < end && at < start + 8; scale *= 128) {
      const byte = bytes[at++];
      if (byte < 0x10 || (byte < 0x80 && scale < 2 ** 49)) {
        wire.at = at;
        return value + byte * scale;
      }
      value += (byte & 0x7f) * scale;
    }
    return readInt64(bytes, start, end);
  }

  /** Decodes the entry in the field `[start, end)` as a request with this entry only. */
  #declared(start: number, end: number): RowMutation | RowsmithError {
    const bytes = this.#bytes.subarray(start, end);
    checkRequestSize(MutateRowsRequest.shape, bytes);
    const { entries, mutations } = readDeclared(MutateRowsRequest.decode(bytes));
    this.#mutations += mutations;
    if (this.#mutations > maxMutations) throw tooMany('entries', 'mutations', maxMutations);
    return entries[0];
  }
}
