/**
 * Compiles a migration to a function from old rows to new ones. Deterministic: a row may be moved
 * again, with the same result.
 */
import { noBytes, RowsmithError, type FaultTexts } from '../../../base/index.js';
import { patternsCollide } from '../../../data/key/index.js';
import { damagedCellError } from '../../../entities/mapping/index.js';
import { type ColumnModel, type EntityModel, isOwnFamily } from '../../../entities/model/index.js';
import { cellReads, lockOf, MessageEvolution, segmentBytes } from '../../schema/index.js';
import type { Cell, Row } from '../../../data/store/index.js';
import { ownsCell, qualifierRank } from '../column-qualifiers.js';
import { MappedRows } from './mapped-rows.js';
import type { Migration } from './migration.js';
import {
  aggregateOf,
  compareCells,
  declaresCell,
  isInPlace,
  isMarker,
  type MovedCell,
  type MovedRow,
} from './moved-row.js';

/** Moves rows of one migration. */
export interface RowMover {
  readonly from: EntityModel;
  readonly to: EntityModel;
  /** Whether different old keys are known to become different new keys. */
  readonly injective: boolean;
  /**
   * Returns undefined if the row does not belong to the old entity, or none of its cells does.
   * Throws DAMAGED_CELL, INVALID_VALUE or INVALID_KEY.
   */
  move(row: Row): MovedRow | undefined;
}

/** Compiles a migration. Throws INVALID_DECLARATION if it would lose or mix up rows. */
export function rowMover(
  from: EntityModel,
  to: EntityModel,
  { map, drop = [] }: Migration,
): RowMover {
  checkKeys(from, to, map !== undefined);
  if (map === undefined) return cellMover(from, to, drop);
  const decodeKey = from.key.decoder();
  const mapped = new MappedRows(from, to, map);
  return {
    from,
    to,
    injective: false,
    move: (row) => (decodeKey(row.key, 0, row.key.length, {}) ? mapped.move(row) : undefined),
  };
}

/** Copies cells of columns with the same name. */
function cellMover(from: EntityModel, to: EntityModel, drop: readonly string[]): RowMover {
  const columns = columnPairs(from, to, drop);
  checkPlaces(from, to, columns);
  const decodeKey = from.key.decoder();
  return {
    from,
    to,
    injective: keepsKeys(from, to),
    move(row) {
      const values: Record<string, unknown> = {};
      if (!decodeKey(row.key, 0, row.key.length, values)) return undefined;
      return copyCells(from, to, row, to.key.encode(values), columns);
    },
  };
}

/** Options of segments with which several values are written alike. */
const lossyOptions = ['normalize', 'lower', 'floor', 'precision', 'unit'] as const;

/** Whether the new key holds every segment of the old one, written without loss or as before. */
function keepsKeys(from: EntityModel, to: EntityModel): boolean {
  return from.segments.every(({ property, type }) => {
    const target = to.segments.find((segment) => segment.property === property)?.type;
    if (target?.kind !== type.kind) return false;
    return lossyOptions.every((name) => [undefined, type[name]].includes(target[name]));
  });
}

/** Within one table, a new row must not be taken for an old one that is still to be moved. */
function checkKeys(from: EntityModel, to: EntityModel, isMapped: boolean): void {
  if (from.table.name !== to.table.name) return;
  // With equal parts, a key that both read is the same row, and shards differ by their hash. A map
  // function may change the values: see RereadRows.
  const isSameFormat = keyFormat(from) === keyFormat(to);
  if (isSameFormat && (isMapped || isSameOrder(from, to))) return;
  const collision = isSameFormat
    ? `its segments are ${to.key.names.join(', ')} instead of ${from.key.names.join(', ')}`
    : patternsCollide(from.key, to.key);
  if (collision === undefined) return;
  throw new RowsmithError('INVALID_DECLARATION', {
    entity: to.name,
    property: 'key',
    ...faults.keyCollision(to.table.name, to.name, from.name, collision),
  });
}

function isSameOrder(from: EntityModel, to: EntityModel): boolean {
  return from.key.names.join() === to.key.names.join();
}

/** The format and parts of a key, without the names of its segments. */
function keyFormat({ key: { spec } }: EntityModel): string {
  const parts = spec.parts.map((part) => (part.kind === 'literal' ? part : { ...part, name: '' }));
  return JSON.stringify({ format: spec.format, parts });
}

interface ColumnPair {
  readonly from: ColumnModel;
  /** Undefined for a dropped column. */
  readonly to: ColumnModel | undefined;
}

function columnPairs(
  from: EntityModel,
  to: EntityModel,
  drop: readonly string[],
): readonly ColumnPair[] {
  const messages = new MessageEvolution(lockOf([from]), lockOf([to]));
  return from.columns.map((column) => {
    const { property } = column;
    const isDropped = drop.includes(property);
    const target = to.columns.find((candidate) => candidate.property === property);
    if (target === undefined) {
      if (isDropped) return { from: column, to: undefined };
      throw new RowsmithError('INVALID_DECLARATION', {
        entity: to.name,
        property,
        ...faults.missingColumn(from.name, property, to.name),
      });
    }
    if (!isCompatible(column, target, messages)) {
      const [oldType, newType] = [column, target].map(columnText);
      throw new RowsmithError('INVALID_DECLARATION', {
        entity: to.name,
        property,
        ...faults.incompatibleTypes(property, oldType, newType),
      });
    }
    return { from: column, to: isDropped ? undefined : target };
  });
}

