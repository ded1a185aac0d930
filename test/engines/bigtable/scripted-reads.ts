/** Responses and plans of reads from a server that follows a script. */
import { status } from '@grpc/grpc-js';
import { type ErrorCode, toHex } from '../../../src/base/index.js';
import { decodeReadRequest, ReadRowsRequest } from '../../../src/engines/protocol/index.js';
import { type ReadPlan, type Row } from '../../../src/data/store/index.js';
import { chunksOf, messageOf, messagesOf } from '../protocol/chunk-messages.js';
import { encodePublished } from '../protocol/published.js';
import { StatusError, resetRow, scannedTo, type ReadCall } from './read-server.js';
import { type Exchange, type ReadSpec, type Sent } from './retry-cases.js';

export const utf8 = (text: string): Uint8Array => new Uint8Array(Buffer.from(text));
export const row = (key: string, cells = 1): Row => ({
  key: utf8(key),
  cells: Array.from({ length: cells }, (_, i) => ({
    family: 'f',
    qualifier: utf8(`q${i}`),
    timestamp: 1000n,
    value: utf8(`${key}:${i}`),
  })),
});

export const keysOf = (rows: readonly Row[]): string =>
  rows.map(({ key }) => Buffer.from(key).toString()).join(' ');

export const shown = ({ ranges, limit, reversed }: ReadPlan): unknown => ({
  ranges: ranges.map(({ start, end }) => [
    toHex(start),
    end === undefined ? undefined : toHex(end),
  ]),
  limit,
  reversed,
});

export type Respond = (call: ReadCall) => Promise<void>;

export const sends =
  (rows: readonly Row[], end?: number): Respond =>
  async (call) => {
    for (const message of messagesOf(rows)) await call.send(message);
    if (end !== undefined) throw new StatusError(end);
  };

/** A read, the requests that it must send, their responses, and the outcome. */
export interface Script {
  readonly plan: ReadPlan;
  readonly requests: readonly ReadPlan[];
  readonly responses: readonly Respond[];
  readonly maxAttempts: number;
  readonly rows: string;
  readonly error?: ReadError;
}

/** The code of an error, and the gRPC status in its details. */
export interface ReadError {
  readonly code: ErrorCode;
  readonly status: unknown;
}

/** The plan of a request, encoded by the published protos. */
export function planOf(request: object): ReadPlan {
  const encoded = encodePublished('google.bigtable.v2.ReadRowsRequest', request);
  return decodeReadRequest(ReadRowsRequest.decode(encoded), 't');
}

export function planOfSpec({ keys = [], ranges = [], limit, reversed }: ReadSpec): ReadPlan {
  const rows = { rowKeys: keys.map(utf8), rowRanges: ranges.map(rowRange) };
  return planOf({ rows, rowsLimit: limit, reversed });
}

/** The RowRange of `[ash, elm)`. */
export function rowRange(interval: string): object {
  const [, open, start, end, close] = /^([[(])(\S+), (\S+)([\])])$/.exec(interval)!;
  const range: Record<string, Uint8Array> = {};
  if (start !== '...') range[open === '[' ? 'startKeyClosed' : 'startKeyOpen'] = utf8(start);
  if (end !== '...') range[close === ']' ? 'endKeyClosed' : 'endKeyOpen'] = utf8(end);
  return range;
}

export function messageOfSent(sent: Sent): Buffer {
  if (typeof sent === 'string') return Buffer.concat(messagesOf([row(sent)]));
  if ('scanned' in sent) return scannedTo(utf8(sent.scanned));
  if ('reset' in sent) return resetRow;
  return messageOf(chunksOf(messagesOf([row(sent.partOf, 3)])).slice(0, 2));
}

export const responseOf =
  ({ sends: messages = [], status: end, message }: Exchange): Respond =>
  async (call) => {
    for (const sent of messages) await call.send(messageOfSent(sent));
    if (end !== undefined) throw new StatusError(status[end], message);
  };
