/** What a query of a collection reads: the ranges and columns of each member, and one filter. */
import { type KeyRange, unionRanges } from '../../bytes/index.js';
import type { SegmentBound } from '../../key/index.js';
import { type ColumnSelection, columnSelectionOf, fullScan } from '../../query/index.js';
import type { Filter } from '../../store/index.js';
import type { CollectionMember, CollectionModel } from './collection-model.js';

/** A query of a collection, as frozen data. */
export interface CollectionSpec {
  /** Values of the first shared segments. */
  readonly fixed: Readonly<Record<string, unknown>>;
  /** A bound on the shared segment after them. */
  readonly bound?: SegmentBound;
  readonly reversed: boolean;
  /** Maximum number of rows, or of groups. */
  readonly limit?: number;
  /** Maximum number of rows by member: in all, or in each group. */
  readonly limits: Readonly<Record<string, number>>;
  /** The properties to read of single members; of the others all. */
  readonly select: Readonly<Record<string, readonly string[]>>;
  /** The members to read; undefined for all. */
  readonly only?: readonly string[];
  /** The last of the segments by which rows are grouped. */
  readonly groupBy?: string;
  readonly keysOnly: boolean;
}

/** A member with what is read of it. */
export interface PlannedMember extends CollectionMember {
  /** Its keys, by shard: sorted and disjoint. */
  readonly ranges: ReadonlyMap<string, readonly KeyRange[]>;
  readonly selection: ColumnSelection;
  /** Maximum number of its rows, in all or in each group; Infinity without a limit. */
  readonly limit: number;
  /** At most one row: the whole key is given, or each group is one of its keys. */
  readonly isSingle: boolean;
}

export interface CollectionPlan {
  readonly collection: CollectionModel;
  readonly spec: CollectionSpec;
  readonly members: readonly PlannedMember[];
  /** Segments by which rows are grouped; none if they are not. */
  readonly groupNames: readonly string[];
  readonly shards: readonly string[];
  /** Families that are read, in byte order. */
  readonly families: readonly string[];
  readonly filter: Filter;
}

/** The plan of a query. Throws INVALID_QUERY or INVALID_KEY for values that are not in the key. */
export function planCollection(collection: CollectionModel, spec: CollectionSpec): CollectionPlan {
  const { shared } = collection;
  const groupNames =
    spec.groupBy === undefined ? [] : shared.slice(0, shared.indexOf(spec.groupBy) + 1);
  const singleUpTo =
    spec.groupBy === undefined ? Object.keys(spec.fixed).length : groupNames.length;
  const members = collection.members
    .filter(({ kind }) => spec.only?.includes(kind) !== false)
    .map(({ kind, model }): PlannedMember => ({
      kind,
      model,
      ranges: rangesByShard(model, spec),
      selection: columnSelectionOf(model, {
        ...fullScan,
        select: selected(spec, kind),
        keysOnly: spec.keysOnly || spec.select[kind]?.length === 0,
      }),
      limit: spec.limits[kind] ?? Infinity,
      isSingle: model.key.names.length <= singleUpTo,
    }));
  const families = [...new Set(members.flatMap(({ selection }) => selection.families))].sort();
  return Object.freeze({
    collection,
    spec,
    members,
    groupNames,
    shards: [...new Set(members.flatMap(({ ranges }) => [...ranges.keys()]))].sort(),
    families,
    filter: filterOf(members, families),
  });
}

/** The ranges that are read in a shard. */
export function rangesOfShard(plan: CollectionPlan, shard: string): readonly KeyRange[] {
  return unionRanges(plan.members.flatMap(({ ranges }) => ranges.get(shard) ?? []));
}

function selected({ select }: CollectionSpec, kind: string): readonly string[] | undefined {
  const properties = select[kind];
  return properties === undefined || properties.length === 0 ? undefined : properties;
}

function rangesByShard(
  { key }: CollectionMember['model'],
  { fixed, bound }: CollectionSpec,
): ReadonlyMap<string, readonly KeyRange[]> {
  const { perShard } = key.ranges({ fixed, bound });
  const lists = perShard.filter((ranges) => ranges.length > 0);
  return new Map(lists.map((ranges) => [key.shardOf(ranges[0].start), ranges]));
}

/** One filter for the rows of all members: with the cells of each of them, at least. */
function filterOf(members: readonly PlannedMember[], families: readonly string[]): Filter {
  const [{ selection: first }] = members;
  const isCommon = members.every(
    ({ selection }) => JSON.stringify(selection.filter) === JSON.stringify(first.filter),
  );
  if (isCommon) return first.filter;
  const filters: Filter[] = [{ kind: 'families', families }];
  const columns = members.flatMap(({ selection }) => selection.columns);
  if (!columns.some(({ kind }) => kind === 'versions'))
    filters.push({ kind: 'cellsPerColumn', count: 1 });
  if (columns.length === 0) filters.push({ kind: 'stripValue' });
  return { kind: 'chain', filters };
}
