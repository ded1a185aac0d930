/**
 * A stored row -> the record that a line holds: the properties of the entity, and what a copy needs
 * besides: timestamps and older versions.
 */
import { copyBytes } from '../../bytes/index.js';
import { damagedCell, textOf } from '../../mapping/index.js';
import type { ColumnModel, EntityModel } from '../../model/index.js';
import { type RowCursor } from '../../store/index.js';
import { cellTextForm } from '../text/column-text-form.js';
import { segmentTextForms, type TextForm } from '../text/text-form.js';
import type { RowRecord } from '../text/row-record.js';
import { extras, markerName } from '../text/row-record.js';

/** What an export counts. */
export interface RowWriter {
  /**
   * The record of the row the cursor stands on; undefined for a row that is not the entity's.
   * Throws DAMAGED_CELL.
   */
  record(cursor: RowCursor): RowRecord | undefined;
  /** Cells met that the entity does not declare: they are not in the records. */
  undeclared: number;
  /** Bytes of the values met, the undeclared ones too. */
  bytes: number;
}

type Times = Record<string, unknown>;

interface Row {
  readonly record: RowRecord;
  readonly times: Times;
  readonly older: Record<string, unknown>;
  /** Which of its names the value of a property was found under; 0 is its own. */
  readonly ranks: Record<string, number>;
  /** The one timestamp of all cells so far; false once there are two. */
  single: bigint | undefined | false;
}

/** Takes one cell. */
type Take = (row: Row, cursor: RowCursor) => void;

/** Compiles the writer of an entity; `exact` adds timestamps and older versions. */
export function rowWriter(model: EntityModel, exact: boolean): RowWriter {
  const decodeKey = model.key.decoder();
  const segments = model.segments.map(({ property, type }) => ({
    property,
    write: segmentTextForms[type.kind].write,
  }));
  const families = takersOf(model);
  const order = model.columns.map(({ property }) => property);

  function takeCells(row: Row, cursor: RowCursor): boolean {
    let declared = false;
    while (cursor.nextCell()) {
      writer.bytes += cursor.valueEnd - cursor.valueStart;
      const family = families.get(cursor.family);
      const take = family?.map ?? family?.columns.get(latin1(cursor));
      if (take === undefined) writer.undeclared++;
      else {
        take(row, cursor);
        declared = true;
      }
    }
    return declared;
  }

  const writer: RowWriter = {
    undeclared: 0,
    bytes: 0,
    record(cursor) {
      const target: Record<string, unknown> = {};
      if (!decodeKey(cursor.keyBytes, cursor.keyStart, cursor.keyEnd, target)) return undefined;
      const record: RowRecord = {};
      for (const { property, write } of segments)
        record[property] = target[property] === null ? null : write(target[property]);
      const row: Row = { record: {}, times: {}, older: {}, ranks: {}, single: undefined };
      if (!takeCells(row, cursor)) return undefined;
      // In the order of the columns, whatever the order of earlier names.
      for (const property of order)
        if (row.record[property] !== undefined) record[property] = row.record[property];
      return exact ? withExtras(record, row) : record;
    },
  };
  return writer;
}

function withExtras(record: RowRecord, { times, older, single }: Row): RowRecord {
  if (single !== false && single !== undefined) record[extras.at] = microsOf(single);
  else if (Object.keys(times).length > 0) record[extras.at] = times;
  if (Object.values(older).some((versions) => versions !== undefined)) record[extras.older] = older;
  return record;
}

/** A number while it is exact (until the year 2255), text behind it. */
function microsOf(timestamp: bigint): number | string {
  const number = Number(timestamp);
  return Number.isSafeInteger(number) ? number : String(timestamp);
}

interface FamilyTakers {
  readonly map?: Take;
  readonly columns: Map<string, Take>;
}

