/** The Bigtable API's messages <-> the language of storage. */
export { answerFault } from './answer-fault.js';
export { badRequest, notOffered } from './bad-request.js';
export { ChunkReader } from './chunk-reader.js';
export { ChunkWriter } from './chunk-writer.js';
export * from './data-messages.js';
export { writeEntry } from './entry-writer.js';
export { FamilyNames } from './family-names.js';
export { writeFilter } from './filter-message.js';
export * from './instance-messages.js';
export type { ContentOf, Field, MessageType } from './message-type.js';
export { readMutateRows, type MutateRows } from './mutate-rows-request.js';
export { readKey, readMutations, readRules, ruleMessages } from './mutation.js';
export { checkKey, checkMutations, dataLimits, mutationMessages } from './mutation-writer.js';
export * from './operation-messages.js';
export { writePlan, type RequestTarget } from './plan-request.js';
export { readPlan } from './read-request.js';
export {
  checkId,
  parseInstance,
  parseResource,
  projectOf,
  type InstanceName,
  type ResourceKind,
} from './resource-name.js';
export { readFilter } from './row-filter.js';
export type { KeptRow } from './row-index.js';
export { readRow, rowMessage } from './row-message.js';
export {
  isRowsmithError,
  RequestFault,
  statusCode,
  statusOf,
  type StatusReport,
} from './status.js';
export { readStatuses } from './status-reader.js';
export { writeStatuses } from './status-writer.js';
export * from './table-messages.js';
export {
  changeMessages,
  checkFeatures,
  createTableRequest,
  readDropTarget,
  readFamilyChanges,
  readTable,
  readTableSchema,
  tableMessage,
} from './table-schema.js';
