/** A table's own record: its schema as JSON. FORMAT.md is the specification. */
import { fromHex, toHex } from '../../../bytes/index.js';
import { RowsmithError } from '../../../errors.js';
import type { Granularity } from '../../../store/index.js';
import { tableState, type FamilyEntry, type TableState } from './table-state.js';

/** The record's JSON. */
interface StoredTable {
  id: number;
  name: string;
  nextFamily: number;
  families: FamilyEntry[];
  splitKeys: string[];
  /** Left out for milliseconds. */
  granularity?: Granularity;
  /** Left out for false. */
  deletionProtection?: boolean;
}

/** The record's bytes. */
export function writeTable({
  id,
  name,
  nextFamily,
  families,
  splitKeys,
  granularity,
  deletionProtection,
}: TableState): Uint8Array {
  const stored: StoredTable = {
    id,
    name,
    nextFamily,
    families: [...families.values()].map((family) => ({
      id: family.id,
      name: family.name,
      schema: family.schema,
    })),
    splitKeys: splitKeys.map(toHex),
    ...(granularity === 'micros' ? { granularity } : {}),
    ...(deletionProtection ? { deletionProtection } : {}),
  };
  return new TextEncoder().encode(JSON.stringify(stored));
}

/** Reads the record; CORRUPT_DATA when it is not one. */
export function readTable(bytes: Uint8Array): TableState {
  return orCorrupt(() => tableOf(JSON.parse(new TextDecoder().decode(bytes)) as StoredTable));
}

/** Reads the one record of all tables that version 1 of the format had. */
export function readOldCatalog(bytes: Uint8Array): {
  readonly nextTable: number;
  readonly tables: readonly TableState[];
  readonly dropped: readonly number[];
} {
  return orCorrupt(() => {
    const { nextTable, tables, dropped } = JSON.parse(new TextDecoder().decode(bytes)) as {
      nextTable: number;
      tables: StoredTable[];
      dropped: number[];
    };
    return { nextTable, tables: tables.map(tableOf), dropped };
  });
}

function tableOf({
  families,
  splitKeys,
  granularity = 'millis',
  deletionProtection = false,
  ...rest
}: StoredTable): TableState {
  return tableState(
    { ...rest, splitKeys: splitKeys.map((key) => fromHex(key)!), granularity, deletionProtection },
    families,
  );
}

function orCorrupt<T>(read: () => T): T {
  try {
    return read();
  } catch (cause) {
    throw new RowsmithError(
      'CORRUPT_DATA',
      {
        problem: 'the record of a table cannot be read',
        fix: 'restore the directory from a backup',
      },
      { cause },
    );
  }
}