function takersOf(model: EntityModel): ReadonlyMap<string, FamilyTakers> {
  const families = new Map<string, FamilyTakers>();
  for (const column of model.columns) {
    if (column.kind === 'columnMap') {
      families.set(column.family, {
        columns: new Map(),
        map: damageTold(model, column, mapTaker(column, cellTextForm(column))),
      });
      continue;
    }
    const { columns } = families.get(column.family) ?? { columns: new Map<string, Take>() };
    families.set(column.family, { columns });
    const names =
      column.kind === 'column' || column.kind === 'packed'
        ? [column.qualifier, ...(column.alsoReads ?? [])]
        : [column.qualifier];
    names.forEach((name, rank) => {
      const spelling = cellTextForm(column);
      const take =
        column.kind === 'counter' && column.aggregate
          ? sumTaker(column, spelling)
          : column.kind === 'versions'
            ? versionsTaker(column, spelling)
            : valueTaker(column, spelling, rank);
      columns.set(Buffer.from(name).toString('latin1'), damageTold(model, column, take));
    });
  }
  if (model.marker !== undefined) {
    const { columns } = families.get(model.marker.family) ?? { columns: new Map<string, Take>() };
    families.set(model.marker.family, { columns });
    columns.set('', (row, cursor) => {
      if (row.times[markerName] === undefined)
        noteTime(row, row.times, markerName, cursor.timestamp());
    });
  }
  return families;
}

function damageTold(model: EntityModel, column: ColumnModel, take: Take): Take {
  return (row, cursor) => {
    try {
      take(row, cursor);
    } catch (error) {
      const key = copyBytes(cursor.keyBytes, cursor.keyStart, cursor.keyEnd);
      throw damagedCell(
        model,
        column,
        key,
        copyBytes(cursor.qualifierBytes, cursor.qualifierStart, cursor.qualifierEnd),
        error,
      );
    }
  };
}

function noteTime(row: Row, times: Times, name: string, timestamp: bigint): void {
  times[name] = microsOf(timestamp);
  row.single = row.single === undefined || row.single === timestamp ? timestamp : false;
}

/**
 * Of the names that a row has, the newest gives the value; what stands under the others is what
 * saving deletes.
 */
function valueTaker({ property, codec }: ColumnModel, spelling: TextForm, rank: number): Take {
  return (row, cursor) => {
    const found = row.ranks[property];
    if (found !== undefined && found < rank) return;
    const timestamp = cursor.timestamp();
    const value = spelling.write(
      codec.decode(cursor.valueBytes, cursor.valueStart, cursor.valueEnd),
    );
    if (found !== rank) {
      row.record[property] = value;
      row.ranks[property] = rank;
      row.older[property] = undefined;
      noteTime(row, row.times, property, timestamp);
    } else ((row.older[property] ??= []) as unknown[]).push([microsOf(timestamp), value]);
  };
}

/** Aggregates have one cell, whose timestamp says nothing. */
function sumTaker({ property, codec }: ColumnModel, spelling: TextForm): Take {
  return (row, cursor) => {
    row.record[property] ??= spelling.write(
      codec.decode(cursor.valueBytes, cursor.valueStart, cursor.valueEnd),
    );
  };
}

function versionsTaker({ property, codec }: ColumnModel, spelling: TextForm): Take {
  return (row, cursor) => {
    const value = spelling.write(
      codec.decode(cursor.valueBytes, cursor.valueStart, cursor.valueEnd),
    );
    ((row.record[property] ??= []) as unknown[]).push({
      at: new Date(Number(cursor.timestamp() / 1000n)).toISOString(),
      value,
    });
  };
}

function mapTaker({ property, codec }: ColumnModel, spelling: TextForm): Take {
  return (row, cursor) => {
    const timestamp = cursor.timestamp();
    const name = textOf(cursor.qualifierBytes, cursor.qualifierStart, cursor.qualifierEnd);
    const value = spelling.write(
      codec.decode(cursor.valueBytes, cursor.valueStart, cursor.valueEnd),
    );
    // Without a prototype: a qualifier may be `__proto__`.
    const entries = (row.record[property] ??= Object.create(null)) as Record<string, unknown>;
    if (entries[name] === undefined) {
      entries[name] = value;
      noteTime(row, (row.times[property] ??= Object.create(null)) as Times, name, timestamp);
    } else {
      const older = (row.older[property] ??= Object.create(null)) as Record<string, unknown[]>;
      (older[name] ??= []).push([microsOf(timestamp), value]);
    }
  };
}

function latin1({ qualifierBytes, qualifierStart, qualifierEnd }: RowCursor): string {
  let text = '';
  for (let i = qualifierStart; i < qualifierEnd; i++)
    text += String.fromCharCode(qualifierBytes[i]);
  return text;
}
