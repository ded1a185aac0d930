/** The metadata record of a table: its schema as JSON; see FORMAT.md. */
import { fromHex, RowsmithError, toHex, utf8Bytes, type FaultTexts } from '../../../base/index.js';
import type { Granularity } from '../../../data/store/index.js';
import {
  nonDefaultProperties,
  tableState,
  type FamilyEntry,
  type TableState,
} from './table-state.js';

/** The JSON of the record. */
interface StoredTable {
  id: number;
  name: string;
  nextFamily: number;
  families: FamilyEntry[];
  splitKeys: string[];
  /** Omitted for milliseconds. */
  granularity?: Granularity;
  /** Omitted for false. */
  deletionProtection?: boolean;
}

/** Returns the bytes of the record. */
export function writeTable(table: TableState): Uint8Array {
  const { id, name, nextFamily, families, splitKeys } = table;
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
    ...nonDefaultProperties(table),
  };
  return utf8Bytes(JSON.stringify(stored));
}

/** Reads the record; CORRUPT_DATA when it is invalid. */
export function readTable(bytes: Uint8Array): TableState {
  try {
    return parseTable(JSON.parse(new TextDecoder().decode(bytes)) as StoredTable);
  } catch (cause) {
    throw new RowsmithError('CORRUPT_DATA', faults.damagedTableRecord, { cause });
  }
}

function parseTable({
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

const faults = {
  damagedTableRecord: {
    problem: 'the record of a table is damaged',
    fix: 'restore the directory from a backup',
  },
} satisfies FaultTexts;
