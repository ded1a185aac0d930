/** The tables of a database: kept as one JSON record, checked here, changed as a whole inside a commit. */
import { fromHex, toHex } from '../../bytes/bytes.js';
import { RowsmithError } from '../../errors.js';
import type { FamilyChange, FamilySchema, GcRule, Granularity, TableSchema, TableUpdate } from '../../store/schema.js';
import { invalid } from './arguments.js';
import { ruleBytes } from './gc.js';
import { schemaOf, tableState, familyOf, type FamilyEntry, type TableState } from './table-state.js';

/** Bytes of a rule as a GcRule message (table.proto). */
const mostRuleBytes = 500;

/** Every table, and what keeps numbers from being used twice. */
export interface Catalog {
  readonly nextTable: number;
  readonly tables: ReadonlyMap<string, TableState>;
  /** Numbers of deleted tables whose rows are not all gone yet. */
  readonly dropped: readonly number[];
}

/** A database without tables. */
export const emptyCatalog: Catalog = { nextTable: 1, tables: new Map(), dropped: [] };

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
export function writeCatalog({ nextTable, tables, dropped }: Catalog): Uint8Array {
  const stored = [...tables.values()].map(({ id, name, nextFamily, families, splitKeys, granularity, deletionProtection }): StoredTable => ({
    id, name, nextFamily,
    families: [...families.values()].map((family) => ({ id: family.id, name: family.name, schema: family.schema })),
    splitKeys: splitKeys.map(toHex),
    ...(granularity === 'micros' ? { granularity } : {}),
    ...(deletionProtection ? { deletionProtection } : {}),
  }));
  return new TextEncoder().encode(JSON.stringify({ nextTable, tables: stored, dropped }));
}

/** Reads the record; CORRUPT_DATA when it is not one. */
export function readCatalog(bytes: Uint8Array): Catalog {
  try {
    const { nextTable, tables, dropped } = JSON.parse(new TextDecoder().decode(bytes)) as { nextTable: number; tables: StoredTable[]; dropped: number[] };
    const states = tables.map(({ families, splitKeys, granularity = 'millis', deletionProtection = false, ...rest }) => {
      return tableState({ ...rest, splitKeys: splitKeys.map((key) => fromHex(key)!), granularity, deletionProtection }, families);
    });
    return { nextTable, tables: new Map(states.map((state) => [state.name, state])), dropped };
  } catch (cause) {
    throw new RowsmithError('CORRUPT_DATA', { problem: 'the list of tables cannot be read', fix: 'restore the directory from a backup' }, { cause });
  }
}

/** The catalog with one table more. */
export function withTable(catalog: Catalog, schema: TableSchema): Catalog {
  checkName(schema.name, 'table', 50);
  if (catalog.tables.has(schema.name)) throw new RowsmithError('TABLE_EXISTS', { table: schema.name });
  let nextFamily = 1;
  const entries = [...schema.families].map(([name, family]) => ({ id: nextFamily++, name: checkName(name, 'family', 64), schema: checkedFamily(family) }));
  const { name, granularity = 'millis', deletionProtection = false } = schema;
  if (granularity !== 'millis' && granularity !== 'micros') throw invalid('granularity', "must be 'millis' or 'micros'", { value: granularity });
  const splitKeys = (schema.splitKeys ?? []).map((key) => new Uint8Array(key));
  const table = tableState({ id: catalog.nextTable, name, nextFamily, splitKeys, granularity, deletionProtection: checkedProtection(deletionProtection) }, entries);
  return { ...catalog, nextTable: catalog.nextTable + 1, tables: new Map(catalog.tables).set(table.name, table) };
}

/** The catalog without the table, whose rows are still to be removed. */
export function withoutTable(catalog: Catalog, table: TableState): Catalog {
  if (table.deletionProtection) throw protectedTable(table);
  const tables = new Map(catalog.tables);
  tables.delete(table.name);
  return { ...catalog, tables, dropped: [...catalog.dropped, table.id] };
}

