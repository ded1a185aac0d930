/**
 * Creating and changing tables: validates schemas and returns the new table, without storing it.
 */
import { types } from 'node:util';
import { maxGcRuleBytes, valueText } from '../../../base/index.js';
import { RowsmithError, invalidArgument } from '../../../errors.js';
import type {
  FamilyChange,
  FamilySchema,
  GcRule,
  TableSchema,
  TableUpdate,
} from '../../../store/index.js';
import { unknownKindError } from '../arguments.js';
import { ruleBytes } from './gc.js';
import {
  familyNotFoundError,
  tableState,
  type FamilyEntry,
  type TableState,
} from './table-state.js';

/** Rejects what only JavaScript can pass for a schema; its names and rules are checked later. */
export function checkSchemaShape(schema: TableSchema): void {
  if (!isObject(schema))
    throw invalidArgument(
      'schema',
      `the schema is ${valueText(schema)}`,
      'give { name, families: new Map([[family, {}]]) }',
    );
  const { families, splitKeys = [] } = schema as { families: unknown; splitKeys?: unknown };
  // Maps of other realms, too.
  if (!types.isMap(families))
    throw invalidArgument(
      'families',
      `families is ${valueText(families)}, not a Map`,
      'give a Map from family to schema: new Map(Object.entries({ m: {} }))',
    );
  if (!Array.isArray(splitKeys) || !splitKeys.every((key) => key instanceof Uint8Array))
    throw invalidArgument(
      'splitKeys',
      'the split keys are not an array of bytes',
      'give row keys as Uint8Arrays, or leave splitKeys out',
    );
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

/** Returns a new table with the schema and ID. */
export function newTable(id: number, schema: TableSchema): TableState {
  const name = checkName(schema.name, 'table', 50);
  let nextFamily = 1;
  const entries = [...schema.families].map(([family, declared]) => ({
    id: nextFamily++,
    name: checkName(family, 'family', 64),
    schema: checkedFamily(declared),
  }));
  const { granularity = 'millis', deletionProtection = false } = schema;
  if (granularity !== 'millis' && granularity !== 'micros')
    throw invalidArgument(
      'granularity',
      "must be 'millis' or 'micros'",
      "leave it out for 'millis'",
      { value: granularity },
    );
  const splitKeys = (schema.splitKeys ?? []).map((key) => new Uint8Array(key));
  return tableState(
    {
      id,
      name,
      nextFamily,
      splitKeys,
      granularity,
      deletionProtection: checkedProtection(deletionProtection),
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
  const entries = new Map<string, FamilyEntry>(
    [...table.families.values()].map(({ id, name, schema }) => [name, { id, name, schema }]),
  );
  let { nextFamily } = table;
  for (const change of changes) {
    const entry = entries.get(change.family);
    if (change.kind === 'create') {
      if (entry !== undefined) throw familyExistsError(table, change.family);
      entries.set(change.family, {
        id: nextFamily++,
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
  return tableState({ ...table, nextFamily }, [...entries.values()]);
}

/** Returns the table with the given properties changed. */
export function updatedTable(
  table: TableState,
  { deletionProtection = table.deletionProtection }: TableUpdate,
): TableState {
  return tableState({ ...table, deletionProtection: checkedProtection(deletionProtection) }, [
    ...table.families.values(),
  ]);
}

function familyExistsError(table: TableState, family: string): RowsmithError {
  return new RowsmithError('SCHEMA_CONFLICT', {
    table: table.name,
    family,
    problem: 'the family already exists',
    fix: 'choose another name, or change the existing family',
  });
}

function checkedProtection(value: boolean): boolean {
  if (typeof value !== 'boolean')
    throw invalidArgument('deletionProtection', 'must be true or false', 'give a boolean', {
      value,
    });
  return value;
}

function protectedTableError(table: TableState): RowsmithError {
  return new RowsmithError('FAILED_PRECONDITION', {
    table: table.name,
    problem: 'the table is protected from deletion',
    fix: 'turn deletionProtection off first',
  });
}

function checkName(name: string, property: string, maxLength: number): string {
  const isText = typeof name === 'string';
  if (isText && name.length <= maxLength && /^[_a-zA-Z0-9][-_.a-zA-Z0-9]*$/.test(name)) return name;
  throw invalidArgument(
    property,
    `must be 1 to ${maxLength} characters of [_a-zA-Z0-9][-_.a-zA-Z0-9]*`,
    'choose another name',
    { value: name },
  );
}

function checkedFamily(schema: FamilySchema): FamilySchema {
  if (!isObject(schema))
    throw invalidArgument(
      'families',
      `the schema of a family is ${valueText(schema)}`,
      'give {} for a family that keeps everything, or { gc }',
    );
  const { gc, aggregate } = schema;
  if (aggregate !== undefined && !['sum', 'min', 'max'].includes(aggregate)) {
    throw new RowsmithError('UNSUPPORTED', {
      property: 'aggregate',
      value: aggregate,
      fix: 'use sum, min or max',
    });
  }
  if (gc === undefined) return { aggregate };
  const rule = checkedRule(gc);
  const bytes = ruleBytes(rule);
  if (bytes > maxGcRuleBytes)
    throw invalidArgument(
      'gc',
      `the rule has ${bytes} bytes, the limit is ${maxGcRuleBytes}`,
      'combine fewer rules',
    );
  return { gc: rule, aggregate };
}

function checkedRule(rule: GcRule): GcRule {
  if (!isObject(rule))
    throw invalidArgument(
      'gc',
      `the rule is ${valueText(rule)}`,
      'give a rule such as maxVersions(1), or leave it out to keep all',
    );
  switch (rule.kind) {
    case 'maxVersions':
      if (!Number.isSafeInteger(rule.versions) || rule.versions < 1) {
        throw invalidArgument(
          'gc',
          'maxVersions must be a whole number of at least 1',
          'keep 1 version or more; leave the rule out to keep all',
          { value: rule.versions },
        );
      }
      return { kind: rule.kind, versions: rule.versions };
    case 'maxAge':
      if (!Number.isSafeInteger(rule.micros) || rule.micros < 1000) {
        throw invalidArgument(
          'gc',
          'maxAge must be at least 1,000 microseconds',
          'give whole microseconds, 1,000 for a millisecond',
          { value: rule.micros },
        );
      }
      return { kind: rule.kind, micros: rule.micros };
    case 'union':
    case 'intersection':
      if (!Array.isArray(rule.rules))
        throw invalidArgument(
          'gc',
          `the ${rule.kind} has no list of rules`,
          'give { kind, rules: [...] }',
        );
      return { kind: rule.kind, rules: rule.rules.map(checkedRule) };
    default:
      throw unknownKindError('gc', rule);
  }
}
