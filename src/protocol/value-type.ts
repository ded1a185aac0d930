/** ColumnFamily.value_type <-> the aggregate of a family. "For now, only the Aggregate type is supported" (table.proto, ColumnFamily.value_type). */
import { unknownFields } from '../cell/index.js';
import type { Aggregate } from '../store/index.js';
import { badRequest, notOffered } from './bad-request.js';
import type { TypeContent } from './table-messages.js';

/** The aggregate of a type; undefined for raw bytes. */
export function readValueType(type: TypeContent | undefined): Aggregate | undefined {
  if (type === undefined || (type.bytesType !== undefined && !(unknownFields in type.bytesType))) return undefined;
  const { aggregateType } = type;
  if (aggregateType === undefined) {
    const named = type.stringType !== undefined || type.int64Type !== undefined;
    throw named ? badRequest('value_type', 'Only aggregate types are supported for column families.') : notOffered('value_type', 'The value type is not offered by this server.');
  }
  const { inputType, sum, min, max, hllppUniqueCount } = aggregateType;
  if (hllppUniqueCount !== undefined) throw notOffered('value_type', 'HyperLogLog++ aggregates are not offered by this server.');
  if (unknownFields in aggregateType) throw notOffered('value_type', 'The aggregate is of a kind that this server does not know.');
  if (inputType !== undefined && (inputType.int64Type === undefined || inputType.int64Type.encoding?.orderedCodeBytes !== undefined)) {
    throw notOffered('value_type', 'Aggregates of this server take int64 in big-endian bytes.');
  }
  if (sum !== undefined) return 'sum';
  if (min !== undefined) return 'min';
  if (max !== undefined) return 'max';
  throw badRequest('value_type', 'The aggregate type names no aggregator.');
}

/** The type of an aggregate family. */
export function valueType(aggregate: Aggregate): TypeContent {
  if (!aggregates.includes(aggregate)) throw notOffered('aggregate', `There is no aggregate '${String(aggregate)}'.`);
  const int64: TypeContent = { int64Type: { encoding: { bigEndianBytes: {} } } };
  return { aggregateType: { inputType: int64, stateType: int64, [aggregate]: {} } };
}

/** The aggregate of a stored family. Types that this version does not know are no aggregates of ours: a list of tables must not fail by them. */
export function storedAggregate(type: TypeContent | undefined): Aggregate | undefined {
  return aggregates.find((aggregate) => type?.aggregateType?.[aggregate] !== undefined);
}

const aggregates: readonly Aggregate[] = ['sum', 'min', 'max'];
