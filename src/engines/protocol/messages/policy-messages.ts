/** Messages of google.iam.v1 (iam_policy.proto, policy.proto). */
import {
  bytes,
  enumeration,
  int32,
  list,
  many,
  messageType,
  one,
  text,
} from '../../../data/cell/index.js';
import { FieldMask } from './operation-messages.js';

const name = (message: string): string => `google.iam.v1.${message}`;

const Expr = messageType('google.type.Expr', {
  expression: text(1),
  title: text(2),
  description: text(3),
  location: text(4),
});
const Binding = messageType(name('Binding'), {
  role: text(1),
  members: list(text(2)),
  condition: one(3, Expr),
});
const AuditLogConfig = messageType(name('AuditLogConfig'), {
  logType: enumeration(1),
  exemptedMembers: list(text(2)),
});
const AuditConfig = messageType(name('AuditConfig'), {
  service: text(1),
  auditLogConfigs: many(3, AuditLogConfig),
});
export const Policy = messageType(name('Policy'), {
  version: int32(1),
  etag: bytes(3),
  bindings: many(4, Binding),
  auditConfigs: many(6, AuditConfig),
});
const GetPolicyOptions = messageType(name('GetPolicyOptions'), {
  requestedPolicyVersion: int32(1),
});
export const GetIamPolicyRequest = messageType(name('GetIamPolicyRequest'), {
  resource: text(1),
  options: one(2, GetPolicyOptions),
});
export const SetIamPolicyRequest = messageType(name('SetIamPolicyRequest'), {
  resource: text(1),
  policy: one(2, Policy),
  updateMask: one(3, FieldMask),
});
export const TestIamPermissionsRequest = messageType(name('TestIamPermissionsRequest'), {
  resource: text(1),
  permissions: list(text(2)),
});
export const TestIamPermissionsResponse = messageType(name('TestIamPermissionsResponse'), {
  permissions: list(text(1)),
});
