/**
 * Reads of whole entities from live tables without the filters that a table does not need: a server
 * evaluates them for each cell; without them Google's emulator sends wide rows in half the time.
 * What a filter would have left out is dropped here; if it is not rare, the table is read with
 * filters from then on.
 */
import { compileHydrator, type DroppedCells, type Hydrator } from '../../../mapping/index.js';
import { type EntityModel, storedModels, tableSchemas } from '../../../model/index.js';
import type { ColumnSelection } from '../../../query/index.js';
import type { Filter, GcRule } from '../../../../data/store/index.js';
import { withAfterRead } from './row-reader.js';

/** A read with fewer filters. */
export interface BareRead {
  /** What is left of the selection's filter; undefined for no filter. */
  readonly filter: Filter | undefined;
  readonly read: Hydrator;
  /** Called after rows were read. */
  readonly onRows: (rows: number) => void;
}

/** Dropped cells that are few, whatever the number of rows. */
const fewCells = 64;
/** Dropped cells for each row that are still rare. */
const rareCells = 0.5;
/** Rows after which the counts are halved, so that they follow changes. */
const countedRows = 65_536;

/** The reads of one database, and what its tables were seen to hold. */
export class BareReads {
  readonly #models: readonly EntityModel[];
  readonly #reads = new Map<ColumnSelection, BareRead>();
  readonly #filtered = new Set<string>();

  constructor(models: readonly EntityModel[]) {
    this.#models = models;
    const ending = models.filter(({ expiresAt }) => expiresAt !== undefined);
    // Their filters hide what has expired.
    for (const { name } of tableSchemas(storedModels(ending))) this.#filtered.add(name);
  }

  /** The read of a selection; undefined if it needs all of its filters. */
  of(model: EntityModel, selection: ColumnSelection): BareRead | undefined {
    const { whole, partial, where } = selection;
    if (!whole || partial !== undefined || where !== undefined) return undefined;
    if (this.#filtered.has(model.table.name)) return undefined;
    const known = this.#reads.get(selection);
    if (known !== undefined) return known;
    const filter = this.#filterOf(model, selection);
    if (filter === selection.filter) return undefined;
    const created = this.#create(model, selection, filter);
    this.#reads.set(selection, created);
    return created;
  }

  #create(model: EntityModel, selection: ColumnSelection, filter: Filter | undefined): BareRead {
    const dropped: DroppedCells = { count: 0 };
    const { columns, whole, families } = selection;
    let rows = 0;
    return {
      filter,
      read: withAfterRead(
        model,
        selection,
        compileHydrator(model, { columns, whole, existsIn: new Set(families), dropped }),
      ),
      onRows: (count) => {
        rows += count;
        if (dropped.count > Math.max(fewCells, rows * rareCells))
          this.#filtered.add(model.table.name);
        if (rows < countedRows) return;
        rows /= 2;
        dropped.count /= 2;
      },
    };
  }

  /** The steps of the filter that are needed; the same object if all are. */
  #filterOf(model: EntityModel, { families, filter }: ColumnSelection): Filter | undefined {
    if (filter.kind !== 'chain') return filter;
    const stored = this.#models.filter(({ table }) => table.name === model.table.name);
    const all = new Set(stored.flatMap(({ table }) => [...table.families.keys()]));
    const needed = filter.filters.filter((step) => {
      if (step.kind === 'families') return families.length < all.size;
      return step.kind !== 'cellsPerColumn' || step.count > 1 || !keepsOneVersion(model, families);
    });
    if (needed.length === filter.filters.length) return filter;
    if (needed.length === 0) return undefined;
    return Object.freeze<Filter>({ kind: 'chain', filters: needed });
  }
}

/**
 * Whether older cells are rare: the rules of the families collect them, and increments do not add
 * cells.
 */
function keepsOneVersion({ columns, table }: EntityModel, families: readonly string[]): boolean {
  if (columns.some((column) => column.kind === 'counter' && !column.aggregate)) return false;
  return families.every((family) => {
    const { gc, aggregate } = table.families.get(family)!;
    return aggregate !== undefined || maxVersionsOf(gc) === 1;
  });
}

/** Number of versions that a rule keeps at most. */
function maxVersionsOf(rule: GcRule | undefined): number {
  switch (rule?.kind) {
    case 'maxVersions':
      return rule.versions;
    case 'union':
      return Math.min(Infinity, ...rule.rules.map(maxVersionsOf));
    case 'intersection':
      return rule.rules.length === 0 ? Infinity : Math.max(...rule.rules.map(maxVersionsOf));
    default:
      return Infinity;
  }
}
