/**
 * Converts stored rows to records: the properties of the entity, and for an exact copy timestamps
 * and older versions.
 */
import { copyBytes } from '../../../base/index.js';
import {
  damagedCellError,
  type MapColumn,
  qualifierReader,
} from '../../../entities/mapping/index.js';
import { type ColumnModel, type EntityModel, qualifiersOf } from '../../../entities/model/index.js';
import type { RowCursor } from '../../../data/store/index.js';

import { cellTextForm, segmentTextForms, type TextForm } from '../../../data/text/index.js';
import { extras, markerName, type RowRecord } from '../text/row-record.js';

/** Converts rows of one export and counts what it reads. */
export interface RowWriter {
  /**
   * Returns the record of the cursor's row, or undefined if the row does not belong to the entity.
   * Throws DAMAGED_CELL.
   */
  record(cursor: RowCursor): RowRecord | undefined;
  /** Cells read that the entity does not declare; they are not in the records. */
  undeclared: number;
  /** Bytes of all values read, including undeclared cells. */
  bytes: number;
}

type Timestamps = Record<string, unknown>;

/** What was read of a row. */
interface Row {
  readonly record: RowRecord;
  readonly timestamps: Timestamps;
  readonly older: Record<string, unknown>;
  /** By property, the index of the qualifier its value was read from; 0 is its own. */
  readonly ranks: Record<string, number>;
  /** The timestamp that all cells so far have in common; false if they differ. */
  commonTimestamp: bigint | undefined | false;
}

/** Adds the cursor's cell to the row. */
type CellReader = (row: Row, cursor: RowCursor) => void;

/** Compiles the writer of an entity. `exact` adds timestamps and older versions. */
export function rowWriter(model: EntityModel, exact: boolean): RowWriter {
  // Rows are whole also in a scope, so that an import of them needs none.
  const decodeKey = (model.key.scope ?? model.key).decoder();
  const segments = model.segments.map(({ property, type }) => ({
    property,
    format: segmentTextForms[type.kind].format,
  }));
  const families = cellReaders(model);
  const order = model.columns.map(({ property }) => property);

  function readCells(row: Row, cursor: RowCursor): boolean {
    let declared = false;
    while (cursor.nextCell()) {
      writer.bytes += cursor.valueEnd - cursor.valueStart;
      const family = families.get(cursor.family);
      const read = family?.map ?? family?.columns.get(qualifierText(cursor));
      if (read === undefined) writer.undeclared++;
      else {
        read(row, cursor);
        declared = true;
      }
    }
    return declared;
  }

  const writer: RowWriter = {
    undeclared: 0,
    bytes: 0,
    record(cursor) {
      const key: Record<string, unknown> = {};
      if (!decodeKey(cursor.keyBytes, cursor.keyStart, cursor.keyEnd, key)) return undefined;
      const record: RowRecord = {};
      for (const { property, format } of segments)
        record[property] = key[property] === null ? null : format(key[property]);
      const row: Row = {
        record: {},
        timestamps: {},
        older: {},
        ranks: {},
        commonTimestamp: undefined,
      };
      if (!readCells(row, cursor)) return undefined;
      // In the order of the columns, not of earlier qualifiers.
      for (const property of order)
        if (row.record[property] !== undefined) record[property] = row.record[property];
      if (exact) addExtras(record, row);
      return record;
    },
  };
  return writer;
}

function addExtras(record: RowRecord, { timestamps, older, commonTimestamp }: Row): void {
  if (typeof commonTimestamp === 'bigint') record[extras.at] = microsOf(commonTimestamp);
  else if (Object.keys(timestamps).length > 0) record[extras.at] = timestamps;
  if (Object.values(older).some((versions) => versions !== undefined)) record[extras.older] = older;
}

/** A number while that is exact (until the year 2255), otherwise text. */
function microsOf(timestamp: bigint): number | string {
  const number = Number(timestamp);
  if (Number.isSafeInteger(number)) return number;
  return String(timestamp);
}

interface FamilyReaders {
  /** Reads every cell of the family, if it belongs to a column map. */
  readonly map?: CellReader;
  /** By qualifier, one character per byte. */
  readonly columns: Map<string, CellReader>;
}

function cellReaders(model: EntityModel): ReadonlyMap<string, FamilyReaders> {
  const families = new Map<string, FamilyReaders>();
  const columnsOf = (family: string): Map<string, CellReader> => {
    const { columns } = families.get(family) ?? { columns: new Map<string, CellReader>() };
    families.set(family, { columns });
    return columns;
  };
  for (const column of model.columns) {
    const form = cellTextForm(column);
    if (column.kind === 'columnMap') {
      const map = reportDamage(model, column, mapReader(column, form));
      families.set(column.family, { columns: new Map(), map });
      continue;
    }
    const columns = columnsOf(column.family);
    qualifiersOf(column).forEach((qualifier, rank) => {
      const read = reportDamage(model, column, columnReader(column, form, rank));
      columns.set(Buffer.from(qualifier).toString('latin1'), read);
    });
  }
  if (model.marker !== undefined) columnsOf(model.marker.family).set('', readMarker);
  return families;
}

