/** Queries of collections. */
import { fullScan } from '../../query/index.js';
import { Query, type Reading, type ReadOptions, type RowSource } from '../read/query/query.js';
import {
  checkLimit,
  checkMemberLimits,
  checkOnly,
  checkSelections,
  checkSharedBound,
  checkSharedPrefix,
  checkSharedSegment,
} from './plan/check-collection-query.js';
import {
  type CollectionPosition,
  decodePosition,
  encodePosition,
} from './plan/collection-cursor.js';
import { type CollectionExplanation, explainCollection } from './plan/collection-explanation.js';
import type { CollectionModel } from './plan/collection-model.js';
import {
  type CollectionPlan,
  type CollectionSpec,
  memberRanges,
  planCollection,
  type ShardRanges,
} from './plan/collection-plan.js';
import type { ScanOptions } from './scan/collection-scan.js';
import type { RowGroup } from './scan/group-rows.js';
import type { MemberRow } from './scan/member-rows.js';
import { openGroups, openResults } from './scan/run-collection.js';

type Ranges = readonly ShardRanges[];

/** Reads results, or groups with one of their rows. */
type CollectionReading = Reading<object, CollectionPosition, CollectionExplanation>;

interface CollectionSource extends RowSource<
  CollectionSpec,
  Ranges,
  object,
  CollectionPosition,
  CollectionExplanation
> {
  readonly collection: CollectionModel;
}

const everyRow: CollectionSpec = Object.freeze({
  key: fullScan.key,
  reversed: false,
  limits: Object.freeze({}),
  select: Object.freeze({}),
  keysOnly: false,
});

/** Implements Collection and CollectionQuery. Immutable. */
export class UntypedCollection extends Query<
  CollectionSpec,
  Ranges,
  object,
  CollectionSource,
  CollectionPosition,
  CollectionExplanation
> {
  /** The query of every row of the members. */
  static root(collection: CollectionModel): UntypedCollection {
    return new UntypedCollection(collectionSource(collection), { spec: everyRow });
  }

  override limit(rows: unknown): this {
    const { collection } = this.source;
    if (typeof rows !== 'object' || rows === null)
      return this.with({ limit: checkLimit(collection, rows) });
    const limits = { ...this.state.spec.limits, ...checkMemberLimits(collection, rows) };
    return this.with({ limits: Object.freeze(limits) });
  }

  select(properties: unknown): this {
    const selections = checkSelections(this.source.collection, properties);
    return this.with({ select: Object.freeze({ ...this.state.spec.select, ...selections }) });
  }

  only(...kinds: unknown[]): this {
    return this.with({ only: checkOnly(this.source.collection, kinds) });
  }

  groupBy(segment: unknown): this {
    return this.with({ groupBy: checkSharedSegment(this.source.collection, segment) });
  }
}

function collectionSource(collection: CollectionModel): CollectionSource {
  return {
    name: collection.name,
    collection,
    prefix: (spec, segments) => checkSharedPrefix(collection, spec, segments),
    bound: (method, spec, segment, values) =>
      checkSharedBound(collection, spec, method, segment, values),
    ranges: (spec) => memberRanges(collection, spec),
    reading: (spec, ranges) => {
      const plan = planCollection(collection, spec, ranges);
      return spec.groupBy === undefined ? rowReading(plan) : groupReading(plan);
    },
  };
}

function rowReading(plan: CollectionPlan): CollectionReading {
  return {
    open: (options) => openResults(plan, scanOptions(options)),
    positionOf: (cursor) => decodePosition(plan, cursor),
    cursorAfter: (page, remaining, position) => {
      const rows = page as readonly { readonly kind: string; readonly entity: object }[];
      const { kind: last, entity } = rows[rows.length - 1];
      const limits: Record<string, number> = Object.assign(
        {},
        position?.limits ?? plan.spec.limits,
      );
      for (const { kind } of rows) if (kind in limits) limits[kind]--;
      const member = plan.members.find(({ kind }) => kind === last)!;
      return encodePosition(plan, { last: keyOf({ member, entity }), remaining, limits });
    },
    explain: () => explainCollection(plan),
  };
}

function groupReading(plan: CollectionPlan): CollectionReading {
  return {
    open: (options) => openGroups(plan, scanOptions(options), options.peeks),
    resultOf: (group) => (group as RowGroup).result,
    positionOf: (cursor) => decodePosition(plan, cursor),
    cursorAfter: (page, remaining) => {
      const { row } = page[page.length - 1] as RowGroup;
      return encodePosition(plan, { last: keyOf(row), remaining, limits: {} });
    },
    explain: () => explainCollection(plan),
  };
}

function scanOptions({ limit, position, signal }: ReadOptions<CollectionPosition>): ScanOptions {
  const after = position && { last: position.last, remaining: position.limits };
  return { limit: limit ?? Infinity, after, signal };
}

function keyOf({ member, entity }: MemberRow): Uint8Array {
  return member.model.key.encode(entity as Record<string, unknown>);
}
