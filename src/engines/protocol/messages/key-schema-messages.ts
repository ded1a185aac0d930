/** The row_key_schema and other settings of a table (table.proto, types.proto). */
import { bytes, many, messageType, one, text, type ContentOf } from '../../../data/cell/index.js';
import { Duration } from './operation-messages.js';
import { BytesType, Int64Encoding, Int64Type, StringType } from './table-messages.js';

const name = (message: string): string => `google.bigtable.admin.v2.${message}`;

const TimestampEncoding = messageType(name('Type.Timestamp.Encoding'), {
  unixMicrosInt64: one(1, Int64Encoding, 'encoding'),
});
const TimestampType = messageType(name('Type.Timestamp'), {
  encoding: one(1, TimestampEncoding),
});
/** The types that a part of a key may have here. */
const KeyFieldType = messageType(name('Type'), {
  bytesType: one(1, BytesType, 'kind'),
  stringType: one(2, StringType, 'kind'),
  int64Type: one(5, Int64Type, 'kind'),
  timestampType: one(10, TimestampType, 'kind'),
});
const StructField = messageType(name('Type.Struct.Field'), {
  fieldName: text(1),
  type: one(2, KeyFieldType),
});
const DelimitedBytes = messageType(name('Type.Struct.Encoding.DelimitedBytes'), {
  delimiter: bytes(1),
});
const StructEncoding = messageType(name('Type.Struct.Encoding'), {
  singleton: one(1, messageType(name('Type.Struct.Encoding.Singleton'), {}), 'encoding'),
  delimitedBytes: one(2, DelimitedBytes, 'encoding'),
  orderedCodeBytes: one(
    3,
    messageType(name('Type.Struct.Encoding.OrderedCodeBytes'), {}),
    'encoding',
  ),
});
/** A row_key_schema. */
export const RowKeySchema = messageType(name('Type.Struct'), {
  fields: many(1, StructField),
  encoding: one(2, StructEncoding),
});
export type RowKeySchemaContent = ContentOf<typeof RowKeySchema>;

export const ChangeStreamConfig = messageType(name('ChangeStreamConfig'), {
  retentionPeriod: one(1, Duration),
});
export const AutomatedBackupPolicy = messageType(name('Table.AutomatedBackupPolicy'), {
  retentionPeriod: one(1, Duration),
  frequency: one(2, Duration),
});
