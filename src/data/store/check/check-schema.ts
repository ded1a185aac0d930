/** Checks of tables, families and rules, shared by the engines. */
import { types } from 'node:util';
import {
  checkOptions,
  invalidArgument,
  isBytes,
  literalText,
  maxRowKeyBytes,
  RowsmithError,
  valueText,
} from '../../../base/index.js';
import { unknownKindError } from './arguments.js';
import { checkFlag, checkList, checkObject, checkText, isObject } from './check-shape.js';
import type { FamilyChange, FamilySchema, GcRule, TableSchema, TableUpdate } from '../schema.js';

/** No rule of 500 bytes is nested as deep; only a rule that contains itself is. */
const maxRuleDepth = 500;

/** Checks a new table, except for the characters of names and the size of rules. */
export function checkTableSchema(schema: TableSchema): void {
  checkObject(schema, 'schema', 'give { name, families: new Map([[family, {}]]) }');
  const { name, families, splitKeys, granularity, deletionProtection } = schema;
  checkText(name, 'table');
  // Maps of other realms, too.
  if (!types.isMap(families))
    throw invalidArgument(
      'families',
      `families is ${valueText(families)}, not a Map`,
      'give a Map from family to schema: new Map(Object.entries({ m: {} }))',
    );
  for (const [family, declared] of families) {
    checkText(family, 'family');
    checkFamilySchema(declared);
  }
  if (splitKeys !== undefined) checkSplitKeys(splitKeys);
  if (granularity !== undefined && granularity !== 'millis' && granularity !== 'micros')
    throw invalidArgument(
      'granularity',
      "must be 'millis' or 'micros'",
      "leave it out for 'millis'",
      { value: granularity },
    );
  if (deletionProtection !== undefined) checkFlag(deletionProtection, 'deletionProtection');
}

function checkSplitKeys(splitKeys: readonly Uint8Array[]): void {
  if (Array.isArray(splitKeys) && splitKeys.every((key) => key instanceof Uint8Array)) {
    for (const { length } of splitKeys) checkSplitKeyLength(length);
    return;
  }
  throw invalidArgument(
    'splitKeys',
    'the split keys are not an array of bytes',
    'give row keys as Uint8Arrays, or leave splitKeys out',
  );
}

function checkSplitKeyLength(bytes: number): void {
  if (bytes <= maxRowKeyBytes) return;
  throw new RowsmithError('LIMIT_EXCEEDED', {
    property: 'splitKeys',
    problem: `a split key has ${bytes} bytes, the limit is ${maxRowKeyBytes}`,
    fix: 'split at keys that rows can have',
  });
}

/** Checks the settings of updateTable. */
export function checkTableUpdate(table: string, update: TableUpdate): void {
  checkText(table, 'table');
  checkObject(update, 'update', 'give { deletionProtection }');
  checkOptions('updateTable()', update, ['deletionProtection', ...liveSettings]);
  if (update.deletionProtection !== undefined)
    checkFlag(update.deletionProtection, 'deletionProtection');
  checkLiveSettings(update);
}

/** Settings that only a live database has. */
const liveSettings = ['changeStreamMicros', 'automatedBackup', 'rowKeySchema'] as const;

/** Rejects settings that an embedded database would have to ignore. */
export function checkEmbeddedSettings(
  table: string,
  settings: Pick<TableUpdate, (typeof liveSettings)[number]>,
): void {
  const name = liveSettings.find((each) => settings[each] !== undefined);
  if (name === undefined) return;
  throw new RowsmithError('UNSUPPORTED', {
    table,
    property: name,
    problem: `an embedded database has no ${name}`,
    fix: 'leave it out; only live databases have it',
  });
}

