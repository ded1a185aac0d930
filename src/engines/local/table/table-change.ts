/**
 * How tables are made and changed: every check of a schema, and the table as it then is. Nothing is
 * stored here.
 */
import { maxGcRuleBytes } from '../../../base/index.js';
import { RowsmithError, invalidArgument } from '../../../errors.js';
import type {
  FamilyChange,
  FamilySchema,
  GcRule,
  TableSchema,
  TableUpdate,
} from '../../../store/index.js';
import { unknownKind } from '../arguments.js';
import { ruleBytes } from './gc.js';
import { familyOf, tableState, type FamilyEntry, type TableState } from './table-state.js';

/** A table as its owner declares it, under a number of its own. */
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
      {
        value: granularity,
      },
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

/** Refuses to delete a protected table. */
export function checkDeletable(table: TableState): void {
  if (table.deletionProtection) throw protectedTable(table);
}

/** The table with its families changed: all changes, or what refuses one of them is thrown. */
export function changedFamilies(table: TableState, changes: readonly FamilyChange[]): TableState {
  const entries = new Map<string, FamilyEntry>(
    [...table.families.values()].map(({ id, name, schema }) => [name, { id, name, schema }]),
  );
  let { nextFamily } = table;
  for (const change of changes) {
    const before = entries.get(change.family);
    if (change.kind === 'create') {
      if (before !== undefined) throw familyExists(table, change.family);
      entries.set(change.family, {
        id: nextFamily++,
        name: checkName(change.family, 'family', 64),
        schema: checkedFamily(change.schema),
      });
    } else if (before === undefined) familyOf({ ...table, families: new Map() }, change.family);
    else if (change.kind === 'drop') {
      if (table.deletionProtection) throw protectedTable(table);
      entries.delete(change.family);
    } else if (change.kind === 'update')
      entries.set(change.family, {
        ...before,
        schema: checkedFamily({ ...before.schema, gc: change.gc }),
      });
    else throw unknownKind('changes', change);
  }
  return tableState({ ...table, nextFamily }, [...entries.values()]);
}

/** The table with what is given changed. */
export function updatedTable(
  table: TableState,
  { deletionProtection = table.deletionProtection }: TableUpdate,
): TableState {
  return tableState({ ...table, deletionProtection: checkedProtection(deletionProtection) }, [
    ...table.families.values(),
  ]);
}

function familyExists(table: TableState, family: string): RowsmithError {
  return new RowsmithError('SCHEMA_CONFLICT', {
    table: table.name,
    family,
    problem: 'the family exists already',
    fix: 'take another name, or change the family that is there',
  });
}

function checkedProtection(value: boolean): boolean {
  if (typeof value !== 'boolean')
    throw invalidArgument('deletionProtection', 'must be true or false', 'give a boolean', {
      value,
    });
  return value;
}

function protectedTable(table: TableState): RowsmithError {
  return new RowsmithError('FAILED_PRECONDITION', {
    table: table.name,
    problem: 'the table is protected from deletion',
    fix: 'turn deletionProtection off first',
  });
}

function checkName(name: string, property: string, most: number): string {
  if (typeof name === 'string' && name.length <= most && /^[_a-zA-Z0-9][-_.a-zA-Z0-9]*$/.test(name))
    return name;
  throw invalidArgument(
    property,
    `must be 1 to ${most} characters of [_a-zA-Z0-9][-_.a-zA-Z0-9]*`,
    'take another name',
    { value: name },
  );
}

function checkedFamily({ gc, aggregate }: FamilySchema): FamilySchema {
  if (aggregate !== undefined && !['sum', 'min', 'max'].includes(aggregate)) {
    throw new RowsmithError('UNSUPPORTED', {
      property: 'aggregate',
      value: aggregate,
      fix: 'use sum, min or max',
    });
  }
  return {
    ...(gc === undefined ? {} : { gc: checkedSize(checkedRule(gc)) }),
    ...(aggregate === undefined ? {} : { aggregate }),
  };
}

function checkedSize(rule: GcRule): GcRule {
  const bytes = ruleBytes(rule);
  if (bytes > maxGcRuleBytes)
    throw invalidArgument(
      'gc',
      `the rule has ${bytes} bytes, the limit is ${maxGcRuleBytes}`,
      'take fewer rules together',
    );
  return rule;
}

function checkedRule(rule: GcRule): GcRule {
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
      return { kind: rule.kind, rules: rule.rules.map(checkedRule) };
    default:
      throw unknownKind('gc', rule);
  }
}
