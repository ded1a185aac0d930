/** The sizes of the cells that a write makes. */
import { maxCellBytes, suggestionText, valueText, type FaultTexts } from '../../../base/index.js';
import type { ColumnModel, EntityModel } from '../../../entities/model/index.js';
import { checkNames, numberIn, workloadError } from './check-values.js';
import type { ColumnSize } from './entity-load.js';
import type { ColumnLoad } from './workload.js';

const columnOptions = ['bytes', 'share', 'entries', 'value'];
const defaultBytes = 32;
/** Bytes of the values of scalar codecs, by their kind. */
const fixedBytes: Readonly<Record<string, number>> = {
  double: 8,
  float: 4,
  int64: 8,
  int32: 8,
  uint32: 8,
  date: 10,
  bool: 1,
  timestamp: 8,
};
const maxEntries = 1e6;

/** All columns, with the declared sizes or the default ones. */
export function columnSizes(model: EntityModel, declared: unknown = {}): readonly ColumnSize[] {
  const columns = model.columns.filter(({ property }) => !isManaged(model, property));
  checkColumns(model, columns, declared);
  const loads = declared as Readonly<Record<string, ColumnLoad | undefined>>;
  return model.columns.map((column) => columnSize(model, column, loads[column.property] ?? {}));
}

/** The library sets these: they are written always, and never declared. */
export function isManaged({ managed }: EntityModel, property: string): boolean {
  return managed !== undefined && Object.values(managed).includes(property);
}

function checkColumns(
  model: EntityModel,
  columns: readonly ColumnModel[],
  declared: unknown,
): void {
  if (typeof declared !== 'object' || declared === null)
    throw workloadError(model, 'columns', faults.wrongColumns(declared));
  const names = columns.map(({ property }) => property);
  const unknown = Object.keys(declared).find((name) => !names.includes(name));
  if (unknown === undefined) return;
  throw workloadError(model, unknown, faults.unknownColumn(unknown, names));
}

function columnSize(model: EntityModel, column: ColumnModel, load: ColumnLoad): ColumnSize {
  const { property } = column;
  checkNames(model, property, load, columnOptions);
  const { share = 1, entries = 1, value, bytes = sizeOf(column) } = load;
  numberIn(model, property, share, { min: 0.000001, max: 1, of: 'share' });
  if (entries !== 'grow')
    numberIn(model, property, entries, { min: 1, max: maxEntries, whole: true, of: 'entries' });
  if (entries !== 1 && column.kind !== 'columnMap')
    throw workloadError(model, property, faults.entriesWithoutMap(entries, property));
  if (value !== undefined && typeof value !== 'function')
    throw workloadError(model, property, faults.notAFunction);
  const { from, to } = boundsOf(model, property, bytes);
  numberIn(model, property, from, { min: 0, max: maxCellBytes, of: 'bytes' });
  numberIn(model, property, to, { min: from, max: maxCellBytes, of: 'bytes' });
  return { column, share, from, to, entries, value };
}

function boundsOf(
  model: EntityModel,
  property: string,
  bytes: ColumnLoad['bytes'],
): { readonly from: number; readonly to: number } {
  if (typeof bytes === 'number') return { from: bytes, to: bytes };
  const isBounds =
    typeof bytes === 'object' && bytes !== null && Object.keys(bytes).sort().join() === 'from,to';
  if (isBounds) return bytes;
  throw workloadError(model, property, faults.wrongBytes(valueText(bytes)));
}

function sizeOf({ kind, codec }: ColumnModel): number {
  if (kind === 'counter') return 8;
  return fixedBytes[codec.kind] ?? defaultBytes;
}

const faults = {
  wrongColumns: (declared: unknown) => ({
    problem: `columns is ${valueText(declared)}`,
    fix: 'give the sizes of columns: columns: { payload: { bytes: 200 } }',
  }),
  unknownColumn: (unknown: string, names: readonly string[]) => ({
    problem: `'${unknown}' is not a column of the entity`,
    fix: suggestionText(unknown, names, 'the columns are'),
  }),
  entriesWithoutMap: (entries: number | string, property: string) => ({
    problem: `entries is ${String(entries)}, but '${property}' is not a column map`,
    fix: 'leave entries out',
  }),
  notAFunction: { problem: 'value is not a function', fix: 'write value: (random) => ...' },
  wrongBytes: (given: string) => ({
    problem: `bytes is ${given}`,
    fix: 'give a number of bytes, or their bounds: { from: 10, to: 60 }',
  }),
} satisfies FaultTexts;
