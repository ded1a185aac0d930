/** The part of a table that an authorized view shows (SubsetView in table.proto). */
import {
  compareBytes,
  latin1Text,
  prefixRange,
  rangeContains,
  intersectRanges,
  unionRanges,
  type KeyRange,
} from '../../../base/index.js';
import type { Filter } from '../filter.js';

/** The columns of a family that a view shows: a column is shown if either list has it. */
export interface ColumnSubset {
  readonly qualifiers: readonly Uint8Array[];
  /** The empty prefix stands for all columns. */
  readonly qualifierPrefixes: readonly Uint8Array[];
}

/** A view shows the cells that are in its rows and in its columns. */
export interface SubsetView {
  /** The empty prefix stands for all rows; an empty list shows none. */
  readonly rowPrefixes: readonly Uint8Array[];
  /** By name. Families without an entry are not shown. */
  readonly families: ReadonlyMap<string, ColumnSubset>;
}

/** The columns of one family, without overlaps. */
class FamilySubset {
  readonly hasAll: boolean;
  /** Those that no prefix covers. */
  readonly #qualifiers: readonly Uint8Array[];
  readonly #texts: ReadonlySet<string>;
  readonly #prefixes: readonly KeyRange[];

  constructor({ qualifiers, qualifierPrefixes }: ColumnSubset) {
    this.#prefixes = unionRanges(qualifierPrefixes.map(prefixRange));
    this.hasAll = qualifierPrefixes.some(({ length }) => length === 0);
    this.#qualifiers = qualifiers.filter((qualifier) => !this.#hasPrefixOf(qualifier));
    this.#texts = new Set(this.#qualifiers.map(latin1Text));
  }

  has(qualifier: Uint8Array): boolean {
    return this.#texts.has(latin1Text(qualifier)) || this.#hasPrefixOf(qualifier);
  }

  /** True if all columns of the other are columns of this. */
  includes(other: FamilySubset): boolean {
    const ranges = other.#prefixes.every((range) =>
      this.#prefixes.some((own) => isWithin(range, own)),
    );
    return ranges && other.#qualifiers.every((qualifier) => this.has(qualifier));
  }

  /** No cell passes two of the filters. */
  filters(family: string): Filter[] {
    if (this.hasAll) return [{ kind: 'columns', columns: [{ family, qualifiers: 'all' }] }];
    const filters: Filter[] = this.#prefixes.map(({ start, end }) => ({
      kind: 'columnRange',
      family,
      start: { qualifier: start, inclusive: true },
      end: end && { qualifier: end, inclusive: false },
    }));
    if (this.#qualifiers.length > 0)
      filters.push({ kind: 'columns', columns: [{ family, qualifiers: this.#qualifiers }] });
    return filters;
  }

  #hasPrefixOf(qualifier: Uint8Array): boolean {
    return this.#prefixes.some((range) => rangeContains(range, qualifier));
  }
}

/** A view of a table, prepared for calls. */
export class TableSubset {
  /** Sorted and disjoint. */
  readonly ranges: readonly KeyRange[];
  /** Passes the cells of the columns, each once. */
  readonly filter: Filter;
  readonly #families: ReadonlyMap<string, FamilySubset>;
  readonly #hasAllColumns: boolean;

  /** `tableFamilies` are the families that exist: filters must not name another. */
  constructor({ rowPrefixes, families }: SubsetView, tableFamilies: Iterable<string>) {
    const existing = new Set(tableFamilies);
    this.ranges = unionRanges(rowPrefixes.map(prefixRange));
    this.#families = new Map(
      [...families]
        .filter(([family]) => existing.has(family))
        .map(([family, columns]) => [family, new FamilySubset(columns)]),
    );
    const filters = [...this.#families].flatMap(([family, subset]) => subset.filters(family));
    this.filter = filters.length === 0 ? { kind: 'blockAll' } : interleaved(filters);
    this.#hasAllColumns = [...existing].every((family) => this.hasFamily(family));
  }

  hasKey(key: Uint8Array): boolean {
    let low = 0;
    let high = this.ranges.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (compareBytes(this.ranges[middle].start, key) <= 0) low = middle + 1;
      else high = middle;
    }
    return low > 0 && rangeContains(this.ranges[low - 1], key);
  }

  hasColumn(family: string, qualifier: Uint8Array): boolean {
    return this.#families.get(family)?.has(qualifier) === true;
  }

  /** True if the view has all columns of the family. */
  hasFamily(family: string): boolean {
    return this.#families.get(family)?.hasAll === true;
  }

  /** True if the view has all columns of all families of the table. */
  get hasAllColumns(): boolean {
    return this.#hasAllColumns;
  }

  /** True if all that the other view shows is part of this. */
  includes(other: TableSubset): boolean {
    const rows = other.ranges.every((range) => this.ranges.some((own) => isWithin(range, own)));
    return (
      rows &&
      [...other.#families].every(
        ([family, subset]) => this.#families.get(family)?.includes(subset) === true,
      )
    );
  }

  /** The parts of the ranges, sorted and disjoint, that the view has. */
  intersect(ranges: readonly KeyRange[]): readonly KeyRange[] {
    const parts: KeyRange[] = [];
    for (let i = 0, j = 0; i < ranges.length && j < this.ranges.length;) {
      const part = intersectRanges(ranges[i], this.ranges[j]);
      if (part !== undefined) parts.push(part);
      if (endsBefore(ranges[i], this.ranges[j])) i++;
      else j++;
    }
    return parts;
  }
}

/** Columns of several families are one filter. */
function interleaved(filters: readonly Filter[]): Filter {
  const columns = filters.flatMap((filter) => (filter.kind === 'columns' ? filter.columns : []));
  const merged: Filter[] = filters.filter((filter) => filter.kind !== 'columns');
  if (columns.length > 0) merged.push({ kind: 'columns', columns });
  return merged.length === 1 ? merged[0] : { kind: 'interleave', filters: merged };
}

/** True if the first range does not end after the second. */
function endsBefore({ end: a }: KeyRange, { end: b }: KeyRange): boolean {
  if (a === undefined || b === undefined) return b === undefined;
  return compareBytes(a, b) <= 0;
}

function isWithin(inner: KeyRange, outer: KeyRange): boolean {
  return compareBytes(outer.start, inner.start) <= 0 && endsBefore(inner, outer);
}
