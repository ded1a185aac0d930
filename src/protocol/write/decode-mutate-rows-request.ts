/**
 * MutateRowsRequest -> the rows to write (google/bigtable/v2/bigtable.proto). Entries that contain
 * only SetCell mutations are decoded directly: their keys, qualifiers and values are views of the
 * request's bytes. All other entries, and malformed ones, are decoded through the declared
 * messages, which give exact errors.
 */
import { maxMutations } from '../../base/index.js';
import { noBytes } from '../../bytes/index.js';
import { CodecError, cursor as wire, readEnd, readInt64, readTag, skip } from '../../cell/index.js';
import { RowsmithError } from '../../errors.js';
import type { Micros, Mutation, RowMutation } from '../../store/index.js';
import { MutateRowsRequest, timestampOrigin } from '../messages/data-messages.js';
import { encoded, list, messageType, type ContentOf } from '../../cell/index.js';
import { checkRequestSize, tooMany } from '../messages/request-size.js';
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

/**
 * The request without the fields of its entries, to count the entries first. Their mutations are
 * counted as they are decoded.
 */
const entriesOnly = messageType('MutateRowsRequest', {
  entries: list(encoded(tag.entries >> 3)),
}).shape;

/** Decodes a request; INVALID_ARGUMENT if it is malformed. The rows are views of `bytes`. */
export function decodeMutateRowsRequest(bytes: Uint8Array): MutateRows {
  const steps = decodeMutateRowsSteps(bytes);
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  return step.value;
}

/** Decodes a request, and yields after every `entriesPerStep` entries. */
export function* decodeMutateRowsSteps(bytes: Uint8Array): Generator<void, MutateRows, void> {
  checkRequestSize(entriesOnly, bytes);
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
  #mutations = 0;
  /** The family of the previous cell, which is usually that of the next one. */
  #family = '';
  #familyStart = 0;
  #familyEnd = 0;

  readonly #bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    // Not a Buffer, whose views are slower to create.
    this.#bytes = new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length);
  }

  *read(): Generator<void, MutateRows, void> {
    const bytes = this.#bytes;
    // The fields other than entries, still encoded; together they are a valid message.
    const rest: Uint8Array[] = [];
    for (let at = 0; at < bytes.length;) {
      const start = at;
      const field = readTag(bytes, at, bytes.length);
      if (field === tag.entries) {
        const end = readEnd(bytes, wire.at, bytes.length);
        this.#entries.push(this.#entry(wire.at, end) ?? this.#declared(start, end));
        at = end;
        if (this.#entries.length % entriesPerStep === 0) yield;
      } else {
        at = skip(bytes, wire.at, bytes.length, field, 1);
        rest.push(bytes.subarray(start, at));
      }
    }
    const entries = this.#entries;
    const mutations = this.#mutations;
    const target = MutateRowsRequest.decode(Buffer.concat(rest));
    const { tableName, appProfileId, authorizedViewName } = target;
    return { tableName, appProfileId, authorizedViewName, mutations, entries };
  }

  /** The entry at `[at, end)` if it has a key and SetCell mutations only; else undefined. */
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
      if (at >= stop || bytes[at] !== tag.setCell) return undefined;
      const cellEnd = readEnd(bytes, at + 1, stop);
      at = wire.at;
      const truncate = cellEnd !== stop;
      if (truncate && !this.#isTruncation(cellEnd, stop)) return undefined;
      const cell = this.#setCell(at, cellEnd, truncate);
      if (cell === undefined) return undefined;
      mutations.push(cell);
      if (mutations.length > maxMutations) throw tooMany('entries', 'mutations', maxMutations);
      at = stop;
    }
    this.#mutations += mutations.length;
    if (this.#mutations > maxMutations) throw tooMany('entries', 'mutations', maxMutations);
    return { key, mutations };
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

  /** The SetCell at `[at, end)`; undefined if it has unknown fields or a non-ASCII family. */
  #setCell(at: number, end: number, truncate: boolean): Mutation | undefined {
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
      else if (this.#takeFamily(wire.at, at)) family = this.#family;
      else return undefined;
    }
    if (truncate) return { kind: 'setCell', family, qualifier, timestamp, value, truncate };
    return { kind: 'setCell', family, qualifier, timestamp, value };
  }

  /**
   * Sets `#family` to the name at `[start, end)`; false if it is not ASCII, as family names are.
   */
  #takeFamily(start: number, end: number): boolean {
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

  /** Decodes the entry whose field is `[start, end)` as a request with this entry only. */
  #declared(start: number, end: number): RowMutation | RowsmithError {
    const bytes = this.#bytes.subarray(start, end);
    checkRequestSize(MutateRowsRequest.shape, bytes);
    const { entries, mutations } = readDeclared(MutateRowsRequest.decode(bytes));
    this.#mutations += mutations;
    if (this.#mutations > maxMutations) throw tooMany('entries', 'mutations', maxMutations);
    return entries[0];
  }
}