/** In place, a column must not be written over another one of the same row. */
function checkPlaces(from: EntityModel, to: EntityModel, pairs: readonly ColumnPair[]): void {
  if (from.table.name !== to.table.name || keyFormat(from) !== keyFormat(to)) return;
  for (const pair of pairs) {
    const target = pair.to;
    if (target === undefined) continue;
    const other = pairs.find((each) => each !== pair && isWrittenOver(each.from, target));
    if (other === undefined) continue;
    const { property } = pair.from;
    throw new RowsmithError('INVALID_DECLARATION', {
      entity: to.name,
      property,
      ...faults.overwrittenColumn(property, other.from.property),
    });
  }
}

function isWrittenOver(old: ColumnModel, target: ColumnModel): boolean {
  if (old.family !== target.family) return false;
  if (old.kind === 'columnMap' || target.kind === 'columnMap') return true;
  return qualifierRank(old, target.qualifier) >= 0;
}

/** Whether cells of the old column can be read by the new one. */
function isCompatible(from: ColumnModel, to: ColumnModel, messages: MessageEvolution): boolean {
  return (
    isAggregate(from) === isAggregate(to) &&
    (from.kind === 'columnMap') === (to.kind === 'columnMap') &&
    qualifiersOf(from) === qualifiersOf(to) &&
    cellReads(typeOf(from), typeOf(to), messages)
  );
}

function isAggregate(column: ColumnModel): boolean {
  return (column.kind === 'counter' || column.kind === 'columnMap') && column.aggregate;
}

/** What determines the bytes of a map's qualifiers. */
function qualifiersOf(column: ColumnModel): string {
  if (column.kind !== 'columnMap') return '';
  return JSON.stringify(segmentBytes(column.qualifiers.type));
}

function columnText(column: ColumnModel): string {
  if (column.kind === 'columnMap' && column.qualifiers.type.kind !== 'string')
    return `${column.kind} of ${typeOf(column)} by ${column.qualifiers.type.kind}`;
  return `${column.kind} of ${typeOf(column)}`;
}

/** The type of a column's cells as the lock file names it. */
function typeOf({ codec, message }: ColumnModel): string {
  if (message === undefined) return codec.kind;
  return `message ${message.name}`;
}

/** The cells of a column under one qualifier; the lowest rank is the column's value. */
interface ColumnCells {
  readonly rank: number;
  readonly cells: Cell[];
}

function copyCells(
  from: EntityModel,
  to: EntityModel,
  row: Row,
  newKey: Uint8Array,
  pairs: readonly ColumnPair[],
): MovedRow | undefined {
  const inPlace = isInPlace(from, to, row.key, newKey);
  const taken: Cell[] = [];
  const copied = new Map<ColumnPair, ColumnCells>();
  let undeclared = 0;
  let newest = 0n;
  for (const cell of row.cells) {
    if (isOwnFamily(cell.family)) continue;
    if (!isMarker(from, cell)) {
      const pair = pairs.find((candidate) => ownsCell(candidate.from, cell));
      if (pair?.to === undefined) {
        // In place, a cell that only the new class declares is not left behind.
        const isNew = pair === undefined && inPlace && declaresCell(to, cell);
        if (!isNew) undeclared++;
        continue;
      }
      addCell(copied, pair, cell);
    }
    taken.push(cell);
    if (cell.timestamp > newest) newest = cell.timestamp;
  }
  if (taken.length === 0) return undefined;
  const cells = [...copied].flatMap(([pair, column]) =>
    column.cells.map((cell) => movedCell(from, to, row.key, pair, cell)),
  );
  if (to.marker !== undefined)
    cells.push({ ...to.marker, timestamp: newest, value: noBytes, aggregate: undefined });
  return { source: row, to: newKey, cells: cells.sort(compareCells), taken, undeclared };
}

/** Of several qualifiers of a column, keeps the cells of the lowest rank, as readers do. */
function addCell(copied: Map<ColumnPair, ColumnCells>, pair: ColumnPair, cell: Cell): void {
  let rank = 0;
  if (pair.from.kind !== 'columnMap') rank = qualifierRank(pair.from, cell.qualifier);
  const found = copied.get(pair);
  if (found === undefined || rank < found.rank) copied.set(pair, { rank, cells: [cell] });
  else if (rank === found.rank) found.cells.push(cell);
}

/**
 * Copies the bytes unchanged, with any unknown fields, and checks that the new column reads them.
 */
function movedCell(
  from: EntityModel,
  target: EntityModel,
  key: Uint8Array,
  pair: ColumnPair,
  { qualifier, timestamp, value }: Cell,
): MovedCell {
  const column = pair.to!;
  try {
    column.codec.decode(value, 0, value.length);
  } catch (fault) {
    throw damagedCellError(from, pair.from, key, qualifier, fault);
  }
  return {
    family: column.family,
    qualifier: column.kind === 'columnMap' ? qualifier : column.qualifier,
    timestamp,
    value,
    aggregate: aggregateOf(target, column),
  };
}

const faults = {
  keyCollision: (tableName: string, toName: string, fromName: string, collision: string) => ({
    problem: `in table '${tableName}' a key of ${toName} can be one of ${fromName}: ${collision}`,
    fix: 'start the new key with a literal of its own, or give the new entity another table',
  }),
  missingColumn: (fromName: string, property: string, toName: string) => ({
    problem: `${fromName} has the column '${property}', and ${toName} has no column of this name`,
    fix: `give ${toName} the column, name it in drop: ['${property}'], or write a map function`,
  }),
  incompatibleTypes: (property: string, oldType: string, newType: string) => ({
    problem: `'${property}' was a ${oldType}, and as a ${newType} its cells would be misread`,
    fix: 'write a map function that returns the new value',
  }),
  overwrittenColumn: (property: string, fromProperty: string) => ({
    problem: `'${property}' would be written over '${fromProperty}' of the same row`,
    fix: 'give it a qualifier that the old class does not use, or give the new entity another table',
  }),
} satisfies FaultTexts;
