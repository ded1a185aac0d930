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
  type FaultTexts,
} from '../../../base/index.js';
import { unknownKindError } from './arguments.js';
import { checkFlag, checkList, checkObject, checkName, isObject } from './check-shape.js';
import type { FamilyChange, FamilySchema, GcRule, TableSchema, TableUpdate } from '../schema.js';

/** No rule of 500 bytes is nested as deep; only a rule that contains itself is. */
const maxRuleDepth = 500;

/** Checks a new table, except for the characters of names and the size of rules. */
export function checkTableSchema(schema: TableSchema): void {
  checkObject(schema, 'schema', 'give { name, families: new Map([[family, {}]]) }');
  const { name, families, splitKeys, granularity, deletionProtection } = schema;
  checkName(name, 'table');
  // Maps of other realms, too.
  if (!types.isMap(families))
    throw invalidArgument('families', faults.notAMap(valueText(families)));
  for (const [family, declared] of families) {
    checkName(family, 'family');
    checkFamilySchema(declared);
  }
  if (splitKeys !== undefined) checkSplitKeys(splitKeys);
  if (granularity !== undefined && granularity !== 'millis' && granularity !== 'micros')
    throw invalidArgument('granularity', faults.unknownGranularity, { value: granularity });
  if (deletionProtection !== undefined) checkFlag(deletionProtection, 'deletionProtection');
}

function checkSplitKeys(splitKeys: readonly Uint8Array[]): void {
  if (Array.isArray(splitKeys) && splitKeys.every((key) => key instanceof Uint8Array)) {
    for (const { length } of splitKeys) checkSplitKeyLength(length);
    return;
  }
  throw invalidArgument('splitKeys', faults.wrongSplitKeys);
}

function checkSplitKeyLength(bytes: number): void {
  if (bytes <= maxRowKeyBytes) return;
  throw new RowsmithError('LIMIT_EXCEEDED', {
    property: 'splitKeys',
    ...faults.splitKeyTooLong(bytes),
  });
}

/** Checks the settings of updateTable. */
export function checkTableUpdate(table: string, update: TableUpdate): void {
  checkName(table, 'table');
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
    ...faults.liveOnly(name),
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
  throw invalidArgument('rowKeySchema', faults.wrongRowKeySchema(valueText(rowKeySchema)));
}

function checkMicrosSetting(micros: unknown, property: string): void {
  if (micros === undefined || micros === null) return;
  if (Number.isSafeInteger(micros) && (micros as number) > 0) return;
  throw invalidArgument(property, faults.notMicroseconds(property, valueText(micros)));
}

/** Checks changes of families, except for the characters of names and the size of rules. */
export function checkFamilyChanges(table: string, changes: readonly FamilyChange[]): void {
  checkName(table, 'table');
  const fix = "give an array of changes: [{ kind: 'create', family, schema }]";
  checkList(changes, 'changes', fix);
  for (const change of changes) {
    checkObject(change, 'changes', fix);
    checkName(change.family, 'family');
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
    throw invalidArgument('families', faults.wrongFamilySchema(valueText(schema)));
  const { gc, aggregate } = schema;
  if (aggregate !== undefined && !['sum', 'min', 'max'].includes(aggregate))
    throw new RowsmithError('UNSUPPORTED', {
      property: 'aggregate',
      value: aggregate,
      ...faults.unknownAggregate(aggregate),
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
    throw invalidArgument('gc', faults.wrongRule(depth, valueText(rule)));
  switch (rule.kind) {
    case 'maxVersions':
      if (Number.isSafeInteger(rule.versions) && rule.versions >= 1) return;
      throw invalidArgument('gc', faults.maxVersionsTooSmall, { value: rule.versions });
    case 'maxAge':
      if (Number.isSafeInteger(rule.micros) && rule.micros >= 1000) return;
      throw invalidArgument('gc', faults.maxAgeTooSmall, { value: rule.micros });
    case 'union':
    case 'intersection':
      checkList(rule.rules, 'gc', 'give { kind, rules: [...] }');
      for (const each of rule.rules) checkGcRule(each, depth + 1);
      return;
    default:
      throw unknownKindError('gc', rule);
  }
}

const faults = {
  notAMap: (given: string) => ({
    problem: `families is ${given}, not a Map`,
    fix: 'give a Map from family to schema: new Map(Object.entries({ m: {} }))',
  }),
  unknownGranularity: { problem: "must be 'millis' or 'micros'", fix: "leave it out for 'millis'" },
  wrongSplitKeys: {
    problem: 'the split keys are not an array of Uint8Arrays',
    fix: 'give row keys as Uint8Arrays, or leave splitKeys out',
  },
  splitKeyTooLong: (bytes: number) => ({
    problem: `a split key has ${bytes} bytes, the limit is ${maxRowKeyBytes}`,
    fix: `give split keys of at most ${maxRowKeyBytes} bytes`,
  }),
  liveOnly: (name: string) => ({
    problem: `an embedded database has no ${name}`,
    fix: 'leave it out; only live databases have it',
  }),
  wrongRowKeySchema: (given: string) => ({
    problem: `rowKeySchema is ${given}`,
    fix: 'give the encoded google.bigtable.admin.v2.Type.Struct, or null to remove it',
  }),
  notMicroseconds: (property: string, given: string) => ({
    problem: `${property} is ${given}`,
    fix: 'give a whole number of microseconds above 0',
  }),
  wrongFamilySchema: (given: string) => ({
    problem: `the schema of a family is ${given}`,
    fix: 'give {} for a family that keeps everything, or { gc }',
  }),
  unknownAggregate: (aggregate: string) => ({
    problem: `the family has the ${aggregateProblem(aggregate)}`,
    fix: 'use sum, min or max',
  }),
  wrongRule: (depth: number, given: string) => ({
    problem:
      depth > maxRuleDepth
        ? `the rule is nested deeper than ${maxRuleDepth} levels`
        : `the rule is ${given}`,
    fix: 'give a rule such as maxVersions(1), or leave it out to keep all',
  }),
  maxVersionsTooSmall: {
    problem: 'maxVersions must be a whole number of at least 1',
    fix: 'keep 1 version or more; leave the rule out to keep all',
  },
  maxAgeTooSmall: {
    problem: 'maxAge must be at least 1,000 microseconds',
    fix: 'give whole microseconds, 1,000 for a millisecond',
  },
} satisfies FaultTexts;
