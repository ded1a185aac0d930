/**
 * Messages of google.bigtable.v2 (data.proto, bigtable.proto). The rows of ReadRowsResponse are not
 * declared here: encode-chunks.ts writes them, and decode-chunks.ts reads them, without
 * intermediate objects.
 */
import {
  bool,
  bytes,
  double,
  encoded,
  enumeration,
  int32,
  int64,
  list,
  many,
  messageType,
  one,
  text,
  timestamp,
  type ContentOf,
  type MessageType,
} from '../../../data/cell/index.js';
import { ProtoDuration, Status } from './operation-messages.js';

const name = (message: string): string => `google.bigtable.v2.${message}`;

/** A message without fields. */
const marker = (message: string): MessageType<object> => messageType(name(message), {});

export const RowRange = messageType(name('RowRange'), {
  startKeyClosed: bytes(1, 'startKey'),
  startKeyOpen: bytes(2, 'startKey'),
  endKeyOpen: bytes(3, 'endKey'),
  endKeyClosed: bytes(4, 'endKey'),
});
export const RowSet = messageType(name('RowSet'), {
  rowKeys: list(bytes(1)),
  rowRanges: many(2, RowRange),
});
export const ColumnRange = messageType(name('ColumnRange'), {
  familyName: text(1),
  startQualifierClosed: bytes(2, 'startQualifier'),
  startQualifierOpen: bytes(3, 'startQualifier'),
  endQualifierClosed: bytes(4, 'endQualifier'),
  endQualifierOpen: bytes(5, 'endQualifier'),
});
export const TimestampRange = messageType(name('TimestampRange'), {
  startTimestampMicros: int64(1),
  endTimestampMicros: int64(2),
});
export const ValueRange = messageType(name('ValueRange'), {
  startValueClosed: bytes(1, 'startValue'),
  startValueOpen: bytes(2, 'startValue'),
  endValueClosed: bytes(3, 'endValue'),
  endValueOpen: bytes(4, 'endValue'),
});
export const ValueBitmask = messageType(name('ValueBitmask'), { mask: bytes(1) });

/** Written out because filters contain filters. */
export interface RowFilterContent {
  chain?: { filters?: RowFilterContent[] };
  interleave?: { filters?: RowFilterContent[] };
  condition?: {
    predicateFilter?: RowFilterContent;
    trueFilter?: RowFilterContent;
    falseFilter?: RowFilterContent;
  };
  rowKeyRegexFilter?: Uint8Array;
  familyNameRegexFilter?: string;
  columnQualifierRegexFilter?: Uint8Array;
  columnRangeFilter?: ContentOf<typeof ColumnRange>;
  timestampRangeFilter?: ContentOf<typeof TimestampRange>;
  valueRegexFilter?: Uint8Array;
  cellsPerRowOffsetFilter?: number;
  cellsPerRowLimitFilter?: number;
  cellsPerColumnLimitFilter?: number;
  stripValueTransformer?: boolean;
  rowSampleFilter?: number;
  valueRangeFilter?: ContentOf<typeof ValueRange>;
  sink?: boolean;
  passAllFilter?: boolean;
  blockAllFilter?: boolean;
  applyLabelTransformer?: string;
  valueBitmaskFilter?: ContentOf<typeof ValueBitmask>;
}

const Chain: MessageType<{ filters?: RowFilterContent[] }> = messageType(name('RowFilter.Chain'), {
  filters: many(1, () => RowFilter),
});
const Interleave: MessageType<{ filters?: RowFilterContent[] }> = messageType(
  name('RowFilter.Interleave'),
  { filters: many(1, () => RowFilter) },
);
const Condition: MessageType<NonNullable<RowFilterContent['condition']>> = messageType(
  name('RowFilter.Condition'),
  {
    predicateFilter: one(1, () => RowFilter),
    trueFilter: one(2, () => RowFilter),
    falseFilter: one(3, () => RowFilter),
  },
);
export const RowFilter: MessageType<RowFilterContent> = messageType(name('RowFilter'), {
  chain: one(1, Chain, 'filter'),
  interleave: one(2, Interleave, 'filter'),
  condition: one(3, Condition, 'filter'),
  rowKeyRegexFilter: bytes(4, 'filter'),
  familyNameRegexFilter: text(5, 'filter'),
  columnQualifierRegexFilter: bytes(6, 'filter'),
  columnRangeFilter: one(7, ColumnRange, 'filter'),
  timestampRangeFilter: one(8, TimestampRange, 'filter'),
  valueRegexFilter: bytes(9, 'filter'),
  cellsPerRowOffsetFilter: int32(10, 'filter'),
  cellsPerRowLimitFilter: int32(11, 'filter'),
  cellsPerColumnLimitFilter: int32(12, 'filter'),
  stripValueTransformer: bool(13, 'filter'),
  rowSampleFilter: double(14, 'filter'),
  valueRangeFilter: one(15, ValueRange, 'filter'),
  sink: bool(16, 'filter'),
  passAllFilter: bool(17, 'filter'),
  blockAllFilter: bool(18, 'filter'),
  applyLabelTransformer: text(19, 'filter'),
  valueBitmaskFilter: one(20, ValueBitmask, 'filter'),
});

