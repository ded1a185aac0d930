/** The stream `cells`, and the bytes of single cells. */
import { pointRange, type FaultTexts } from '../../../base/index.js';
import { type Cell, collectRows, type Filter } from '../../../data/store/index.js';
import type { CallOf, StudioContext } from '../context.js';
import { modelsOfTable } from '../state/entity-names.js';
import type { CellBytes, CellsLine } from '../protocol/row.js';
import type { RequestFields } from '../request-fields.js';
import { badRequest } from '../request-fields.js';
import { StudioError } from '../studio-error.js';
import { cellViews } from './cell-views.js';
import { entityOfKey } from './key-view.js';

/** Cells in a line. */
const lineCells = 250;
/** Bytes of a value that one call sends. */
const maxPart = 1 << 20;

/** Reads the cells of a row, in the order of storage. */
export async function* cellLines({
  context,
  request,
  signal,
}: CallOf<RequestFields>): AsyncGenerator<CellsLine> {
  const table = request.text('table');
  const key = request.bytes('key');
  const skip = request.count('skip', { min: 0, max: 1e9, fallback: 0 });
  const limit = request.count('limit', { max: 10_000, fallback: 1_000 });
  // One more shows whether there are more.
  const filters: Filter[] = [...cellFilters(request)];
  if (skip > 0) filters.push({ kind: 'cellsPerRowOffset', count: skip });
  filters.push({ kind: 'cellsPerRow', count: limit + 1 });
  const cells = await cellsOf(context, { table, key, filters, signal });
  const view = cellViews(entityOfKey(modelsOfTable(context.models, table), key));
  const shown = cells.slice(0, limit);
  for (let i = 0; i < shown.length; i += lineCells)
    yield { type: 'cells', cells: shown.slice(i, i + lineCells).map(view) };
  yield { type: 'end', more: cells.length > limit };
}

function cellFilters(request: RequestFields): readonly Filter[] {
  const filters: Filter[] = [];
  const family = request.optionalText('family');
  const qualifier = request.optionalBytes('qualifier');
  if (family === undefined && qualifier !== undefined)
    throw badRequest(request.pathOf('qualifier'), faults.qualifierAlone);
  if (family !== undefined) {
    const qualifiers = qualifier === undefined ? 'all' : [qualifier];
    filters.push({ kind: 'columns', columns: [{ family, qualifiers }] });
  }
  if (request.has('versions'))
    filters.push({ kind: 'cellsPerColumn', count: request.count('versions', { max: 1e9 }) });
  return filters;
}

interface CellsRead {
  readonly table: string;
  readonly key: Uint8Array;
  readonly filters: readonly Filter[];
  readonly signal: AbortSignal;
}

async function cellsOf(
  { db }: StudioContext,
  { table, key, filters, signal }: CellsRead,
): Promise<readonly Cell[]> {
  const filter: Filter = filters.length === 1 ? filters[0] : { kind: 'chain', filters };
  const plan = { table, ranges: [pointRange(key)], reversed: false, filter };
  const [row] = await collectRows(db.engine.readRows(plan, { signal }));
  return row?.cells ?? [];
}

/** Reads a part of the bytes of a cell. Throws NOT_FOUND if it is not stored any more. */
export async function readCellBytes(call: CallOf<RequestFields>): Promise<CellBytes> {
  const { request } = call;
  const offset = request.count('offset', { min: 0, max: 1e9, fallback: 0 });
  const length = request.count('length', { max: maxPart, fallback: maxPart });
  const value = await cellValue(call);
  const part = value.subarray(offset, offset + length);
  return { size: value.length, offset, bytes: Buffer.from(part).toString('base64') };
}

/** The value of the cell that a request names. Throws NOT_FOUND. */
export async function cellValue({
  context,
  request,
  signal,
}: CallOf<RequestFields>): Promise<Uint8Array> {
  const family = request.text('family');
  const qualifier = request.bytes('qualifier');
  const micros = microsOf(request);
  // Tables of milliseconds take bounds of milliseconds.
  const end = micros + (micros % 1_000n === 0n ? 1_000n : 1n);
  const filters: readonly Filter[] = [
    { kind: 'columns', columns: [{ family, qualifiers: [qualifier] }] },
    { kind: 'timestampRange', start: micros, end },
  ];
  const table = request.text('table');
  const cells = await cellsOf(context, { table, key: request.bytes('key'), filters, signal });
  const found = cells.find(({ timestamp }) => timestamp === micros);
  if (found !== undefined) return found.value;
  throw new StudioError('NOT_FOUND', faults.noCell);
}

function microsOf(request: RequestFields): bigint {
  const text = request.text('micros');
  if (/^-?\d{1,19}$/.test(text)) return BigInt(text);
  throw badRequest(request.pathOf('micros'), faults.wrongMicros);
}

const faults = {
  qualifierAlone: { problem: "'qualifier' needs a family", fix: "give 'family' as well" },
  wrongMicros: { problem: "'micros' must be the digits of a timestamp" },
  noCell: {
    problem: 'the row has no such cell any more',
    fix: 'read the row again: it was written or collected meanwhile',
  },
} satisfies FaultTexts;