function columnReader(column: ColumnModel, form: TextForm, rank: number): CellReader {
  if (column.kind === 'counter' && column.aggregate) return aggregateReader(column, form);
  if (column.kind === 'versions') return versionsReader(column, form);
  return valueReader(column, form, rank);
}

function reportDamage(model: EntityModel, column: ColumnModel, read: CellReader): CellReader {
  return (row, cursor) => {
    try {
      read(row, cursor);
    } catch (error) {
      const key = copyBytes(cursor.keyBytes, cursor.keyStart, cursor.keyEnd);
      const qualifier = copyBytes(
        cursor.qualifierBytes,
        cursor.qualifierStart,
        cursor.qualifierEnd,
      );
      throw damagedCellError(model, column, key, qualifier, error);
    }
  };
}

function addTimestamp(row: Row, timestamps: Timestamps, name: string, timestamp: bigint): void {
  timestamps[name] = microsOf(timestamp);
  if (row.commonTimestamp === undefined) row.commonTimestamp = timestamp;
  else if (row.commonTimestamp !== timestamp) row.commonTimestamp = false;
}

function readMarker(row: Row, cursor: RowCursor): void {
  if (row.timestamps[markerName] === undefined)
    addTimestamp(row, row.timestamps, markerName, cursor.timestamp());
}

/**
 * Of the qualifiers that have cells in a row, the first gives the value. Cells of other qualifiers
 * are dropped, as `save` would delete them.
 */
function valueReader({ property, codec }: ColumnModel, form: TextForm, rank: number): CellReader {
  return (row, cursor) => {
    const found = row.ranks[property];
    if (found !== undefined && found < rank) return;
    const timestamp = cursor.timestamp();
    const value = form.format(codec.decode(cursor.valueBytes, cursor.valueStart, cursor.valueEnd));
    if (found !== rank) {
      row.record[property] = value;
      row.ranks[property] = rank;
      row.older[property] = undefined;
      addTimestamp(row, row.timestamps, property, timestamp);
    } else ((row.older[property] ??= []) as unknown[]).push([microsOf(timestamp), value]);
  };
}

/** An aggregate has one cell; its timestamp carries no information. */
function aggregateReader({ property, codec }: ColumnModel, form: TextForm): CellReader {
  return (row, cursor) => {
    row.record[property] ??= form.format(
      codec.decode(cursor.valueBytes, cursor.valueStart, cursor.valueEnd),
    );
  };
}

function versionsReader({ property, codec }: ColumnModel, form: TextForm): CellReader {
  return (row, cursor) => {
    const value = form.format(codec.decode(cursor.valueBytes, cursor.valueStart, cursor.valueEnd));
    ((row.record[property] ??= []) as unknown[]).push({
      at: new Date(Number(cursor.timestamp() / 1000n)).toISOString(),
      value,
    });
  };
}

function mapReader(column: MapColumn, form: TextForm): CellReader {
  const { property, codec, qualifiers, aggregate } = column;
  const readKey = qualifierReader(column);
  const { format } = segmentTextForms[qualifiers.type.kind];
  return (row, cursor) => {
    const timestamp = cursor.timestamp();
    const name = String(
      format(readKey(cursor.qualifierBytes, cursor.qualifierStart, cursor.qualifierEnd)),
    );
    const value = form.format(codec.decode(cursor.valueBytes, cursor.valueStart, cursor.valueEnd));
    // Without a prototype: a qualifier may be `__proto__`.
    const entries = (row.record[property] ??= Object.create(null)) as Record<string, unknown>;
    if (entries[name] === undefined) {
      entries[name] = value;
      // The timestamp of an aggregate carries no information.
      if (aggregate) return;
      const timestamps = (row.timestamps[property] ??= Object.create(null)) as Timestamps;
      addTimestamp(row, timestamps, name, timestamp);
    } else {
      const older = (row.older[property] ??= Object.create(null)) as Record<string, unknown[]>;
      (older[name] ??= []).push([microsOf(timestamp), value]);
    }
  };
}

/** The cursor's qualifier, one character per byte. */
function qualifierText({ qualifierBytes, qualifierStart, qualifierEnd }: RowCursor): string {
  let text = '';
  for (let i = qualifierStart; i < qualifierEnd; i++)
    text += String.fromCharCode(qualifierBytes[i]);
  return text;
}