const SetCell = messageType(name('Mutation.SetCell'), {
  familyName: text(1),
  columnQualifier: bytes(2),
  timestampMicros: int64(3),
  value: bytes(4),
});
const DeleteFromColumn = messageType(name('Mutation.DeleteFromColumn'), {
  familyName: text(1),
  columnQualifier: bytes(2),
  timeRange: one(3, TimestampRange),
});
const DeleteFromFamily = messageType(name('Mutation.DeleteFromFamily'), { familyName: text(1) });
/** The only type of values that mutations have. */
const ValueType = messageType(name('Type'), { int64Type: bytes(5, 'kind') });
/** The kinds of Value used by mutations. Kinds of SQL are rejected as unknown fields. */
export const Value = messageType(name('Value'), {
  type: one(7, ValueType),
  intValue: int64(6, 'kind'),
  rawValue: bytes(8, 'kind'),
  rawTimestampMicros: int64(9, 'kind'),
});
const AddToCell = messageType(name('Mutation.AddToCell'), {
  familyName: text(1),
  columnQualifier: one(2, Value),
  timestamp: one(3, Value),
  input: one(4, Value),
});
const MergeToCell = messageType(name('Mutation.MergeToCell'), {
  familyName: text(1),
  columnQualifier: one(2, Value),
  timestamp: one(3, Value),
  input: one(4, Value),
});
export const MutationMessage = messageType(name('Mutation'), {
  setCell: one(1, SetCell, 'mutation'),
  deleteFromColumn: one(2, DeleteFromColumn, 'mutation'),
  deleteFromFamily: one(3, DeleteFromFamily, 'mutation'),
  deleteFromRow: one(4, marker('Mutation.DeleteFromRow'), 'mutation'),
  addToCell: one(5, AddToCell, 'mutation'),
  mergeToCell: one(6, MergeToCell, 'mutation'),
  timestampOrigin: enumeration(7),
});
/** Values of Mutation.TimestampOrigin. */
export const timestampOrigin = {
  unspecified: 0,
  userSpecified: 1,
  clientAutoGenerated: 2,
} as const;

/** What a client supports, in the header `bigtable-features` (feature_flags.proto). */
export const FeatureFlags = messageType(name('FeatureFlags'), {
  reverseScans: bool(1),
  mutateRowsRateLimit: bool(3),
  lastScannedRowResponses: bool(4),
  mutateRowsRateLimit2: bool(5),
  routingCookie: bool(6),
  retryInfo: bool(7),
});

