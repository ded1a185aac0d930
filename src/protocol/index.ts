/** The Bigtable API's messages <-> the language of storage. */
export { responseError as answerFault } from './response-error.js';
export { requestError as badRequest, unsupportedRequest as notOffered } from './request-error.js';
export { ChunkDecoder as ChunkReader } from './read/decode-chunks.js';
export { ChunkEncoder as ChunkWriter } from './read/encode-chunks.js';
export * from './messages/data-messages.js';
export { encodeMutateRowsEntry as writeEntry } from './write/encode-mutate-rows-request.js';
export { FamilyNames } from './read/family-names.js';
export { encodeFilter as writeFilter } from './filter/encode-filter.js';
export * from './messages/instance-messages.js';
export type { ContentOf, Field, MessageType } from './messages/message-type.js';
export {
  decodeMutateRowsRequest as readMutateRows,
  type MutateRows,
} from './write/decode-mutate-rows-request.js';
export {
  decodeRowKey as readKey,
  decodeMutations as readMutations,
  decodeRules as readRules,
  encodeRules as ruleMessages,
} from './write/decode-mutations.js';
export { encodeMutations as mutationMessages } from './write/encode-mutations.js';
export {
  Any,
  Duration,
  Empty,
  GetOperationRequest,
  Operation,
} from './messages/operation-messages.js';
export { encodeReadRequest as writePlan, type RequestTarget } from './read/encode-read-request.js';
export { decodeReadRequest as readPlan } from './read/decode-read-request.js';
export {
  checkId,
  parseInstance,
  parseResource,
  projectOf,
  type InstanceName,
  type ResourceKind,
} from './admin/resource-name.js';
export { decodeFilter as readFilter } from './filter/decode-filter.js';
export type { RetainedRow as KeptRow } from './read/row-index.js';
export { decodeRow as readRow, encodeRow as rowMessage } from './write/row-message.js';
export {
  isRowsmithError,
  RequestFault,
  statusCode,
  statusOf,
  type StatusReport,
} from './status.js';
export { decodeMutateRowsResponse as readStatuses } from './write/decode-mutate-rows-response.js';
export { encodeMutateRowsResponse as writeStatuses } from './write/encode-mutate-rows-response.js';
export * from './messages/table-messages.js';
export {
  changeMessages,
  checkFeatures,
  createTableRequest,
  readDropTarget,
  readFamilyChanges,
  readTable,
  readTableSchema,
  tableMessage,
} from './admin/table-schema.js';
export {
  bool,
  enumeration,
  int32,
  list,
  many,
  messageType,
  one,
  text,
  bytes,
  int64,
} from './messages/message-type.js';
