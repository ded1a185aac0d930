/**
 * A table as the engine runs it: names resolved to numbers, rules compiled. Replaced as a whole
 * when the schema changes.
 */
import { RowsmithError } from '../../../errors.js';
import type { FamilySchema, Granularity, TableSchema } from '../../../store/index.js';
import { compileGc, type Collects } from './gc.js';

/** A family with its number. */
export interface FamilyState {
  /** Never used again after the family is dropped. */
  readonly id: number;
  readonly name: string;
  readonly schema: FamilySchema;
  /** Its garbage collection rule; undefined when nothing is ever collected. */
  readonly collects: Collects | undefined;
  /** True when the rule collects every cell that has a newer one in its column, however young. */
  readonly keepsOne: boolean;
}

/** What a table is apart from its families. */
export interface TableTraits {
  /** Never used again after the table is deleted. */
  readonly id: number;
  readonly name: string;
  readonly nextFamily: number;
  readonly splitKeys: readonly Uint8Array[];
  readonly granularity: Granularity;
  readonly deletionProtection: boolean;
}

/** A table with its number and families. */
export interface TableState extends TableTraits {
  /** In byte order of the names. */
  readonly families: ReadonlyMap<string, FamilyState>;
  /** Index is the family's number; undefined where it was dropped. */
  readonly byId: readonly (FamilyState | undefined)[];
  /** True when a rule may collect even the newest cell of a column: one that goes by age. */
  readonly collectsNewest: boolean;
}

/** A family's number and schema, as stored. */
export interface FamilyEntry {
  readonly id: number;
  readonly name: string;
  readonly schema: FamilySchema;
}

/** Puts a table together. */
export function tableState(
  { id, name, nextFamily, splitKeys, granularity, deletionProtection }: TableTraits,
  entries: readonly FamilyEntry[],
): TableState {
  // Names are ASCII, so their string order is their byte order.
  const sorted = [...entries].sort((a, b) => (a.name < b.name ? -1 : 1));
  const byId = new Array<FamilyState | undefined>(nextFamily).fill(undefined);
  const families = new Map<string, FamilyState>();
  for (const { id: family, name: familyName, schema } of sorted) {
    const collects = compileGc(schema.gc);
    const state = {
      id: family,
      name: familyName,
      schema,
      collects,
      keepsOne: collects?.(1, -Infinity) === true,
    };
    byId[family] = state;
    families.set(familyName, state);
  }
  const collectsNewest = [...families.values()].some(
    ({ collects }) => collects?.(0, Infinity) === true,
  );
  return {
    id,
    name,
    nextFamily,
    families,
    byId,
    collectsNewest,
    splitKeys,
    granularity,
    deletionProtection,
  };
}

/** The family of that name, or FAMILY_NOT_FOUND. */
export function familyOf(table: TableState, family: string): FamilyState {
  const state = table.families.get(family);
  if (state !== undefined) return state;
  throw new RowsmithError('FAMILY_NOT_FOUND', {
    table: table.name,
    family,
    fix: `create the family '${family}', or correct the name`,
  });
}

/** The table as its owner declared it. */
export function schemaOf(table: TableState): TableSchema {
  const families = new Map<string, FamilySchema>();
  for (const { name, schema } of table.families.values()) families.set(name, schema);
  return {
    name: table.name,
    families,
    ...(table.splitKeys.length > 0 ? { splitKeys: table.splitKeys.map((key) => key.slice()) } : {}),
    ...(table.granularity === 'micros' ? { granularity: table.granularity } : {}),
    ...(table.deletionProtection ? { deletionProtection: true } : {}),
  };
}
