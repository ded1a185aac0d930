/** What a query of a collection reads: the ranges and columns of each member, and one filter. */
import { type KeyRange, unionRanges } from '../../../../base/index.js';
import {
  type ColumnSelection,
  columnSelectionOf,
  fullScan,
  type QueryKey,
  rangesOf,
} from '../../../query/index.js';
import type { Filter } from '../../../../data/store/index.js';
import type { CollectionMember, CollectionModel } from './collection-model.js';

/** A query of a collection, as frozen data. */
export interface CollectionSpec {
  /** At most one prefix of shared segments, and a bound on the shared segment after it. */
  readonly key: QueryKey;
  readonly reversed: boolean;
  /** Maximum number of rows, or of groups. */
  readonly limit?: number;
  /** Maximum number of rows by member: in all, or in each group. */
  readonly limits: Readonly<Record<string, number>>;
  /** The properties to read of single members. A member that is left out is read whole. */
  readonly select: Readonly<Record<string, readonly string[]>>;
  /** The members to read; undefined for all. */
  readonly only?: readonly string[];
  /** The last of the segments by which rows are grouped. */
  readonly groupBy?: string;
  readonly keysOnly: boolean;
}

/** A member, and how it is read. */
export interface PlannedMember extends CollectionMember {
  readonly ranges: ShardRanges;
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

/** The keys of a member, by shard: sorted and disjoint. */
export type ShardRanges = ReadonlyMap<string, readonly KeyRange[]>;

/**
 * The keys of each member of a collection that a query reads. Throws INVALID_QUERY or INVALID_KEY
 * for values that are not in the key.
 */
export function memberRanges(
  { members }: CollectionModel,
  spec: CollectionSpec,
): readonly ShardRanges[] {
  return members.map(({ model }) => rangesByShard(model, spec));
}

/** What is read of members, whatever the keys. */
interface MemberColumns {
  readonly spec: CollectionSpec;
  readonly selections: ReadonlyMap<string, ColumnSelection>;
  readonly families: readonly string[];
  readonly filter: Filter;
}

/** Of the last query of each collection: most queries of a collection differ in the keys only. */
const lastColumns = new WeakMap<CollectionModel, MemberColumns>();

/** The plan of a query, given the ranges of all members. */
export function planCollection(
  collection: CollectionModel,
  spec: CollectionSpec,
  ranges: readonly ShardRanges[],
): CollectionPlan {
  const { shared } = collection;
  const groupNames =
    spec.groupBy === undefined ? [] : shared.slice(0, shared.indexOf(spec.groupBy) + 1);
  const singleUpTo = spec.groupBy === undefined ? spec.key.depth : groupNames.length;
  const { selections, families, filter } = columnsOf(collection, spec);
  const members = collection.members.flatMap(({ kind, model }, i): PlannedMember[] => {
    const selection = selections.get(kind);
    if (selection === undefined) return [];
    const limit = spec.limits[kind] ?? Infinity;
    const isSingle = model.key.names.length <= singleUpTo;
    return [{ kind, model, ranges: ranges[i], selection, limit, isSingle }];
  });
  return Object.freeze({
    collection,
    spec,
    members,
    groupNames,
    shards: [...new Set(members.flatMap(({ ranges }) => [...ranges.keys()]))].sort(),
    families,
    filter,
  });
}

function columnsOf(collection: CollectionModel, spec: CollectionSpec): MemberColumns {
  const last = lastColumns.get(collection);
  if (
    last !== undefined &&
    last.spec.only === spec.only &&
    last.spec.select === spec.select &&
    last.spec.keysOnly === spec.keysOnly
  )
    return last;
  const selections = new Map(
    collection.members
      .filter(({ kind }) => spec.only?.includes(kind) !== false)
      .map(({ kind, model }) => [kind, selectionOf(model, kind, spec)]),
  );
  const all = [...selections.values()];
  const families = [...new Set(all.flatMap((selection) => selection.families))].sort();
  const columns = { spec, selections, families, filter: filterOf(all, families) };
  lastColumns.set(collection, columns);
  return columns;
}

function selectionOf(
  model: CollectionMember['model'],
  kind: string,
  spec: CollectionSpec,
): ColumnSelection {
  return columnSelectionOf(model, {
    ...fullScan,
    select: selected(spec, kind),
    keysOnly: spec.keysOnly || spec.select[kind]?.length === 0,
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

function rangesByShard(model: CollectionMember['model'], spec: CollectionSpec): ShardRanges {
  const lists = rangesOf(model, spec).perShard.filter((ranges) => ranges.length > 0);
  return new Map(lists.map((ranges) => [model.key.shardOf(ranges[0].start), ranges]));
}

/** One filter for the rows of all members: with the cells of each of them, at least. */
function filterOf(selections: readonly ColumnSelection[], families: readonly string[]): Filter {
  const [first] = selections;
  const isCommon = selections.every(
    ({ filter }) => JSON.stringify(filter) === JSON.stringify(first.filter),
  );
  if (isCommon) return first.filter;
  const filters: Filter[] = [{ kind: 'families', families }];
  const columns = selections.flatMap((selection) => selection.columns);
  if (!columns.some(({ kind }) => kind === 'versions'))
    filters.push({ kind: 'cellsPerColumn', count: 1 });
  if (columns.length === 0) filters.push({ kind: 'stripValue' });
  return { kind: 'chain', filters };
}
