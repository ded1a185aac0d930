/**
 * A table as the engine uses it: with the IDs of its families and compiled rules. Immutable:
 * replaced when the schema changes.
 */
import { RowsmithError } from '../../../base/index.js';
import type { FamilySchema, Granularity, TableSchema } from '../../../data/store/index.js';
import { compileGc, type GcPredicate } from './gc.js';

/** A family with its ID. */
export interface FamilyState {
  /** Not reused after the family is dropped. */
  readonly id: number;
  readonly name: string;
  /** Index among the table's families. */
  readonly position: number;
  readonly schema: FamilySchema;
  /** The garbage collection rule; undefined when it never collects anything. */
  readonly isCollectable: GcPredicate | undefined;
  /**
   * True when the rule collects every cell that has a newer one in its column, whatever its age.
   */
  readonly keepsOnlyNewest: boolean;
}

/** The properties of a table apart from its families. */
export interface TableProperties {
  /** Not reused after the table is deleted. */
  readonly id: number;
  readonly name: string;
  readonly nextFamily: number;
  readonly splitKeys: readonly Uint8Array[];
  readonly granularity: Granularity;
  readonly deletionProtection: boolean;
}

/** A table with its ID and families. */
export interface TableState extends TableProperties {
  /** By name, in the order of their creation, which the sections of records also have. */
  readonly families: ReadonlyMap<string, FamilyState>;
  /** By family ID; undefined for dropped families. */
  readonly byId: readonly (FamilyState | undefined)[];
  /** True when a rule, one by age, may collect even the newest cell of a column. */
  readonly canCollectNewest: boolean;
  /** True when a family has a rule that collects cells. */
  readonly hasRules: boolean;
}

export interface FamilyEntry {
  readonly id: number;
  readonly name: string;
  readonly schema: FamilySchema;
}

/** Builds a table from its properties, and its families in their order. */
export function tableState(
  { id, name, nextFamily, splitKeys, granularity, deletionProtection }: TableProperties,
  entries: readonly FamilyEntry[],
): TableState {
  const byId = new Array<FamilyState | undefined>(nextFamily).fill(undefined);
  const families = new Map<string, FamilyState>();
  for (const [position, { id: family, name: familyName, schema }] of entries.entries()) {
    const isCollectable = compileGc(schema.gc);
    const state = {
      id: family,
      name: familyName,
      position,
      schema,
      isCollectable,
      keepsOnlyNewest: isCollectable?.(1, -Infinity) === true,
    };
    byId[family] = state;
    families.set(familyName, state);
  }
  const canCollectNewest = [...families.values()].some(
    ({ isCollectable }) => isCollectable?.(0, Infinity) === true,
  );
  return {
    id,
    name,
    nextFamily,
    families,
    byId,
    canCollectNewest,
    hasRules: [...families.values()].some((family) => family.isCollectable !== undefined),
    splitKeys,
    granularity,
    deletionProtection,
  };
}

/** Returns the family; FAMILY_NOT_FOUND when it does not exist. */
export function familyOf(table: TableState, family: string): FamilyState {
  const state = table.families.get(family);
  if (state !== undefined) return state;
  throw familyNotFoundError(table, family);
}

/** What the command says if a table or a family is missing. */
export function schemaFix(missing: string): string {
  return `rowsmith schema plan shows whether the entities declare ${missing}, and schema apply creates it`;
}

/** A family that the table does not have. */
export function familyNotFoundError(table: TableState, family: string): RowsmithError {
  return new RowsmithError('FAMILY_NOT_FOUND', {
    table: table.name,
    family,
    fix: `create the family '${family}', or correct the name`,
    shell: { fix: schemaFix(`family '${family}' of table '${table.name}'`) },
  });
}

/** The schema of the table, as its owner declared it. */
export function schemaOf(table: TableState): TableSchema {
  // By name, as the live engine returns them: messages have no order of families.
  const sorted = [...table.families.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  const families = new Map(sorted.map(({ name, schema }) => [name, schema]));
  const { name, splitKeys } = table;
  return {
    name,
    families,
    splitKeys: splitKeys.length > 0 ? splitKeys.map((key) => key.slice()) : undefined,
    ...nonDefaultProperties(table),
  };
}

/** The properties that are omitted, here and in stored records, when they have their default. */
export function nonDefaultProperties({ granularity, deletionProtection }: TableProperties): {
  readonly granularity: 'micros' | undefined;
  readonly deletionProtection: true | undefined;
} {
  return {
    granularity: granularity === 'micros' ? granularity : undefined,
    deletionProtection: deletionProtection ? deletionProtection : undefined,
  };
}
