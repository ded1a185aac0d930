/** What a peer answers, in one form for all: status codes as gRPC numbers them, rows as text. */
import type { Row } from '../../src/store/index.js';
import { clockFrom, far } from './operation.js';

/** A refusal is its code alone. */
export type Answer =
  | { readonly code: number }
  | { readonly rows: readonly PlainRow[] }
  | { readonly matched: boolean }
  /** A code for each row of MutateRows. */
  | { readonly statuses: readonly number[] }
  | { readonly done: true };

export interface PlainRow {
  readonly key: string;
  readonly cells: readonly PlainCell[];
}

export interface PlainCell {
  readonly family: string;
  readonly qualifier: string;
  /** `now` where a peer's clock gave it. */
  readonly timestamp: string;
  readonly value: string;
  readonly labels: readonly string[];
}

const latin1 = (bytes: Uint8Array): string => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');

/** Rows in the form of answers. */
export function plainRows(rows: readonly Row[]): PlainRow[] {
  return rows.map(({ key, cells }) => ({
    key: latin1(key),
    cells: cells.map(({ family, qualifier, timestamp, value, labels = [] }) => ({
      family, qualifier: latin1(qualifier), value: latin1(value), labels,
      timestamp: timestamp >= BigInt(clockFrom) && timestamp < BigInt(far) ? 'now' : `${timestamp}`,
    })),
  }));
}

const texts = new WeakMap<Answer, string>();

/** Text that is equal exactly where answers are. */
export function canonical(answer: Answer): string {
  let text = texts.get(answer);
  if (text === undefined) texts.set(answer, (text = JSON.stringify(answer)));
  return text;
}

/** The answer for a person. */
export function answerText(answer: Answer): string {
  if (!('rows' in answer)) return JSON.stringify(answer);
  if (answer.rows.length === 0) return 'no rows';
  const value = (text: string): string => (text.length > 40 ? `${JSON.stringify(text.slice(0, 20))}...${text.length} bytes` : JSON.stringify(text));
  return answer.rows.map(({ key, cells }) => `${value(key)} {${cells.map((cell) => `${cell.family}:${value(cell.qualifier)}@${cell.timestamp}=${value(cell.value)}${cell.labels.map((label) => `[${label}]`).join('')}`).join(' ')}}`).join('\n    ');
}