export const ReadRowsRequest = messageType(name('ReadRowsRequest'), {
  tableName: text(1),
  rows: one(2, RowSet),
  filter: encoded(3),
  rowsLimit: int64(4),
  appProfileId: text(5),
  requestStatsView: enumeration(6),
  reversed: bool(7),
  authorizedViewName: text(9),
  materializedViewName: text(11),
});
const ReadIterationStats = messageType(name('ReadIterationStats'), {
  rowsSeenCount: int64(1),
  rowsReturnedCount: int64(2),
  cellsSeenCount: int64(3),
  cellsReturnedCount: int64(4),
});
const RequestLatencyStats = messageType(name('RequestLatencyStats'), {
  frontendServerLatency: one(1, ProtoDuration),
});
const FullReadStatsView = messageType(name('FullReadStatsView'), {
  readIterationStats: one(1, ReadIterationStats),
  requestLatencyStats: one(2, RequestLatencyStats),
});
const RequestStats = messageType(name('RequestStats'), {
  fullReadStatsView: one(1, FullReadStatsView, 'statsView'),
});
/** The last message of a read with requested statistics; other messages are encoded by hand. */
export const ReadStatsResponse = messageType(name('ReadRowsResponse'), {
  requestStats: one(3, RequestStats),
});
/** Values of ReadRowsRequest.RequestStatsView. */
export const requestStatsView = { unspecified: 0, none: 1, full: 2 } as const;
/** Of the call that a response ends, in its trailing metadata. */
export const ResponseParams = messageType(name('ResponseParams'), {
  zoneId: text(1),
  clusterId: text(2),
  afeId: int64(3),
});
export const SampleRowKeysRequest = messageType(name('SampleRowKeysRequest'), {
  tableName: text(1),
  appProfileId: text(2),
  authorizedViewName: text(4),
  materializedViewName: text(5),
});
export const SampleRowKeysResponse = messageType(name('SampleRowKeysResponse'), {
  rowKey: bytes(1),
  offsetBytes: int64(2),
});
const Idempotency = messageType(name('Idempotency'), { token: bytes(1), startTime: timestamp(2) });
export const MutateRowRequest = messageType(name('MutateRowRequest'), {
  tableName: text(1),
  rowKey: bytes(2),
  mutations: many(3, MutationMessage),
  appProfileId: text(4),
  authorizedViewName: text(6),
  idempotency: one(8, Idempotency),
});
export const MutateRowResponse = marker('MutateRowResponse');
const MutateRowsRequestEntry = messageType(name('MutateRowsRequest.Entry'), {
  rowKey: bytes(1),
  mutations: many(2, MutationMessage),
  idempotency: one(3, Idempotency),
});
export const MutateRowsRequest = messageType(name('MutateRowsRequest'), {
  tableName: text(1),
  entries: many(2, MutateRowsRequestEntry),
  appProfileId: text(3),
  authorizedViewName: text(5),
});
const MutateRowsResponseEntry = messageType(name('MutateRowsResponse.Entry'), {
  index: int64(1),
  status: one(2, Status),
});
export const RateLimitInfo = messageType(name('RateLimitInfo'), {
  period: one(1, ProtoDuration),
  factor: double(2),
});
export const MutateRowsResponse = messageType(name('MutateRowsResponse'), {
  entries: many(1, MutateRowsResponseEntry),
  rateLimitInfo: one(3, RateLimitInfo),
});
export const CheckAndMutateRowRequest = messageType(name('CheckAndMutateRowRequest'), {
  tableName: text(1),
  rowKey: bytes(2),
  trueMutations: many(4, MutationMessage),
  falseMutations: many(5, MutationMessage),
  predicateFilter: encoded(6),
  appProfileId: text(7),
  authorizedViewName: text(9),
});
export const CheckAndMutateRowResponse = messageType(name('CheckAndMutateRowResponse'), {
  predicateMatched: bool(1),
});
export const PingAndWarmRequest = messageType(name('PingAndWarmRequest'), {
  name: text(1),
  appProfileId: text(2),
});
export const PingAndWarmResponse = marker('PingAndWarmResponse');
const ReadModifyWriteRule = messageType(name('ReadModifyWriteRule'), {
  familyName: text(1),
  columnQualifier: bytes(2),
  appendValue: bytes(3, 'rule'),
  incrementAmount: int64(4, 'rule'),
});
export const ReadModifyWriteRowRequest = messageType(name('ReadModifyWriteRowRequest'), {
  tableName: text(1),
  rowKey: bytes(2),
  rules: many(3, ReadModifyWriteRule),
  appProfileId: text(4),
  authorizedViewName: text(6),
});
const Cell = messageType(name('Cell'), {
  timestampMicros: int64(1),
  value: bytes(2),
  labels: list(text(3)),
});
const Column = messageType(name('Column'), { qualifier: bytes(1), cells: many(2, Cell) });
const Family = messageType(name('Family'), { name: text(1), columns: many(2, Column) });
export const RowMessage = messageType(name('Row'), { key: bytes(1), families: many(2, Family) });
export const ReadModifyWriteRowResponse = messageType(name('ReadModifyWriteRowResponse'), {
  row: one(1, RowMessage),
});
