/**
 * Creating and changing tables: validates schemas and returns the new table, without storing it.
 */
import {
  invalidArgument,
  maxGcRuleBytes,
  RowsmithError,
  type FaultTexts,
} from '../../../base/index.js';
import {
  checkEmbeddedSettings,
  type FamilyChange,
  type FamilySchema,
  type TableSchema,
  type TableUpdate,
  unknownKindError,
} from '../../../data/store/index.js';
import { ruleBytes } from './gc.js';
import {
  familyNotFoundError,
  tableState,
  type FamilyEntry,
  type TableState,
} from './table-state.js';

/** Returns a new table with the schema and ID. */
export function newTable(id: number, schema: TableSchema): TableState {
  const name = checkName(schema.name, 'table', 50);
  checkEmbeddedSettings(name, schema);
  const created = [...schema.families].map(([family, declared]) => ({
    name: checkName(family, 'family', 64),
    schema: checkedFamily(declared),
  }));
  const entries = withIds(created, 1);
  const nextFamily = entries.length + 1;
  const { granularity = 'millis', deletionProtection = false } = schema;
  const splitKeys = (schema.splitKeys ?? []).map((key) => new Uint8Array(key));
  return tableState(
    {
      id,
      name,
      nextFamily,
      splitKeys,
      granularity,
      deletionProtection,
    },
    entries,
  );
}

/** Throws FAILED_PRECONDITION for a table that is protected from deletion. */
export function checkDeletable(table: TableState): void {
  if (table.deletionProtection) throw protectedTableError(table);
}

/** Returns the table with changed families; throws if one of the changes is rejected. */
export function changedFamilies(table: TableState, changes: readonly FamilyChange[]): TableState {
  // Those that the request creates have the ID 0 until all are known.
  const entries = new Map<string, FamilyEntry>(
    [...table.families.values()].map(({ id, name, schema }) => [name, { id, name, schema }]),
  );
  for (const change of changes) {
    const entry = entries.get(change.family);
    if (change.kind === 'create') {
      if (entry !== undefined) throw familyExistsError(table, change.family);
      entries.set(change.family, {
        id: 0,
        name: checkName(change.family, 'family', 64),
        schema: checkedFamily(change.schema),
      });
      continue;
    }
    if (entry === undefined) throw familyNotFoundError(table, change.family);
    switch (change.kind) {
      case 'drop':
        if (table.deletionProtection) throw protectedTableError(table);
        entries.delete(change.family);
        break;
      case 'update': {
        const schema = checkedFamily({ ...entry.schema, gc: change.gc });
        entries.set(change.family, { ...entry, schema });
        break;
      }
      default:
        throw unknownKindError('changes', change);
    }
  }
  const kept = [...entries.values()].filter(({ id }) => id !== 0);
  const created = withIds(
    [...entries.values()].filter(({ id }) => id === 0),
    table.nextFamily,
  );
  const nextFamily = table.nextFamily + created.length;
  return tableState({ ...table, nextFamily }, [...kept, ...created]);
}

/** Orders families that one request creates by the bytes of their names, which are ASCII. */
function withIds(created: readonly Omit<FamilyEntry, 'id'>[], firstId: number): FamilyEntry[] {
  return [...created]
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, schema }, i) => ({ id: firstId + i, name, schema }));
}

/** Returns the table with the given properties changed. */
export function updatedTable(
  table: TableState,
  { deletionProtection = table.deletionProtection, ...others }: TableUpdate,
): TableState {
  checkEmbeddedSettings(table.name, others);
  return tableState({ ...table, deletionProtection }, [...table.families.values()]);
}

function familyExistsError(table: TableState, family: string): RowsmithError {
  return new RowsmithError('SCHEMA_CONFLICT', {
    table: table.name,
    family,
    ...faults.familyExists,
  });
}

function protectedTableError(table: TableState): RowsmithError {
  return new RowsmithError('FAILED_PRECONDITION', {
    table: table.name,
    ...faults.protectedTable,
  });
}

function checkName(name: string, property: string, maxLength: number): string {
  const isText = typeof name === 'string';
  if (isText && name.length <= maxLength && /^[_a-zA-Z0-9][-_.a-zA-Z0-9]*$/.test(name)) return name;
  throw invalidArgument(property, faults.notAName(maxLength), { value: name });
}

/** A copy of a valid schema. Throws INVALID_ARGUMENT if its rule is too large. */
function checkedFamily({ gc, aggregate }: FamilySchema): FamilySchema {
  if (gc === undefined) return { aggregate };
  const bytes = ruleBytes(gc);
  if (bytes > maxGcRuleBytes) throw invalidArgument('gc', faults.ruleTooLong(bytes));
  return { gc: structuredClone(gc), aggregate };
}

const faults = {
  familyExists: {
    problem: 'the family already exists',
    fix: 'choose another name, or change the existing family',
  },
  protectedTable: {
    problem: 'the table is protected from deletion',
    fix: 'turn deletionProtection off first',
  },
  notAName: (maxLength: number) => ({
    problem: `must be 1 to ${maxLength} characters of [_a-zA-Z0-9][-_.a-zA-Z0-9]*`,
    fix: 'choose another name',
  }),
  ruleTooLong: (bytes: number) => ({
    problem: `the rule has ${bytes} bytes, the limit is ${maxGcRuleBytes}`,
    fix: 'combine fewer rules',
  }),
} satisfies FaultTexts;
