/**
 * ColumnFamily.value_type <-> the aggregate of a family. "For now, only the Aggregate type is
 * supported" (table.proto, ColumnFamily.value_type).
 */
import { unknownFields } from '../../cell/index.js';
import type { Aggregate, FamilySchema } from '../../store/index.js';
import { requestError, unsupportedRequest } from '../request-error.js';
import type { TypeContent } from '../messages/table-messages.js';

/** The aggregate of a type; undefined for raw bytes. */
export function readValueType(type: TypeContent | undefined): Aggregate | undefined {
  if (type === undefined || (type.bytesType !== undefined && !(unknownFields in type.bytesType)))
    return undefined;
  const { aggregateType } = type;
  if (aggregateType === undefined) {
    const named = type.stringType !== undefined || type.int64Type !== undefined;
    throw named
      ? requestError('value_type', 'Only aggregate types are supported for column families.')
      : unsupportedRequest('value_type', 'The value type is not offered by this server.');
  }
  const { inputType, sum, min, max, hllppUniqueCount } = aggregateType;
  if (hllppUniqueCount !== undefined)
    throw unsupportedRequest(
      'value_type',
      'HyperLogLog++ aggregates are not offered by this server.',
    );
  if (unknownFields in aggregateType)
    throw unsupportedRequest(
      'value_type',
      'The aggregate is of a kind that this server does not know.',
    );
  if (
    inputType !== undefined &&
    (inputType.int64Type === undefined ||
      inputType.int64Type.encoding?.orderedCodeBytes !== undefined)
  ) {
    throw unsupportedRequest(
      'value_type',
      'Aggregates of this server take int64 in big-endian bytes.',
    );
  }
  if (sum !== undefined) return 'sum';
  if (min !== undefined) return 'min';
  if (max !== undefined) return 'max';
  throw requestError('value_type', 'The aggregate type names no aggregator.');
}

/** The type of an aggregate family. */
export function valueType(aggregate: Aggregate): TypeContent {
  if (!aggregates.includes(aggregate))
    throw unsupportedRequest('aggregate', `There is no aggregate '${String(aggregate)}'.`);
  const int64: TypeContent = { int64Type: { encoding: { bigEndianBytes: {} } } };
  return { aggregateType: { inputType: int64, stateType: int64, [aggregate]: {} } };
}

/**
 * What a stored family holds. A type that is not offered here is named: a list of tables must not
 * fail by it, nor show plain cells.
 */
export function storedType(
  type: TypeContent | undefined,
): Pick<FamilySchema, 'aggregate' | 'otherType'> {
  if (type === undefined || (type.bytesType !== undefined && !(unknownFields in type.bytesType)))
    return {};
  const { aggregateType } = type;
  const aggregate = aggregates.find((name) => aggregateType?.[name] !== undefined);
  // An aggregate over something else than int64 is none of ours either.
  if (
    aggregate !== undefined &&
    (aggregateType?.inputType === undefined || aggregateType.inputType.int64Type !== undefined)
  )
    return { aggregate };
  if (aggregate !== undefined)
    return { otherType: `aggregate ${aggregate} of another input than int64` };
  if (aggregateType?.hllppUniqueCount !== undefined)
    return { otherType: 'aggregate hyperloglog++' };
  return {
    otherType:
      aggregateType === undefined
        ? 'cells of a type'
        : 'an aggregate that this version does not know',
  };
}

const aggregates: readonly Aggregate[] = ['sum', 'min', 'max'];
