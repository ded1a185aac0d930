/** The values that rows of an entity copy: their source rows, and their cells. */
import {
  equalBytes,
  latin1Bytes,
  latin1Text,
  pointRange,
  unionRanges,
} from '../../../base/index.js';
import {
  type ColumnModel,
  type CopyModel,
  type EntityModel,
  qualifiersOf,
} from '../../model/index.js';
import {
  type Cell,
  collectRows,
  type Engine,
  type Filter,
  type Micros,
  type Mutation,
} from '../../../data/store/index.js';
import type { Copied, SourceValues } from '../protocol/step.js';

type Values = Readonly<Record<string, unknown>>;

/** A column that holds a copy, and its value. */
interface CopiedCell {
  readonly to: ColumnModel;
  readonly value: Uint8Array | undefined;
}

/** What an entity copies. */
export class CopiedValues {
  readonly #engine: Engine;
  readonly #model: EntityModel;

  constructor(engine: Engine, model: EntityModel) {
    this.#engine = engine;
    this.#model = model;
  }

  /** Reads rows by the names that `sourceNames` gave them. */
  async read(names: readonly string[]): Promise<Copied> {
    const { copies = [] } = this.#model;
    const found = new Map<string, SourceValues>();
    await Promise.all(
      copies.map(async (copy, at) => {
        const own = names.filter((name) => name.startsWith(`${at}:`));
        for (const each of await this.#readOf(copy, at, own)) found.set(each.source, each);
      }),
    );
    return names.map((source) => found.get(source)!);
  }

  async #readOf(
    { source, columns }: CopyModel,
    at: number,
    names: readonly string[],
  ): Promise<readonly SourceValues[]> {
    const keys = names.map((name) => latin1Bytes(name.slice(`${at}:`.length)));
    const ranges = unionRanges(keys.filter((key) => key.length > 0).map(pointRange));
    const rows =
      ranges.length === 0
        ? []
        : await collectRows(
            this.#engine.readRows({
              table: source.table.name,
              ranges,
              reversed: false,
              filter: newestCells(columns.map(({ from }) => from)),
            }),
          );
    const cellsOf = new Map(rows.map(({ key, cells }) => [latin1Text(key), cells]));
    return names.map((name, i) => {
      const cells = cellsOf.get(latin1Text(keys[i])) ?? [];
      const values = columns.map(({ from }) => {
        const value = newestOf(cells, from);
        return value === undefined ? null : latin1Text(value);
      });
      return { source: name, values };
    });
  }

  /** The mutations that write copied values, whatever cells there are. */
  mutations(copied: Copied, timestamp: Micros): Mutation[] {
    return copiedCells(this.#model, copied).flatMap(({ to, value }): Mutation[] => {
      const { family } = to;
      const deletions = qualifiersOf(to).map((qualifier): Mutation => ({
        kind: 'deleteFromColumn',
        family,
        qualifier,
      }));
      if (value === undefined) return deletions;
      const [qualifier] = qualifiersOf(to);
      return [...deletions, { kind: 'setCell', family, qualifier, timestamp, value }];
    });
  }
}

/** The cells that copied values make. */
export function copiedCells({ copies = [] }: EntityModel, copied: Copied): readonly CopiedCell[] {
  return copied.flatMap(({ source, values }) => {
    const { columns } = copies[Number(source.slice(0, source.indexOf(':')))];
    return columns.map(({ to }, i) => {
      const text = values[i];
      return { to, value: text === null ? undefined : latin1Bytes(text) };
    });
  });
}

/**
 * The names of the rows from which a row with these values copies, one for each of its copies. A
 * name without a key belongs to no row. Throws INVALID_KEY for values that are no key.
 */
export function sourceNames({ copies = [] }: EntityModel, values: Values): string[] {
  return copies.map(({ source, by }, at) => {
    const key: Record<string, unknown> = {};
    for (const { property, type } of source.segments) {
      const value = values[by.get(property)!] ?? null;
      if (value === null && type.nullable !== true) return `${at}:`;
      key[property] = value;
    }
    return `${at}:${latin1Text(source.key.encode(key))}`;
  });
}

/** The newest cells of columns. */
export function newestCells(columns: readonly ColumnModel[]): Filter {
  return {
    kind: 'chain',
    filters: [
      {
        kind: 'columns',
        columns: columns.map((column) => ({
          family: column.family,
          qualifiers: qualifiersOf(column),
        })),
      },
      { kind: 'cellsPerColumn', count: 1 },
    ],
  };
}

/** The newest cell of the first qualifier that has one. */
export function newestOf(cells: readonly Cell[], column: ColumnModel): Uint8Array | undefined {
  for (const qualifier of qualifiersOf(column)) {
    const cell = cells.find(
      (each) => each.family === column.family && equalBytes(each.qualifier, qualifier),
    );
    if (cell !== undefined) return cell.value;
  }
  return undefined;
}
