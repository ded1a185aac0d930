/** The stream `tables`: tables, stored and declared, each once it was measured. */
import { isRowsmithError } from '../../../base/index.js';
import type { TableSchema } from '../../../data/store/index.js';
import { gcRuleText } from '../../../entities/model/index.js';
import { estimateRows } from '../../rows/index.js';
import type { CallOf, StudioContext } from '../context.js';
import { modelsOfTable } from '../state/entity-names.js';
import type { StudioTable, TablesLine } from '../protocol/schema.js';
import { reportedError } from '../studio-error.js';

/** Lists the tables, those of entities first. */
export async function* listTables({
  context,
  signal,
}: CallOf<unknown>): AsyncGenerator<TablesLine> {
  const { db, models } = context;
  const stored = new Map((await db.engine.listTables()).map((table) => [table.name, table]));
  const declared = models.map(({ table }) => table.name);
  const names = new Set([...declared, ...stored.keys()]);
  for (const name of names) {
    signal.throwIfAborted();
    yield { type: 'table', table: await measuredTable(context, name, stored.get(name)) };
  }
  yield { type: 'end' };
}

async function measuredTable(
  context: StudioContext,
  name: string,
  stored: TableSchema | undefined,
): Promise<StudioTable> {
  const families = [...(stored?.families ?? [])].map(([family, { gc, aggregate }]) => ({
    name: family,
    gc: gc === undefined ? 'never' : gcRuleText(gc),
    aggregate,
  }));
  const own = context.models.filter(({ table, view }) => table.name === name && view === undefined);
  const empty = { rows: 0, estimated: false };
  const table: StudioTable = {
    name,
    stored: stored !== undefined,
    families,
    entities: own.map((model) => ({ name: model.name, rows: empty })),
    derived: own.length > 0 ? undefined : derivedKind(context, name),
  };
  if (stored === undefined) return table;
  try {
    const entities = [];
    for (const model of own) {
      const rows = (await estimateRows(context.db.engine, model)) ?? empty;
      entities.push({ name: model.name, rows });
    }
    return { ...table, entities, bytes: (await context.keySpaces.of(name)).bytes };
  } catch (error) {
    if (!isRowsmithError(error)) throw error;
    return { ...table, error: reportedError(error).failure };
  }
}

/** What a table without entities is for. */
function derivedKind({ models }: StudioContext, name: string): StudioTable['derived'] {
  const isIn = (table: { readonly name: string }): boolean => table.name === name;
  if (models.some(({ indexes }) => indexes.some(({ entry }) => isIn(entry.table)))) return 'index';
  if (models.some(({ rollups }) => rollups.some(({ rows }) => isIn(rows.table)))) return 'rollup';
  return modelsOfTable(models, name).length > 0 ? 'copies' : undefined;
}
