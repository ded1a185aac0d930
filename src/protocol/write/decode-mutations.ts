/**
 * Mutation messages -> mutations (encode-mutations.ts is the inverse); read-modify-write rules in
 * both directions.
 */
import { noBytes } from '../../bytes/index.js';
import { unknownFields } from '../../cell/index.js';
import {
  checkInt64,
  checkQualifier,
  checkValue,
  type Mutation,
  type ReadModifyWriteRule,
} from '../../store/index.js';
import { constantRequestError, requestError, unsupportedRequest } from '../request-error.js';
import type {
  MutationMessage,
  ReadModifyWriteRowRequest,
  Value,
} from '../messages/data-messages.js';
import type { ContentOf } from '../messages/message-type.js';

type MutationContent = ContentOf<typeof MutationMessage>;
type RuleContent = NonNullable<ContentOf<typeof ReadModifyWriteRowRequest>['rules']>[number];
type ValueContent = ContentOf<typeof Value>;

/** Checks the row key of a write. */
export function decodeRowKey(key: Uint8Array | undefined): Uint8Array {
  if (key === undefined || key.length === 0)
    throw constantRequestError('row_key', 'Row keys must be non-empty');
  return key;
}

/** The mutations of one row. */
export function decodeMutations(messages: readonly MutationContent[] = []): Mutation[] {
  return messages.map(readMutation);
}

function readMutation(message: MutationContent): Mutation {
  const { setCell, deleteFromColumn, deleteFromFamily, deleteFromRow } = message;
  if (setCell !== undefined) {
    const {
      familyName = '',
      columnQualifier = noBytes,
      timestampMicros = 0n,
      value = noBytes,
    } = setCell;
    return {
      kind: 'setCell',
      family: familyName,
      qualifier: columnQualifier,
      timestamp: timestampMicros,
      value,
    };
  }
  if (deleteFromColumn !== undefined) {
    const {
      familyName = '',
      columnQualifier = noBytes,
      timeRange: { startTimestampMicros: start = 0n, endTimestampMicros: end = 0n } = {},
    } = deleteFromColumn;
    return {
      kind: 'deleteFromColumn',
      family: familyName,
      qualifier: columnQualifier,
      start,
      // 0 means no end.
      end: end === 0n ? undefined : end,
    };
  }
  if (deleteFromFamily !== undefined)
    return { kind: 'deleteFromFamily', family: deleteFromFamily.familyName ?? '' };
  if (deleteFromRow !== undefined) return { kind: 'deleteFromRow' };
  return readAggregation(message);
}

function readAggregation(message: MutationContent): Mutation {
  const { addToCell, mergeToCell } = message;
  const aggregation = addToCell ?? mergeToCell;
  if (aggregation === undefined) {
    if (unknownFields in message)
      throw unsupportedRequest(
        'mutations',
        'The mutation is of a kind that this server does not know.',
      );
    throw constantRequestError('mutations', 'No mutation set');
  }
  const { familyName: family = '', columnQualifier, timestamp: time, input } = aggregation;
  const qualifier = valueOf(columnQualifier, 'rawValue', 'column_qualifier', 'a raw_value');
  const timestamp = valueOf(time, 'rawTimestampMicros', 'timestamp', 'a raw_timestamp_micros');
  const cell = { family, qualifier, timestamp };
  if (addToCell !== undefined)
    return {
      kind: 'addToCell',
      ...cell,
      input: valueOf(input, 'intValue', 'input', 'an int_value'),
    };
  return {
    kind: 'mergeToCell',
    ...cell,
    input: valueOf(input, 'rawValue', 'input', 'a raw_value'),
  };
}

/** The value of a field that must be of the kind. */
function valueOf<K extends keyof ValueContent>(
  message: ValueContent | undefined,
  kind: K,
  field: string,
  expected: string,
): Required<ValueContent>[K] {
  const value: ValueContent[K] = message?.[kind];
  if (value === undefined) throw constantRequestError(field, `${field} must be ${expected}.`);
  return value as Required<ValueContent>[K];
}

/** The rules of a ReadModifyWriteRowRequest. */
export function decodeRules(messages: readonly RuleContent[] = []): ReadModifyWriteRule[] {
  if (messages.length === 0) throw requestError('rules', 'At least one rule must be specified');
  return messages.map(
    ({
      familyName: family = '',
      columnQualifier: qualifier = noBytes,
      appendValue,
      incrementAmount,
    }): ReadModifyWriteRule => {
      if (appendValue !== undefined)
        return { kind: 'append', family, qualifier, value: appendValue };
      if (incrementAmount !== undefined)
        return { kind: 'increment', family, qualifier, amount: incrementAmount };
      throw requestError('rules', 'A rule must append a value or increment by an amount');
    },
  );
}

/** The messages of read-modify-write rules, which are checked first. */
export function encodeRules(rules: readonly ReadModifyWriteRule[]): RuleContent[] {
  if (rules.length === 0) throw requestError('rules', 'at least one rule is needed');
  return rules.map((rule) => {
    checkQualifier(rule.qualifier);
    const column = { familyName: rule.family, columnQualifier: rule.qualifier };
    switch (rule.kind) {
      case 'increment':
        checkInt64(rule.amount, 'amount');
        return { ...column, incrementAmount: rule.amount };
      case 'append':
        checkValue(rule.value);
        return { ...column, appendValue: rule.value };
      default:
        throw requestError('rules', `unknown kind '${String((rule as { kind?: unknown }).kind)}'`);
    }
  });
}
