/**
 * Page cursors: opaque text that holds where a query stands. Bound to the query by a fingerprint of
 * its ranges, direction, filter and limit, so that a cursor of one query is refused by another.
 */
import { createHash } from 'node:crypto';
import { concatBytes, equalBytes, toHex } from '../bytes/index.js';
import { RowsmithError } from '../errors.js';
import type { EntityModel } from '../model/index.js';
import type { QueryPlan } from './planner.js';

/** Where a paged query stands. */
export interface Position {
  /** Key of the last row delivered. */
  readonly last: Uint8Array;
  /** Rows that the query's limit leaves; undefined without a limit. */
  readonly remaining?: number;
}

const formatVersion = 1;
const fingerprintBytes = 8;
const headerBytes = 1 + fingerprintBytes + 8;
/** Stands for "no limit" in the eight bytes of `remaining`. */
const unlimited = -1n;

/**
 * The cursor text of a position: base64url of version, fingerprint, remaining (int64) and key, then
 * 4 bytes that tell damage.
 */
export function encodeCursor(model: EntityModel, plan: QueryPlan, position: Position): string {
  const remaining = new Uint8Array(8);
  new DataView(remaining.buffer).setBigInt64(
    0,
    position.remaining === undefined ? unlimited : BigInt(position.remaining),
  );
  const body = concatBytes(
    Uint8Array.of(formatVersion),
    fingerprintOf(model, plan),
    remaining,
    position.last,
  );
  return Buffer.from(concatBytes(body, checkOf(body))).toString('base64url');
}

/** The position a cursor holds. Throws INVALID_CURSOR when it is damaged or of another query. */
export function decodeCursor(model: EntityModel, plan: QueryPlan, text: unknown): Position {
  if (typeof text !== 'string')
    throw refusal(model, `a cursor is the text that page() gave as next, not ${typeof text}`);
  const bytes = new Uint8Array(Buffer.from(text, 'base64url'));
  const body = bytes.subarray(0, -4);
  // Buffer passes over what is not base64url; one position has one text.
  if (
    Buffer.from(bytes).toString('base64url') !== text ||
    body.length <= headerBytes ||
    body[0] !== formatVersion ||
    !equalBytes(checkOf(body), bytes.subarray(-4))
  ) {
    throw refusal(model, 'the cursor is damaged');
  }
  if (!equalBytes(body.subarray(1, 1 + fingerprintBytes), fingerprintOf(model, plan))) {
    throw refusal(
      model,
      'the cursor was made by another query (other prefix, bounds, direction, selection or limit)',
    );
  }
  const remaining = new DataView(
    bytes.buffer,
    bytes.byteOffset + 1 + fingerprintBytes,
    8,
  ).getBigInt64(0);
  const last = body.slice(headerBytes);
  return remaining === unlimited ? { last } : { last, remaining: Number(remaining) };
}

function refusal(model: EntityModel, problem: string): RowsmithError {
  return new RowsmithError('INVALID_CURSOR', {
    entity: model.name,
    problem,
    fix: 'pass the `next` of a page to page({ after }) of the same query, or leave `after` out to start again',
  });
}

function fingerprintOf(
  model: EntityModel,
  { ranges, question, projection }: QueryPlan,
): Uint8Array {
  const hash = createHash('sha256');
  const parts = [
    model.name,
    model.table.name,
    question.reversed,
    question.limit ?? null,
    projection.filter,
  ];
  hash.update(
    JSON.stringify(parts, (_name, value: unknown) =>
      typeof value === 'bigint' ? `${value}` : value,
    ),
  );
  for (const range of ranges.perShard.flat())
    hash.update(`${toHex(range.start)}-${range.end === undefined ? '' : toHex(range.end)};`);
  return new Uint8Array(hash.digest().subarray(0, fingerprintBytes));
}

function checkOf(body: Uint8Array): Uint8Array {
  return new Uint8Array(createHash('sha256').update(body).digest().subarray(0, 4));
}
