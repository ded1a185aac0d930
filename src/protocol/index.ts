/** The Bigtable API's messages <-> the language of storage. */
export { badRequest, notOffered } from './bad-request.js';
export { ChunkWriter } from './chunk-writer.js';
export * from './data-messages.js';
export { writeFilter } from './filter-message.js';
export * from './instance-messages.js';
export type { ContentOf, Field, MessageType } from './message-type.js';
export { readKey, readMutations, readRules } from './mutation.js';
export * from './operation-messages.js';
export { writePlan, type RequestTarget } from './plan-request.js';
export { readPlan } from './read-request.js';
export { checkId, parseInstance, parseResource, projectOf, type InstanceName, type ResourceKind } from './resource-name.js';
export { readFilter } from './row-filter.js';
export { rowMessage } from './row-message.js';
export { isRowsmithError, RequestFault, statusCode, statusOf, type StatusReport } from './status.js';
export * from './table-messages.js';
export { checkFeatures, readDropTarget, readFamilyChanges, readTable, tableMessage } from './table-schema.js';
