/** Run-time checks of queries of collections. Messages match the compiler's. */
import {
  invalidArgument,
  quotedList,
  valueText,
  type FaultTexts,
  isRecord,
} from '../../../../base/index.js';
import {
  checkCount,
  checkSelect,
  copyOfSpec,
  queryError,
  type QueryKey,
} from '../../../query/index.js';
import { type CollectionModel, kindList } from './collection-model.js';
import type { CollectionSpec } from './collection-plan.js';

/** Checks the names of a prefix, and that it has no gaps. Returns a frozen copy in key order. */
export function checkSharedPrefix(
  collection: CollectionModel,
  { key }: CollectionSpec,
  segments: unknown,
): QueryKey {
  const { shared, members } = collection;
  if (key.depth > 0 || key.bound !== undefined)
    throw queryError(collection, 'prefix', faults.misplacedPrefix);
  if (!isRecord(segments))
    throw queryError(collection, 'prefix', faults.wrongPrefix(segments, shared[0] ?? 'segment'));
  const { scope } = members[0].model.key;
  scope?.assertInside(segments);
  const given = Object.keys(segments).filter((name) => scope?.names.includes(name) !== true);
  const unknown = given.find((name) => !shared.includes(name));
  if (unknown !== undefined)
    throw queryError(collection, unknown, faults.unsharedSegment(shared, unknown));
  if (given.length === 0) throw queryError(collection, shared[0], faults.missingLeadingSegment);
  const count = 1 + Math.max(...given.map((name) => shared.indexOf(name)));
  const prefix = Object.fromEntries(
    shared.slice(0, count).map((name) => [name, copyOfSpec(segments[name])]),
  );
  const missing = shared.slice(0, count).find((name) => prefix[name] === undefined);
  if (missing === undefined) return { depth: count, prefixes: [Object.freeze(prefix)] };
  throw queryError(collection, missing, faults.skippedSegment(missing));
}

/** Checks that a bound is on the shared segment after the prefix, and has values. */
export function checkSharedBound(
  collection: CollectionModel,
  { key: { depth, bound } }: CollectionSpec,
  method: string,
  segment: unknown,
  values: readonly unknown[],
): string {
  const next = collection.shared.at(depth);
  if (bound !== undefined) throw queryError(collection, bound.segment, faults.twoBounds);
  if (next === undefined) throw queryError(collection, method, faults.noBoundLeft(method));
  if (segment !== next)
    throw queryError(
      collection,
      typeof segment === 'string' ? segment : method,
      faults.misplacedBound(method, next),
    );
  if (values.includes(undefined))
    throw queryError(collection, next, faults.boundWithoutValue(method, next));
  return next;
}

/** Checks the segment of groupBy. */
export function checkSharedSegment(collection: CollectionModel, segment: unknown): string {
  const { shared } = collection;
  if (typeof segment === 'string' && shared.includes(segment)) return segment;
  throw queryError(
    collection,
    typeof segment === 'string' ? segment : 'groupBy',
    faults.wrongGroupSegment(segment, shared.length, shared),
  );
}

/** Checks the limits of single members; returns a frozen copy. */
export function checkMemberLimits(
  collection: CollectionModel,
  limits: object,
): Readonly<Record<string, number>> {
  const entries = checkKinds(collection, 'limit', limits).filter(([, rows]) => rows !== undefined);
  return Object.freeze(
    Object.fromEntries(
      entries.map(([kind, rows]) => [kind, checkCount(modelOf(collection, kind), kind, rows)]),
    ),
  );
}

/** Checks the selections of single members; returns a frozen copy. */
export function checkSelections(
  collection: CollectionModel,
  selections: unknown,
): CollectionSpec['select'] {
  const entries = checkKinds(collection, 'select', selections).filter(
    ([, properties]) => properties !== undefined,
  );
  return Object.freeze(
    Object.fromEntries(
      entries.map(([kind, properties]) => {
        if (!Array.isArray(properties))
          throw queryError(collection, kind, faults.wrongSelect(kind, properties));
        const given = [...(properties as unknown[])];
        if (given.length === 0) return [kind, Object.freeze([])];
        const { select, entries: parts } = checkSelect(modelOf(collection, kind), given);
        if (parts === undefined) return [kind, select!];
        throw queryError(collection, kind, faults.partialColumnMap(kind));
      }),
    ),
  );
}