function checkLiveSettings({
  changeStreamMicros,
  automatedBackup,
  rowKeySchema,
}: TableUpdate): void {
  checkMicrosSetting(changeStreamMicros, 'changeStreamMicros');
  if (automatedBackup !== undefined && automatedBackup !== null) {
    checkObject(automatedBackup, 'automatedBackup', 'give { retentionMicros, frequencyMicros }');
    checkMicrosSetting(automatedBackup.retentionMicros ?? NaN, 'automatedBackup.retentionMicros');
    checkMicrosSetting(automatedBackup.frequencyMicros ?? NaN, 'automatedBackup.frequencyMicros');
  }
  if (rowKeySchema === undefined || rowKeySchema === null || isBytes(rowKeySchema)) return;
  throw invalidArgument(
    'rowKeySchema',
    `rowKeySchema is ${valueText(rowKeySchema)}`,
    'give the encoded google.bigtable.admin.v2.Type.Struct, or null to remove it',
  );
}

function checkMicrosSetting(micros: unknown, property: string): void {
  if (micros === undefined || micros === null) return;
  if (Number.isSafeInteger(micros) && (micros as number) > 0) return;
  throw invalidArgument(
    property,
    `${property} is ${valueText(micros)}`,
    'give a whole number of microseconds above 0',
  );
}

/** Checks changes of families, except for the characters of names and the size of rules. */
export function checkFamilyChanges(table: string, changes: readonly FamilyChange[]): void {
  checkText(table, 'table');
  const fix = "give an array of changes: [{ kind: 'create', family, schema }]";
  checkList(changes, 'changes', fix);
  for (const change of changes) {
    checkObject(change, 'changes', fix);
    checkText(change.family, 'family');
    switch (change.kind) {
      case 'create':
        checkFamilySchema(change.schema);
        break;
      case 'update':
        if (change.gc !== undefined) checkGcRule(change.gc);
        break;
      case 'drop':
        break;
      default:
        throw unknownKindError('changes', change);
    }
  }
}

function checkFamilySchema(schema: FamilySchema): void {
  if (!isObject(schema))
    throw invalidArgument(
      'families',
      `the schema of a family is ${valueText(schema)}`,
      'give {} for a family that keeps everything, or { gc }',
    );
  const { gc, aggregate } = schema;
  if (aggregate !== undefined && !['sum', 'min', 'max'].includes(aggregate))
    throw new RowsmithError('UNSUPPORTED', {
      property: 'aggregate',
      value: aggregate,
      problem: `the family has the ${aggregateProblem(aggregate)}`,
      fix: 'use sum, min or max',
    });
  if (gc !== undefined) checkGcRule(gc);
}

/** HyperLogLog++ is Bigtable's fourth aggregate, by any of its names. */
const hyperLogLog = /^(hll|hyperloglog)/i;

/** Why an aggregate is not supported. */
export function aggregateProblem(aggregate: unknown): string {
  const name = literalText(aggregate);
  if (typeof aggregate !== 'string' || !hyperLogLog.test(aggregate))
    return `unknown aggregate ${name}`;
  return (
    `aggregate ${name} with cells that cannot be read: ` +
    'Bigtable does not document the bytes of HyperLogLog++ (types.proto: "State: TBD")'
  );
}

function checkGcRule(rule: GcRule, depth = 1): void {
  if (!isObject(rule) || depth > maxRuleDepth)
    throw invalidArgument(
      'gc',
      depth > maxRuleDepth ? 'the rule is nested too deep' : `the rule is ${valueText(rule)}`,
      'give a rule such as maxVersions(1), or leave it out to keep all',
    );
  switch (rule.kind) {
    case 'maxVersions':
      if (Number.isSafeInteger(rule.versions) && rule.versions >= 1) return;
      throw invalidArgument(
        'gc',
        'maxVersions must be a whole number of at least 1',
        'keep 1 version or more; leave the rule out to keep all',
        { value: rule.versions },
      );
    case 'maxAge':
      if (Number.isSafeInteger(rule.micros) && rule.micros >= 1000) return;
      throw invalidArgument(
        'gc',
        'maxAge must be at least 1,000 microseconds',
        'give whole microseconds, 1,000 for a millisecond',
        { value: rule.micros },
      );
    case 'union':
    case 'intersection':
      checkList(rule.rules, 'gc', 'give { kind, rules: [...] }');
      for (const each of rule.rules) checkGcRule(each, depth + 1);
      return;
    default:
      throw unknownKindError('gc', rule);
  }
}
