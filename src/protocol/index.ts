/** The Bigtable API's messages <-> the language of storage. */
export { answerFault } from './response-error.js';
export { badRequest, notOffered } from './request-error.js';
export { ChunkReader } from './read/decode-chunks.js';
export { ChunkWriter } from './read/encode-chunks.js';
export * from './messages/data-messages.js';
export { writeEntry } from './write/encode-mutate-rows-request.js';
export { FamilyNames } from './read/family-names.js';
export { writeFilter } from './filter/encode-filter.js';
export * from './messages/instance-messages.js';
export type { ContentOf, Field, MessageType } from './messages/message-type.js';
export { readMutateRows, type MutateRows } from './write/decode-mutate-rows-request.js';
export { readKey, readMutations, readRules, ruleMessages } from './write/decode-mutations.js';
export { mutationMessages } from './write/encode-mutations.js';
export {
  Any,
  Duration,
  Empty,
  GetOperationRequest,
  Operation,
} from './messages/operation-messages.js';
export { writePlan, type RequestTarget } from './read/encode-read-request.js';
export { readPlan } from './read/decode-read-request.js';
export {
  checkId,
  parseInstance,
  parseResource,
  projectOf,
  type InstanceName,
  type ResourceKind,
} from './admin/resource-name.js';
export { readFilter } from './filter/decode-filter.js';
export type { KeptRow } from './read/row-index.js';
export { readRow, rowMessage } from './write/row-message.js';
export {
  isRowsmithError,
  RequestFault,
  statusCode,
  statusOf,
  type StatusReport,
} from './status.js';
export { readStatuses } from './write/decode-mutate-rows-response.js';
export { writeStatuses } from './write/encode-mutate-rows-response.js';
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
