/** Messages of the Bigtable API <-> the types of the store layer. */
export { responseError } from './response-error.js';
export { requestError, unsupportedRequest } from './request-error.js';
export { applyMask, type MutableFields } from './admin/field-mask.js';
export { rejectUnknownFields } from './admin/unknown-field.js';
export { ChunkDecoder } from './read/decode-chunks.js';
export { ChunkEncoder } from './read/encode-chunks.js';
export * from './messages/data-messages.js';
export { encodeMutateRowsEntry } from './write/encode-mutate-rows-request.js';
export { FamilyNames } from './read/family-names.js';
export { encodeFilter } from './filter/encode-filter.js';
export * from './messages/instance-messages.js';
export * from './messages/policy-messages.js';
export type { ContentOf, MessageField, MessageType } from '../../data/cell/index.js';
export {
  bool,
  bytes,
  int32,
  int64,
  list,
  many,
  messageType,
  one,
  text,
  timestamp,
} from '../../data/cell/index.js';
export { checkRequestSize } from './messages/request-size.js';
export {
  decodeMutateRowsRequest,
  decodeMutateRowsSteps,
  type MutateRows,
} from './write/decode-mutate-rows-request.js';
export {
  decodeRowKey,
  decodeMutations,
  decodeRules,
  encodeRules,
} from './write/decode-mutations.js';
export { withToken } from './write/decode-idempotency.js';
export { encodeMutations } from './write/encode-mutations.js';
export {
  Any,
  CancelOperationRequest,
  DeleteOperationRequest,
  Empty,
  GetOperationRequest,
  ListOperationsRequest,
  ListOperationsResponse,
  LongOperation,
  ProtoDuration,
  WaitOperationRequest,
} from './messages/operation-messages.js';
export * from './messages/list-messages.js';
export { encodeReadRequest, type RequestTarget } from './read/encode-read-request.js';
export { decodeReadRequest } from './read/decode-read-request.js';
export {
  checkId,
  parseBackup,
  parseInstance,
  parseResource,
  parseView,
  projectOf,
  type InstanceName,
  type ResourceKind,
} from './admin/resource-name.js';
export { decodeFilter } from './filter/decode-filter.js';
export type { RetainedRow } from './read/row-index.js';
export { decodeRow, encodeRow } from './write/row-message.js';
export { statusCode } from '../../base/index.js';
export { StatusError, statusOf, type StatusReport } from './status.js';
export { decodeMutateRowsResponse, type RateLimit } from './write/decode-mutate-rows-response.js';
export { encodeMutateRowsResponse } from './write/encode-mutate-rows-response.js';
export * from './messages/key-schema-messages.js';
export * from './messages/table-messages.js';
export * from './messages/view-messages.js';
export * from './messages/descriptor-numbers.js';
export * from './messages/backup-messages.js';
export { decodeSubsetView } from './admin/subset-view.js';
export { encodeRowKeySchema, encodeTableUpdate } from './admin/table-options.js';
export { checkedSettings, decodeTableChange, type TableSettings } from './admin/table-settings.js';
export {
  changedTypes,
  encodeFamilyChanges,
  keptTypes,
  type KeptTypes,
  type TableExtras,
  encodeCreateTable,
  decodeDropTarget,
  decodeFamilyChanges,
  decodeCreateTable,
  decodeTable,
  encodeTable,
  checkView,
} from './admin/table-schema.js';
