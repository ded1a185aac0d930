/** Page cursors of collections. They have a separate version. */
import { RowsmithError, utf8Bytes, type FaultTexts } from '../../../../base/index.js';
import { fingerprint, sealCursor, unsealCursor } from '../../../query/index.js';
import { type CollectionPlan, rangesOfShard } from './collection-plan.js';

/** The position of a paged query. */
export interface CollectionPosition {
  /** Row key of the last row, or of a row of the last group. */
  readonly last: Uint8Array;
  /** Results left before the query's limit is reached; undefined without one. */
  readonly remaining?: number | undefined;
  /** Rows left of members with a limit in all. */
  readonly limits: Readonly<Record<string, number>>;
}

const formatVersion = 0x81;

/** The cursor of a position: its counts as JSON with their length (4 bytes), and the row key. */
export function encodePosition(
  plan: CollectionPlan,
  { last, remaining, limits }: CollectionPosition,
): string {
  const counts = utf8Bytes(JSON.stringify({ remaining, limits }));
  const length = new Uint8Array(4);
  new DataView(length.buffer).setUint32(0, counts.length);
  return sealCursor(formatVersion, fingerprintOf(plan), length, counts, last);
}

/** Throws INVALID_CURSOR if it is damaged or belongs to another query. */
export function decodePosition(plan: CollectionPlan, text: unknown): CollectionPosition {
  const { name } = plan.collection;
  const body = unsealCursor(name, formatVersion, fingerprintOf(plan), text);
  try {
    const length = new DataView(body.buffer, body.byteOffset).getUint32(0);
    const counts = new TextDecoder().decode(body.subarray(4, 4 + length));
    const { remaining, limits } = JSON.parse(counts) as Omit<CollectionPosition, 'last'>;
    return { last: body.slice(4 + length), remaining, limits };
  } catch (cause) {
    throw new RowsmithError(
      'INVALID_CURSOR',
      {
        entity: name,
        ...faults.damagedCursor,
      },
      { cause },
    );
  }
}

function fingerprintOf(plan: CollectionPlan): Uint8Array {
  const { spec, members, shards, filter } = plan;
  return fingerprint(
    [
      members.map(({ kind, model }) => [kind, model.name]),
      members[0].model.table.name,
      spec.reversed,
      spec.limit ?? null,
      members.map(({ limit }) => (limit === Infinity ? null : limit)),
      spec.groupBy ?? null,
      spec.select,
      filter,
    ],
    shards.map((shard) => rangesOfShard(plan, shard)),
  );
}

const faults = {
  damagedCursor: { problem: 'the cursor is damaged', fix: 'leave `after` out to start again' },
} satisfies FaultTexts;
