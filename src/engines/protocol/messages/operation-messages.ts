/** Messages used by the data and the admin API: google.rpc, google.longrunning, google.protobuf. */
import {
  bool,
  bytes,
  int32,
  int64,
  list,
  many,
  messageType,
  one,
  text,
} from '../../../data/cell/index.js';

/** google.rpc.Status without `details`, which this server never sends. */
export const Status = messageType('google.rpc.Status', { code: int32(1), message: text(2) });
// The published Any uses snake case even in JSON.
export const Any = messageType('google.protobuf.Any', { type_url: text(1), value: bytes(2) });
export const Empty = messageType('google.protobuf.Empty', {});
export const FieldMask = messageType('google.protobuf.FieldMask', { paths: list(text(1)) });
export const ProtoDuration = messageType('google.protobuf.Duration', {
  seconds: int64(1),
  nanos: int32(2),
});
export const LongOperation = messageType('google.longrunning.Operation', {
  name: text(1),
  metadata: one(2, Any),
  done: bool(3),
  error: one(4, Status, 'result'),
  response: one(5, Any, 'result'),
});
export const GetOperationRequest = messageType('google.longrunning.GetOperationRequest', {
  name: text(1),
});
export const ListOperationsRequest = messageType('google.longrunning.ListOperationsRequest', {
  filter: text(1),
  pageSize: int32(2),
  pageToken: text(3),
  name: text(4),
});
export const ListOperationsResponse = messageType('google.longrunning.ListOperationsResponse', {
  operations: many(1, LongOperation),
  nextPageToken: text(2),
});
export const WaitOperationRequest = messageType('google.longrunning.WaitOperationRequest', {
  name: text(1),
  timeout: one(2, ProtoDuration),
});
export const CancelOperationRequest = messageType('google.longrunning.CancelOperationRequest', {
  name: text(1),
});
export const DeleteOperationRequest = messageType('google.longrunning.DeleteOperationRequest', {
  name: text(1),
});
