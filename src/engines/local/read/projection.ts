/**
 * A read plan's filter, compiled for one table: a projection that the scan applies while it walks,
 * or a filter over the row's cells.
 */
import type { Filter } from '../../../store/index.js';
import { equalBytes } from '../../../bytes/index.js';
import { compileFilter, type CellFilter } from './cell-filter.js';
import { compilePattern, type ByteMatcher } from './regex.js';
import type { Collects } from '../table/gc.js';
import type { TableState } from '../table/table-state.js';

/** What is wanted of one family. */
export interface FamilyRead {
  readonly name: string;
  /** True when every cell is wanted and none can be hidden: nothing to check. */
  readonly plain: boolean;
  /** The qualifiers wanted; undefined for all. */
  readonly qualifiers: readonly Uint8Array[] | undefined;
  /** The rule that hides cells; undefined where none does. */
  readonly collects: Collects | undefined;
}

/** What is wanted of each row. */
export interface CellProjection {
  /** Index is the family's number; a family that is not there is skipped by its length. */
  readonly families: readonly (FamilyRead | undefined)[];
  /** Newest cells wanted of each column. */
  readonly perColumn: number;
  readonly strip: boolean;
  /**
   * True when the first wanted cell of each row is all that is wanted of it: how rows are counted
   * and their keys listed.
   */
  readonly single: boolean;
  /** What is left to do over the cells of the row; undefined when the walk does it all. */
  readonly filter: CellFilter | undefined;
  /** Rows whose key it does not match are passed over undecoded; only where there is a filter. */
  readonly rowKey: ByteMatcher | undefined;
}

interface Wanted {
  /** Undefined: all families. */
  columns: Map<string, 'all' | readonly Uint8Array[]> | undefined;
  perColumn: number;
  strip: boolean;
  single: boolean;
}

/**
 * Compiles the filter, which has been checked; with `hide`, cells that the rules would collect are
 * not there. `random` is for rowSample.
 */
export function compileProjection(
  table: TableState,
  filter: Filter | undefined,
  hide: boolean,
  random: () => number,
): CellProjection {
  const wanted = everything();
  // The beginning of the chain, as far as it goes, is done by the walk; the rest sees only what is
  // left.
  const steps = filter === undefined ? [] : flat(filter);
  const walked = steps.findIndex((step) => !gather(step, wanted));
  const rest = walked < 0 ? [] : steps.slice(walked);
  const { columns, perColumn, strip, single } = wanted;
  const families = table.byId.map((family) => {
    if (family === undefined) return undefined;
    const qualifiers = columns === undefined ? 'all' : columns.get(family.name);
    if (qualifiers === undefined || qualifiers.length === 0) return undefined;
    const collects = hide ? family.collects : undefined;
    const plain =
      qualifiers === 'all' && collects === undefined && perColumn === Infinity && !strip;
    return {
      name: family.name,
      plain,
      qualifiers: qualifiers === 'all' ? undefined : qualifiers,
      collects,
    };
  });
  if (rest.length === 0)
    return { families, perColumn, strip, single, filter: undefined, rowKey: undefined };
  const rowKey = rest[0].kind === 'rowKeyRegex' ? compilePattern(rest[0].pattern) : undefined;
  return {
    families,
    perColumn,
    strip,
    single,
    filter: compileFilter({ kind: 'chain', filters: rest }, random),
    rowKey,
  };
}

/** The steps of a chain, those of chains in it too. */
function flat(filter: Filter): readonly Filter[] {
  return filter.kind === 'chain' ? filter.filters.flatMap(flat) : [filter];
}

function everything(): Wanted {
  return { columns: undefined, perColumn: Infinity, strip: false, single: false };
}

/**
 * Adds the filter to what is wanted; false when it is more than a projection. Kinds that choose
 * columns, versions and values commute, so their order does not matter; the first cell of a row is
 * the first of what was chosen before, so nothing may choose after it.
 */
function gather(filter: Filter, wanted: Wanted): boolean {
  if (
    wanted.single &&
    (filter.kind === 'cellsPerColumn' || filter.kind === 'families' || filter.kind === 'columns')
  )
    return false;
  switch (filter.kind) {
    case 'passAll':
      return true;
    case 'stripValue':
      wanted.strip = true;
      return true;
    case 'cellsPerRow':
      if (filter.count !== 1) return false;
      wanted.single = true;
      return true;
    case 'cellsPerColumn':
      wanted.perColumn = Math.min(wanted.perColumn, filter.count);
      return true;
    case 'families':
      narrow(wanted, new Map(filter.families.map((family) => [family, 'all'] as const)));
      return true;
    case 'columns': {
      const columns = new Map<string, 'all' | Uint8Array[]>();
      for (const { family, qualifiers } of filter.columns) {
        const before = columns.get(family) ?? [];
        columns.set(
          family,
          qualifiers === 'all' || before === 'all' ? 'all' : [...before, ...qualifiers],
        );
      }
      narrow(wanted, columns);
      return true;
    }
    default:
      return false;
  }
}

function narrow(wanted: Wanted, columns: Map<string, 'all' | readonly Uint8Array[]>): void {
  const before = wanted.columns;
  if (before !== undefined) {
    for (const [family, qualifiers] of columns) {
      const other = before.get(family) ?? [];
      if (qualifiers === 'all') columns.set(family, other);
      else if (other !== 'all')
        columns.set(
          family,
          qualifiers.filter((qualifier) => other.some((one) => equalBytes(one, qualifier))),
        );
    }
  }
  wanted.columns = columns;
}

/**
 * Every stored cell, also of dropped families and also what the rules would collect: for the
 * engine's own sweeps.
 */
export function everyCell(table: TableState): CellProjection {
  const read: FamilyRead = { name: '', plain: true, qualifiers: undefined, collects: undefined };
  return {
    families: new Array<FamilyRead>(table.nextFamily).fill(read),
    perColumn: Infinity,
    strip: false,
    single: false,
    filter: undefined,
    rowKey: undefined,
  };
}
