/**
 * ColumnFamily.value_type <-> the aggregate of a family. Types of strings and bytes describe values
 * without changing them: servers keep them, and engines do not see them.
 */
import type { FaultTexts } from '../../../base/index.js';
import { unknownFields } from '../../../data/cell/index.js';
import type { Aggregate, FamilySchema } from '../../../data/store/index.js';
import { requestError, unsupportedRequest } from '../request-error.js';
import type { TypeContent } from '../messages/table-messages.js';

/** The aggregate of a type; undefined for bytes and strings. */
export function decodeValueType(type: TypeContent | undefined): Aggregate | undefined {
  if (type === undefined || isPlainType(type)) return undefined;
  const { aggregateType, int64Type } = type;
  if (aggregateType === undefined) {
    if (int64Type !== undefined) throw requestError('value_type', faults.wrongType);
    throw unsupportedRequest('value_type', faults.unsupportedType);
  }
  const { inputType, sum, min, max, hllppUniqueCount } = aggregateType;
  if (hllppUniqueCount !== undefined)
    throw unsupportedRequest('value_type', faults.unsupportedHyperLogLog);
  if (unknownFields in aggregateType)
    throw unsupportedRequest('value_type', faults.unknownAggregator);
  if (
    inputType !== undefined &&
    (inputType.int64Type === undefined ||
      inputType.int64Type.encoding?.orderedCodeBytes !== undefined)
  ) {
    throw unsupportedRequest('value_type', faults.wrongInputType);
  }
  if (sum !== undefined) return 'sum';
  if (min !== undefined) return 'min';
  if (max !== undefined) return 'max';
  throw requestError('value_type', faults.missingAggregator);
}

/** The type of an aggregate family. */
export function encodeValueType(aggregate: Aggregate): TypeContent {
  if (!aggregates.includes(aggregate))
    throw unsupportedRequest('aggregate', faults.unknownAggregate(aggregate));
  const int64: TypeContent = { int64Type: { encoding: { bigEndianBytes: {} } } };
  return { aggregateType: { inputType: int64, stateType: int64, [aggregate]: {} } };
}

/**
 * The type of a stored family. An unsupported type is described in `otherType`, so that listing
 * tables neither fails nor shows the family as plain cells.
 */
export function decodeStoredType(
  type: TypeContent | undefined,
): Pick<FamilySchema, 'aggregate' | 'otherType'> {
  if (type === undefined || isRawBytes(type)) return {};
  const { aggregateType } = type;
  if (aggregateType === undefined) return { otherType: 'cells of a type' };
  const { inputType, hllppUniqueCount } = aggregateType;
  const aggregate = aggregates.find((name) => aggregateType[name] !== undefined);
  if (aggregate !== undefined) {
    if (inputType === undefined || inputType.int64Type !== undefined) return { aggregate };
    return { otherType: `aggregate ${aggregate} of another input than int64` };
  }
  if (hllppUniqueCount !== undefined) return { otherType: 'aggregate hyperloglog++' };
  return { otherType: 'an aggregate that this version does not know' };
}

/** Whether the type describes values without changing them: bytes and strings. */
export function isPlainType(type: TypeContent): boolean {
  const { stringType } = type;
  return isRawBytes(type) || (stringType !== undefined && !(unknownFields in stringType));
}

/** Whether the type is Bytes in its raw encoding, the default. */
function isRawBytes({ bytesType }: TypeContent): boolean {
  return bytesType !== undefined && !(unknownFields in bytesType);
}

const aggregates: readonly Aggregate[] = ['sum', 'min', 'max'];

const faults = {
  wrongType: {
    problem: 'Only types of bytes, strings and aggregates are supported for column families.',
  },
  unsupportedType: { problem: 'The value type is not offered by this server.' },
  unsupportedHyperLogLog: { problem: 'HyperLogLog++ aggregates are not offered by this server.' },
  unknownAggregator: { problem: 'The aggregate is of a kind that this server does not know.' },
  wrongInputType: { problem: 'Aggregates of this server take int64 in big-endian bytes.' },
  missingAggregator: { problem: 'The aggregate type names no aggregator.' },
  unknownAggregate: (aggregate: string) => ({
    problem: `There is no aggregate '${String(aggregate)}'.`,
  }),
} satisfies FaultTexts;