/** The catalog with the table's families changed: all changes, or what refuses one of them is thrown. */
export function withFamilies(catalog: Catalog, table: TableState, changes: readonly FamilyChange[]): Catalog {
  const entries = new Map<string, FamilyEntry>([...table.families.values()].map(({ id, name, schema }) => [name, { id, name, schema }]));
  let { nextFamily } = table;
  for (const change of changes) {
    const before = entries.get(change.family);
    if (change.kind === 'create') {
      if (before !== undefined) throw new RowsmithError('SCHEMA_CONFLICT', { table: table.name, family: change.family, problem: 'the family exists already' });
      entries.set(change.family, { id: nextFamily++, name: checkName(change.family, 'family', 64), schema: checkedFamily(change.schema) });
    } else if (before === undefined) familyOf({ ...table, families: new Map() }, change.family);
    else if (change.kind === 'drop') {
      if (table.deletionProtection) throw protectedTable(table);
      entries.delete(change.family);
    }
    else if (change.kind === 'update') entries.set(change.family, { ...before, schema: checkedFamily({ ...before.schema, gc: change.gc }) });
    else throw invalid('changes', `unknown kind '${String((change as { kind: unknown }).kind)}'`);
  }
  const changed = tableState({ ...table, nextFamily }, [...entries.values()]);
  return { ...catalog, tables: new Map(catalog.tables).set(table.name, changed) };
}

/** The catalog with what of the table is given changed. */
export function withUpdate(catalog: Catalog, table: TableState, { deletionProtection = table.deletionProtection }: TableUpdate): Catalog {
  const entries = [...table.families.values()];
  const changed = tableState({ ...table, deletionProtection: checkedProtection(deletionProtection) }, entries);
  return { ...catalog, tables: new Map(catalog.tables).set(table.name, changed) };
}

/** Every table as declared, by name. */
export function listSchemas(catalog: Catalog): TableSchema[] {
  return [...catalog.tables.values()].sort((a, b) => (a.name < b.name ? -1 : 1)).map(schemaOf);
}

function checkedProtection(value: boolean): boolean {
  if (typeof value !== 'boolean') throw invalid('deletionProtection', 'must be true or false', { value });
  return value;
}

function protectedTable(table: TableState): RowsmithError {
  return new RowsmithError('FAILED_PRECONDITION', { table: table.name, problem: 'the table is protected from deletion', fix: 'turn deletionProtection off first' });
}

function checkName(name: string, property: string, most: number): string {
  if (typeof name === 'string' && name.length <= most && /^[_a-zA-Z0-9][-_.a-zA-Z0-9]*$/.test(name)) return name;
  throw invalid(property, `must be 1 to ${most} characters of [_a-zA-Z0-9][-_.a-zA-Z0-9]*`, { value: name });
}

function checkedFamily({ gc, aggregate }: FamilySchema): FamilySchema {
  if (aggregate !== undefined && !['sum', 'min', 'max'].includes(aggregate)) throw new RowsmithError('UNSUPPORTED', { property: 'aggregate', value: aggregate });
  return { ...(gc === undefined ? {} : { gc: checkedSize(checkedRule(gc)) }), ...(aggregate === undefined ? {} : { aggregate }) };
}

function checkedSize(rule: GcRule): GcRule {
  const bytes = ruleBytes(rule);
  if (bytes > mostRuleBytes) throw invalid('gc', `the rule has ${bytes} bytes, the limit is ${mostRuleBytes}`);
  return rule;
}

function checkedRule(rule: GcRule): GcRule {
  switch (rule.kind) {
    case 'maxVersions':
      if (!Number.isSafeInteger(rule.versions) || rule.versions < 1) throw invalid('gc', 'maxVersions must be a whole number of at least 1', { value: rule.versions });
      return { kind: rule.kind, versions: rule.versions };
    case 'maxAge':
      if (!Number.isSafeInteger(rule.micros) || rule.micros < 1000) throw invalid('gc', 'maxAge must be at least 1,000 microseconds', { value: rule.micros });
      return { kind: rule.kind, micros: rule.micros };
    case 'union':
    case 'intersection': return { kind: rule.kind, rules: rule.rules.map(checkedRule) };
    default: throw invalid('gc', `unknown kind '${String((rule as { kind: unknown }).kind)}'`);
  }
}
