/** The call `row`: a row with its values, its key and the sizes of its cells. */
import { isRowsmithError, pointRange } from '../../../base/index.js';
import type { EntityModel } from '../../../entities/model/index.js';
import { repositoryOf } from '../../rows/index.js';
import type { CallOf, StudioContext } from '../context.js';
import { modelsOfTable } from '../state/entity-names.js';
import { measured, ReadMeter } from '../state/read-meter.js';
import type { JsonValue } from '../protocol/json.js';
import type { RowDetail } from '../protocol/row.js';
import type { RequestFields } from '../request-fields.js';
import { entityOfKey, segmentsOfKey, keyBytesView } from './key-view.js';
import { columnShower, detailLimits, segmentShower, ShownRow } from './shown-values.js';

/** Reads one row. */
export function readRow({ context, request, signal }: CallOf<RequestFields>): Promise<RowDetail> {
  return rowDetail(context, request.text('table'), request.bytes('key'), signal);
}

/** A row as it is now. */
export async function rowDetail(
  context: StudioContext,
  table: string,
  key: Uint8Array,
  signal?: AbortSignal,
): Promise<RowDetail> {
  const models = modelsOfTable(context.models, table);
  const model = entityOfKey(models, key);
  const sizes = await cellSizes(context, table, key, signal);
  const detail = {
    key: keyBytesView(table, key, model),
    exists: sizes.cells > 0,
    entity: model?.name,
    cuts: [],
    ...sizes,
  };
  if (model === undefined)
    return { ...detail, undecoded: { code: 'FOREIGN_KEY', ...foreignText(models, key) } };
  // Entries of indexes and rows of rollups are entities of the library alone.
  if (!context.models.includes(model)) return detail;
  const decoded = await decodedRow(context, model, key, signal);
  // Of a deleted row with indexes, cells of the library are left for a day.
  const exists = decoded.values !== undefined || decoded.undecoded !== undefined;
  return { ...detail, ...decoded, exists };
}

/** Why no entity has such a key. */
function foreignText(
  models: readonly EntityModel[],
  key: Uint8Array,
): { readonly reason: string; readonly fix?: string } {
  if (models.length === 0) return { reason: 'no entity of the project is in this table' };
  const reasons = models.map(({ name, key: codec }) => `${name}: ${codec.foreignReason(key)}`);
  return {
    reason: reasons.join(' '),
    fix: 'declare the entity that these rows belong to, or move them with rowsmith migrate',
  };
}

type Sizes = Pick<RowDetail, 'cells' | 'bytes' | 'families'>;

/** Counts the cells, without copies of their values. */
async function cellSizes(
  { db }: StudioContext,
  table: string,
  key: Uint8Array,
  signal: AbortSignal | undefined,
): Promise<Sizes> {
  const families = new Map<string, { name: string; cells: number; bytes: number }>();
  const plan = { table, ranges: [pointRange(key)], reversed: false };
  const stream = db.engine.readRows(plan, { signal });
  try {
    for (let page = await stream.next(); page !== undefined; page = await stream.next())
      while (page.nextRow())
        while (page.nextCell()) {
          const { family: name } = page;
          const family = families.get(name) ?? { name, cells: 0, bytes: 0 };
          family.cells++;
          family.bytes += page.valueEnd - page.valueStart;
          families.set(name, family);
        }
  } finally {
    await stream.close();
  }
  const all = [...families.values()];
  const sum = (of: (family: (typeof all)[number]) => number): number =>
    all.reduce((total, family) => total + of(family), 0);
  return {
    cells: sum(({ cells }) => cells),
    bytes: sum(({ bytes }) => bytes),
    families: all.sort((a, b) => (a.name < b.name ? -1 : 1)),
  };
}

type Decoded = Pick<RowDetail, 'values' | 'cuts' | 'undecoded'>;

async function decodedRow(
  { db }: StudioContext,
  model: EntityModel,
  key: Uint8Array,
  signal: AbortSignal | undefined,
): Promise<Decoded> {
  const meter = new ReadMeter();
  try {
    const repository = repositoryOf(db, model);
    const read = () => repository.get(segmentsOfKey(model, key), { signal });
    const entity = await measured(meter, read);
    const [error] = meter.takeLeftOut();
    if (error !== undefined) throw error;
    return entity === undefined ? { cuts: [] } : shownEntity(model, entity);
  } catch (error) {
    if (!isRowsmithError(error) || !unreadable.includes(error.code)) throw error;
    const { problem = error.message, fix } = error.details;
    return { cuts: [], undecoded: { code: error.code, reason: problem, fix } };
  }
}

/** Errors of the row itself. */
const unreadable: readonly string[] = ['DAMAGED_CELL', 'INCOMPLETE_ROW', 'HOOK_FAILED'];

/** The values of an entity by property. */
export function shownEntity(
  model: EntityModel,
  entity: object,
): { readonly values: Readonly<Record<string, JsonValue>>; readonly cuts: RowDetail['cuts'] } {
  const row = new ShownRow(detailLimits);
  const values: Record<string, JsonValue> = {};
  const given = entity as Readonly<Record<string, unknown>>;
  for (const segment of model.segments)
    values[segment.property] = segmentShower(segment)(given[segment.property], row);
  for (const column of model.columns)
    values[column.property] = columnShower(column)(given[column.property], row);
  return { values, cuts: row.cuts };
}
