/**
 * Messages of google.bigtable.admin.v2.BigtableTableAdmin (bigtable_table_admin.proto, table.proto,
 * types.proto).
 */
import {
  bool,
  bytes,
  encoded,
  enumeration,
  int32,
  many,
  mapOf,
  messageType,
  one,
  text,
  timestamp,
  type ContentOf,
  type MessageType,
} from '../../../data/cell/index.js';
import { ProtoDuration, FieldMask } from './operation-messages.js';

const name = (message: string): string => `google.bigtable.admin.v2.${message}`;
const marker = (message: string): MessageType<object> => messageType(name(message), {});

/** Written out because rules contain rules. */
export interface GcRuleContent {
  maxNumVersions?: number;
  maxAge?: ContentOf<typeof ProtoDuration>;
  intersection?: { rules?: GcRuleContent[] };
  union?: { rules?: GcRuleContent[] };
}
const Intersection: MessageType<{ rules?: GcRuleContent[] }> = messageType(
  name('GcRule.Intersection'),
  { rules: many(1, () => GcRuleMessage) },
);
const Union: MessageType<{ rules?: GcRuleContent[] }> = messageType(name('GcRule.Union'), {
  rules: many(1, () => GcRuleMessage),
});
export const GcRuleMessage: MessageType<GcRuleContent> = messageType(name('GcRule'), {
  maxNumVersions: int32(1, 'rule'),
  maxAge: one(2, ProtoDuration, 'rule'),
  intersection: one(3, Intersection, 'rule'),
  union: one(4, Union, 'rule'),
});

const BytesEncoding = messageType(name('Type.Bytes.Encoding'), {
  raw: one(1, marker('Type.Bytes.Encoding.Raw'), 'encoding'),
});
export const BytesType = messageType(name('Type.Bytes'), { encoding: one(1, BytesEncoding) });
const StringEncoding = messageType(name('Type.String.Encoding'), {
  utf8Raw: one(1, marker('Type.String.Encoding.Utf8Raw'), 'encoding'),
  utf8Bytes: one(2, marker('Type.String.Encoding.Utf8Bytes'), 'encoding'),
});
export const StringType = messageType(name('Type.String'), { encoding: one(1, StringEncoding) });
const BigEndianBytes = messageType(name('Type.Int64.Encoding.BigEndianBytes'), {
  bytesType: one(1, BytesType),
});
export const Int64Encoding = messageType(name('Type.Int64.Encoding'), {
  bigEndianBytes: one(1, BigEndianBytes, 'encoding'),
  orderedCodeBytes: one(2, marker('Type.Int64.Encoding.OrderedCodeBytes'), 'encoding'),
});
export const Int64Type = messageType(name('Type.Int64'), { encoding: one(1, Int64Encoding) });

/** The value types that a family may have here. Written out because types contain types. */
export interface TypeContent {
  bytesType?: ContentOf<typeof BytesType>;
  stringType?: ContentOf<typeof StringType>;
  int64Type?: ContentOf<typeof Int64Type>;
  aggregateType?: {
    inputType?: TypeContent;
    stateType?: TypeContent;
    sum?: object;
    hllppUniqueCount?: object;
    max?: object;
    min?: object;
  };
}
const AggregateType: MessageType<NonNullable<TypeContent['aggregateType']>> = messageType(
  name('Type.Aggregate'),
  {
    inputType: one(1, () => TypeMessage),
    stateType: one(2, () => TypeMessage),
    sum: one(4, marker('Type.Aggregate.Sum'), 'aggregator'),
    hllppUniqueCount: one(5, marker('Type.Aggregate.HyperLogLogPlusPlusUniqueCount'), 'aggregator'),
    max: one(6, marker('Type.Aggregate.Max'), 'aggregator'),
    min: one(7, marker('Type.Aggregate.Min'), 'aggregator'),
  },
);
export const TypeMessage: MessageType<TypeContent> = messageType(name('Type'), {
  bytesType: one(1, BytesType, 'kind'),
  stringType: one(2, StringType, 'kind'),
  int64Type: one(5, Int64Type, 'kind'),
  aggregateType: one(6, AggregateType, 'kind'),
});

