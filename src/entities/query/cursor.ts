/**
 * Page cursors: opaque text that contains the position of a paged query. A fingerprint of the
 * query's ranges, direction, filter and limit binds a cursor to its query: other queries reject it.
 */
import { createHash } from 'node:crypto';
import {
  concatBytes,
  equalBytes,
  type KeyRange,
  noBytes,
  RowsmithError,
  toHex,
  type FaultTexts,
  type ProblemText,
} from '../../base/index.js';
import type { EntityModel } from '../model/index.js';
import { conditionText } from './where/condition.js';
import type { QueryPlan } from './plan/planner.js';

/** The position of a paged query. */
export interface Position {
  /** Row key of the last row that was returned. */
  readonly last: Uint8Array;
  /** Rows left before the query's limit is reached; undefined without a limit. */
  readonly remaining?: number;
}

const formatVersion = 1;
const fingerprintBytes = 8;
const checksumBytes = 4;
/** Encodes "no limit" in the eight bytes of `remaining`. */
const unlimited = -1n;

/**
 * The cursor of a position: base64url of the format version (1 byte), the fingerprint (8 bytes),
 * `remaining` (int64), the row key and a checksum (4 bytes).
 */
export function encodeCursor(model: EntityModel, plan: QueryPlan, position: Position): string {
  const remaining = new Uint8Array(8);
  new DataView(remaining.buffer).setBigInt64(
    0,
    position.remaining === undefined ? unlimited : BigInt(position.remaining),
  );
  return sealCursor(formatVersion, fingerprintOf(model, plan), remaining, position.last);
}

/** The position in a cursor. Throws INVALID_CURSOR if it is damaged or belongs to another query. */
export function decodeCursor(model: EntityModel, plan: QueryPlan, text: unknown): Position {
  const body = unsealCursor(model.name, formatVersion, fingerprintOf(model, plan), text);
  if (body.length <= 8) throw cursorError(model.name, faults.damagedCursor);
  const remaining = new DataView(body.buffer, body.byteOffset).getBigInt64(0);
  const last = body.slice(8);
  if (remaining === unlimited) return { last };
  return { last, remaining: Number(remaining) };
}

/** A cursor as text: the version, the fingerprint of its query, the position and a checksum. */
export function sealCursor(
  version: number,
  fingerprint: Uint8Array,
  ...position: readonly Uint8Array[]
): string {
  const body = concatBytes(Uint8Array.of(version), fingerprint, ...position);
  return Buffer.from(concatBytes(body, checksumOf(body))).toString('base64url');
}

/** The position in a cursor. Throws INVALID_CURSOR if it is damaged or belongs to another query. */
export function unsealCursor(
  entity: string,
  version: number,
  fingerprint: Uint8Array,
  text: unknown,
): Uint8Array {
  if (typeof text !== 'string') throw cursorError(entity, faults.notACursor(typeof text));
  const bytes = new Uint8Array(Buffer.from(text, 'base64url'));
  const body = bytes.subarray(0, -checksumBytes);
  // Buffer ignores characters that are not base64url. Only the canonical text is accepted.
  if (
    Buffer.from(bytes).toString('base64url') !== text ||
    body.length <= 1 + fingerprintBytes ||
    body[0] !== version ||
    !equalBytes(checksumOf(body), bytes.subarray(-checksumBytes))
  ) {
    throw cursorError(entity, faults.damagedCursor);
  }
  if (!equalBytes(body.subarray(1, 1 + fingerprintBytes), fingerprint)) {
    throw cursorError(entity, faults.cursorOfOtherQuery);
  }
  return body.subarray(1 + fingerprintBytes);
}

function cursorError(entity: string, { problem }: ProblemText): RowsmithError {
  return new RowsmithError('INVALID_CURSOR', {
    entity,
    ...faults.unusableCursor(problem),
  });
}

/** Identifies a query by what JSON shows of it, and by its ranges. */
export function fingerprint(
  parts: readonly unknown[],
  ranges: readonly (readonly KeyRange[])[],
): Uint8Array {
  const hash = createHash('sha256');
  hash.update(JSON.stringify(parts, bigintAsText));
  for (const { start, end = noBytes } of ranges.flat())
    hash.update(`${toHex(start)}-${toHex(end)};`);
  return new Uint8Array(hash.digest().subarray(0, fingerprintBytes));
}

function fingerprintOf(model: EntityModel, plan: QueryPlan): Uint8Array {
  const parts: unknown[] = [
    model.name,
    model.table.name,
    plan.query.reversed,
    plan.query.limit ?? null,
    plan.selection.filter,
  ];
  const { firstPer, distinct = false, key, where } = plan.query;
  // Only where there are some, so that cursors of other queries stay as they were.
  if (firstPer !== undefined) parts.push(firstPer, distinct, key.bound ?? null);
  if (where !== undefined) parts.push(where.map((condition) => conditionText(condition, Infinity)));
  return fingerprint(parts, plan.ranges.perShard);
}

/** Text that is the same for queries that find the same rows in the same order. */
export function fingerprintText(model: EntityModel, plan: QueryPlan): string {
  return toHex(fingerprintOf(model, plan));
}

function bigintAsText(_name: string, value: unknown): unknown {
  if (typeof value === 'bigint') return `${value}`;
  return value;
}

function checksumOf(body: Uint8Array): Uint8Array {
  return new Uint8Array(createHash('sha256').update(body).digest().subarray(0, checksumBytes));
}

const faults = {
  damagedCursor: { problem: 'the cursor is damaged' },
  notACursor: (text: string) => ({
    problem: `a cursor is the text that page() returned as next, not ${text}`,
  }),
  cursorOfOtherQuery: {
    problem:
      'the cursor belongs to another query (other prefix, bounds, direction, selection or limit)',
  },
  unusableCursor: (problem: string) => ({
    problem,
    fix: 'pass the `next` of a page to page({ after }) of the same query, or leave `after` out to start again',
  }),
} satisfies FaultTexts;
