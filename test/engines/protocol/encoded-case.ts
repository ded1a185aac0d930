/** Cases of chunk streams, ours and Google's, in one form: encoded chunks and rows as text. */
import type { Cell, Row } from '../../../src/data/store/index.js';
import type { ChunkCase, ChunkSpec } from './chunk-cases.js';
import { encodePublished } from './published.js';

export interface EncodedCase {
  readonly name: string;
  readonly reversed: boolean;
  /** Encoded CellChunks. */
  readonly chunks: readonly Uint8Array[];
  /** The complete rows, also before an error; undefined if not known. */
  readonly rows: readonly RowText[] | undefined;
  /** Part of the error's text, empty if not known; undefined if the stream is valid. */
  readonly error: string | undefined;
}

/** The key, then each cell as `family:qualifier@timestamp=value [labels]`; bytes as Latin-1. */
export type RowText = readonly string[];

/** A row as text. */
export function rowText({ key, cells }: Row): RowText {
  return [latin1(key), ...cells.map(cellText)];
}

function cellText({ family, qualifier, timestamp, value, labels = [] }: Cell): string {
  const cell = `${family}:${latin1(qualifier)}@${timestamp}=${latin1(value)}`;
  return labels.length === 0 ? cell : `${cell} [${labels.join()}]`;
}

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('latin1');
}

/** One of our cases, with its chunks encoded by the published protos. */
export function encodeCase({
  name,
  reversed = false,
  chunks,
  rows,
  error,
}: ChunkCase): EncodedCase {
  return { name, reversed, chunks: chunks.map(encodeChunk), rows, error };
}

function encodeChunk(spec: ChunkSpec): Buffer {
  const { key, family, qualifier, timestamp, labels, value, valueSize, commit, reset } = spec;
  const bytes = (text: string | undefined) =>
    text === undefined ? undefined : Buffer.from(text, 'latin1');
  const fields = {
    rowKey: bytes(key),
    familyName: family === undefined ? undefined : { value: family },
    qualifier: qualifier === undefined ? undefined : { value: bytes(qualifier) },
    timestampMicros: timestamp?.toString(),
    labels,
    value: bytes(value),
    valueSize,
    commitRow: commit,
    resetRow: reset,
  };
  const sent = Object.fromEntries(
    Object.entries(fields).filter(([, field]) => field !== undefined),
  );
  const encoded = encodePublished('google.bigtable.v2.ReadRowsResponse.CellChunk', sent);
  // Fields 1 and 6 without bytes, which protobufjs would leave out.
  const emptyFields: number[] = [];
  if (key === '') emptyFields.push(0x0a, 0);
  if (value === '') emptyFields.push(0x32, 0);
  return Buffer.concat([encoded, Buffer.from(emptyFields)]);
}

/** A case of Google's read-rows-acceptance-test.json. */
export interface GoogleChunkCase {
  readonly name: string;
  readonly chunks_base64: readonly string[];
  /** One per cell; null if there are none. */
  readonly results: readonly GoogleResult[] | null;
}

interface GoogleResult {
  readonly rk: string;
  readonly fm: string;
  readonly qual: string;
  readonly ts: number;
  readonly value: string;
  readonly label: string;
  readonly error: boolean;
}

/** One of Google's cases. */
export function fromGoogle({ name, chunks_base64, results }: GoogleChunkCase): EncodedCase {
  const rows: string[][] = [];
  for (const { rk, fm, qual, ts, value, label, error } of results ?? []) {
    if (error) continue;
    if (rows.at(-1)?.[0] !== rk) rows.push([rk]);
    const cell = `${fm}:${qual}@${ts}=${value}`;
    rows.at(-1)!.push(label === '' ? cell : `${cell} [${label}]`);
  }
  const isInvalid = results?.some(({ error }) => error) === true;
  return {
    name,
    reversed: false,
    chunks: chunks_base64.map((chunk) => Buffer.from(chunk, 'base64')),
    // Rows before an error are listed in some cases only.
    rows: isInvalid ? undefined : rows,
    error: isInvalid ? '' : undefined,
  };
}