/** The rule stays encoded because its encoded size is limited. */
export const ColumnFamily = messageType(name('ColumnFamily'), {
  gcRule: encoded(1),
  valueType: one(3, TypeMessage),
});
export const EncryptionInfo = messageType(name('EncryptionInfo'), {
  kmsKeyVersion: text(2),
  encryptionType: enumeration(3),
  encryptionStatus: encoded(4),
});
const ClusterState = messageType(name('Table.ClusterState'), {
  replicationState: enumeration(1),
  encryptionInfo: many(2, EncryptionInfo),
});
/** `restoreInfo` is set by servers. The settings stay encoded: engines do not keep them. */
export const TableMessage = messageType(name('Table'), {
  name: text(1),
  clusterStates: mapOf(one(2, ClusterState)),
  columnFamilies: mapOf(one(3, ColumnFamily)),
  granularity: enumeration(4),
  deletionProtection: bool(9),
  restoreInfo: encoded(6),
  changeStreamConfig: encoded(8),
  automatedBackupPolicy: encoded(13, 'automatedBackupConfig'),
  rowKeySchema: encoded(15),
});

const Split = messageType(name('CreateTableRequest.Split'), { key: bytes(1) });
export const CreateTableRequest = messageType(name('CreateTableRequest'), {
  parent: text(1),
  tableId: text(2),
  table: one(3, TableMessage),
  initialSplits: many(4, Split),
});
export const ListTablesRequest = messageType(name('ListTablesRequest'), {
  parent: text(1),
  view: enumeration(2),
  pageToken: text(3),
  pageSize: int32(4),
});
export const ListTablesResponse = messageType(name('ListTablesResponse'), {
  tables: many(1, TableMessage),
  nextPageToken: text(2),
});
export const GetTableRequest = messageType(name('GetTableRequest'), {
  name: text(1),
  view: enumeration(2),
});
export const UpdateTableRequest = messageType(name('UpdateTableRequest'), {
  table: one(1, TableMessage),
  updateMask: one(2, FieldMask),
  ignoreWarnings: bool(3),
});
export const UpdateTableMetadata = messageType(name('UpdateTableMetadata'), {
  name: text(1),
  startTime: timestamp(2),
  endTime: timestamp(3),
});
export const DeleteTableRequest = messageType(name('DeleteTableRequest'), { name: text(1) });
const Modification = messageType(name('ModifyColumnFamiliesRequest.Modification'), {
  id: text(1),
  create: one(2, ColumnFamily, 'mod'),
  update: one(3, ColumnFamily, 'mod'),
  drop: bool(4, 'mod'),
  updateMask: one(6, FieldMask),
});
export const ModifyColumnFamiliesRequest = messageType(name('ModifyColumnFamiliesRequest'), {
  name: text(1),
  modifications: many(2, Modification),
  ignoreWarnings: bool(3),
});
export const DropRowRangeRequest = messageType(name('DropRowRangeRequest'), {
  name: text(1),
  rowKeyPrefix: bytes(2, 'target'),
  deleteAllDataFromTable: bool(3, 'target'),
});
export const GenerateConsistencyTokenRequest = messageType(
  name('GenerateConsistencyTokenRequest'),
  { name: text(1) },
);
export const GenerateConsistencyTokenResponse = messageType(
  name('GenerateConsistencyTokenResponse'),
  { consistencyToken: text(1) },
);
/** Both modes hold once a write has returned: there is one copy of the data. */
export const CheckConsistencyRequest = messageType(name('CheckConsistencyRequest'), {
  name: text(1),
  consistencyToken: text(2),
  standardReadRemoteWrites: one(3, marker('StandardReadRemoteWrites'), 'mode'),
  dataBoostReadLocalWrites: one(4, marker('DataBoostReadLocalWrites'), 'mode'),
});
export const CheckConsistencyResponse = messageType(name('CheckConsistencyResponse'), {
  consistent: bool(1),
});
