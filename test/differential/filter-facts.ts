/** What can be said of a filter without running it, for the rules of Google's emulator. */
import type { FamilySchema, Filter } from '../../src/store/index.js';

/** The filters inside. */
export const children = (filter: Filter): readonly Filter[] => {
  if (filter.kind === 'chain' || filter.kind === 'interleave') return filter.filters;
  if (filter.kind !== 'condition') return [];
  return [filter.predicate, filter.onTrue, filter.onFalse].filter((inner) => inner !== undefined);
};

/** Whether a filter of one of the kinds is anywhere inside. */
export function holds(filter: Filter, kinds: readonly Filter['kind'][]): boolean {
  return kinds.includes(filter.kind) || children(filter).some((inner) => holds(inner, kinds));
}

/** Whether cells could come to a strip with a label. */
export const labelsThenStrips = (filter: Filter): boolean =>
  holds(filter, ['label']) && holds(filter, ['stripValue']);

/**
 * Whether cells of more than one family are counted as one sequence: not where the chain has chosen
 * a family before.
 */
export function countsAcrossFamilies(
  filter: Filter,
  families: ReadonlyMap<string, FamilySchema>,
): boolean {
  return families.size > 1 && counts(filter, families);
}

function counts(filter: Filter, families: ReadonlyMap<string, FamilySchema>): boolean {
  if (filter.kind === 'cellsPerRow' || filter.kind === 'cellsPerRowOffset') return true;
  if (filter.kind !== 'chain') return children(filter).some((inner) => counts(inner, families));
  for (const inner of filter.filters) {
    if (counts(inner, families)) return true;
    if (
      inner.kind === 'columnRange' ||
      (inner.kind === 'familyRegex' && families.has(inner.pattern)) ||
      (inner.kind === 'families' && inner.families.length < 2) ||
      (inner.kind === 'columns' && inner.columns.length < 2)
    )
      return false;
  }
  return false;
}

/** Most versions of one column in a history (generate.ts, cellTime; one more from the clock). */
const mostVersions = 6;
/** Up to as many elements Go's sort.Sort leaves equal ones in their order. */
const stable = 12;

/**
 * Whether an interleave may give more cells of one column than Go's sort leaves in order;
 * `counted`: and something that counts cells follows.
 */
export function breaksTies(filter: Filter, counted: boolean): boolean {
  const { broken, counts: after } = ties(filter, {
    cells: mostVersions,
    broken: false,
    counts: false,
  });
  return broken && (!counted || after);
}

interface Ties {
  /** Most cells of one column here. */
  readonly cells: number;
  readonly broken: boolean;
  /** Whether cells in any order have been counted. */
  readonly counts: boolean;
}

function ties(filter: Filter, before: Ties): Ties {
  switch (filter.kind) {
    case 'chain':
      return filter.filters.reduce((state, inner) => ties(inner, state), before);
    case 'cellsPerRow':
    case 'cellsPerRowOffset':
      return { ...before, counts: before.counts || before.broken };
    case 'cellsPerColumn':
      return {
        cells: Math.min(before.cells, filter.count),
        broken: before.broken,
        counts: before.counts || before.broken,
      };
    case 'interleave': {
      const each = filter.filters.map((inner) => ties(inner, before));
      const cells = each.reduce((sum, one) => sum + one.cells, 0);
      return {
        cells,
        broken: cells > stable || each.some(({ broken }) => broken),
        counts: each.some((one) => one.counts),
      };
    }
    case 'condition': {
      const each = children(filter).map((inner) => ties(inner, before));
      return {
        cells: Math.max(...each.slice(1).map(({ cells }) => cells), 0),
        broken: each.some(({ broken }) => broken),
        counts: each.some((one) => one.counts),
      };
    }
    default:
      return before;
  }
}