/** Checks the names of members. */
export function checkOnly(
  collection: CollectionModel,
  kinds: readonly unknown[],
): readonly string[] {
  if (kinds.length === 0)
    throw queryError(collection, 'only', faults.emptyOnly(kindList(collection)));
  for (const kind of kinds) assertKind(collection, 'only', kind);
  return Object.freeze([...(kinds as readonly string[])]);
}

function checkKinds(
  collection: CollectionModel,
  method: string,
  values: unknown,
): [string, unknown][] {
  if (!isRecord(values))
    throw queryError(
      collection,
      method,
      faults.wrongValues(method, values, collection.members[0].kind),
    );
  const entries = Object.entries(values);
  for (const [kind] of entries) assertKind(collection, method, kind);
  return entries;
}

function assertKind(collection: CollectionModel, method: string, kind: unknown): void {
  if (collection.members.some((member) => member.kind === kind)) return;
  throw queryError(
    collection,
    typeof kind === 'string' ? kind : method,
    faults.unknownMember(method, kind, kindList(collection)),
  );
}

function modelOf({ members }: CollectionModel, kind: string): (typeof members)[number]['model'] {
  return members.find((member) => member.kind === kind)!.model;
}

/** Checks a limit of rows or groups. */
export function checkLimit({ name }: CollectionModel, rows: unknown): number {
  if (typeof rows === 'number' && Number.isSafeInteger(rows) && rows >= 1) return rows;
  throw invalidArgument('limit', faults.wrongLimit(rows), { entity: name });
}

const faults = {
  misplacedPrefix: {
    problem: 'a query takes one prefix, and its bound comes after it',
    fix: 'start from the collection, with all leading segments in one prefix()',
  },
  wrongPrefix: (segments: unknown, shared: string) => ({
    problem: `prefix() takes an object of shared segments, not ${valueText(segments)}`,
    fix: `write prefix({ ${shared}: ... })`,
  }),
  unsharedSegment: (shared: readonly string[], unknown: string) => ({
    problem: `prefix() takes segments that all members share: ${quotedList(shared)}`,
    fix: `leave '${unknown}' out`,
  }),
  missingLeadingSegment: {
    problem: 'prefix() needs a leading segment; to read every row call scanAll()',
    fix: 'add the first shared segment, or call scanAll()',
  },
  skippedSegment: (missing: string) => ({
    problem: `prefix() takes leading segments without gaps: add '${missing}'`,
    fix: `add '${missing}'; undefined never widens a query`,
  }),
  twoBounds: { problem: 'a query takes one bound', fix: 'use between()' },
  noBoundLeft: (method: string) => ({
    problem: 'every shared segment has its value: no bound is left',
    fix: `leave ${method}() out`,
  }),
  misplacedBound: (method: string, next: string) => ({
    problem: `${method}() bounds the shared segment after the prefix, which is '${next}'`,
    fix: `bound '${next}'`,
  }),
  boundWithoutValue: (method: string, next: string) => ({
    problem: `${method}() needs a value for '${next}'; undefined never widens a query`,
    fix: 'pass a value, or leave the bound out',
  }),
  wrongGroupSegment: (segment: unknown, length: number, shared: readonly string[]) => ({
    problem: `rows are grouped by a segment that all members share, not by ${valueText(segment)}`,
    fix: length === 0 ? 'leave groupBy() out' : `use one of ${quotedList(shared)}`,
  }),
  wrongSelect: (kind: string, properties: unknown) => ({
    problem: `select() takes an array of properties for '${kind}', not ${valueText(properties)}`,
    fix: `write select({ ${kind}: ['...'] })`,
  }),
  partialColumnMap: (kind: string) => ({
    problem: 'a collection reads column maps whole',
    fix: `name the map, or read its part with a query of '${kind}'`,
  }),
  emptyOnly: (kindListText: string) => ({
    problem: 'only() takes at least one member',
    fix: `use some of ${kindListText}`,
  }),
  wrongValues: (method: string, values: unknown, kind: string) => ({
    problem: `${method}() takes an object by member, not ${valueText(values)}`,
    fix: `write ${method}({ ${kind}: ... })`,
  }),
  unknownMember: (method: string, kind: unknown, kindListText: string) => ({
    problem: `${method}() names ${valueText(kind)}, which is not a member`,
    fix: `use some of ${kindListText}`,
  }),
  wrongLimit: (rows: unknown) => ({
    problem: `limit is ${valueText(rows)}`,
    fix: 'pass a whole number of at least 1, or an object of such numbers by member',
  }),
} satisfies FaultTexts;
