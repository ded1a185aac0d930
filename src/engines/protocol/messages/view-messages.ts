/** Messages about authorized views (bigtable_table_admin.proto, table.proto). */
import {
  bool,
  bytes,
  enumeration,
  int32,
  list,
  many,
  mapOf,
  messageType,
  one,
  text,
  timestamp,
} from '../../../data/cell/index.js';
import { FieldMask } from './operation-messages.js';

const name = (message: string): string => `google.bigtable.admin.v2.${message}`;

const FamilySubsets = messageType(name('AuthorizedView.FamilySubsets'), {
  qualifiers: list(bytes(1)),
  qualifierPrefixes: list(bytes(2)),
});
export const SubsetViewMessage = messageType(name('AuthorizedView.SubsetView'), {
  rowPrefixes: list(bytes(1)),
  familySubsets: mapOf(one(2, FamilySubsets)),
});
export const AuthorizedView = messageType(name('AuthorizedView'), {
  name: text(1),
  subsetView: one(2, SubsetViewMessage, 'authorizedView'),
  etag: text(3),
  deletionProtection: bool(4),
});
/** Values of AuthorizedView.ResponseView. */
export const responseView = { unspecified: 0, nameOnly: 1, basic: 2, full: 3 } as const;

export const CreateAuthorizedViewRequest = messageType(name('CreateAuthorizedViewRequest'), {
  parent: text(1),
  authorizedViewId: text(2),
  authorizedView: one(3, AuthorizedView),
});
export const CreateAuthorizedViewMetadata = messageType(name('CreateAuthorizedViewMetadata'), {
  originalRequest: one(1, CreateAuthorizedViewRequest),
  requestTime: timestamp(2),
  finishTime: timestamp(3),
});
export const ListAuthorizedViewsRequest = messageType(name('ListAuthorizedViewsRequest'), {
  parent: text(1),
  pageSize: int32(2),
  pageToken: text(3),
  view: enumeration(4),
});
export const ListAuthorizedViewsResponse = messageType(name('ListAuthorizedViewsResponse'), {
  authorizedViews: many(1, AuthorizedView),
  nextPageToken: text(2),
});
export const GetAuthorizedViewRequest = messageType(name('GetAuthorizedViewRequest'), {
  name: text(1),
  view: enumeration(2),
});
export const UpdateAuthorizedViewRequest = messageType(name('UpdateAuthorizedViewRequest'), {
  authorizedView: one(1, AuthorizedView),
  updateMask: one(2, FieldMask),
  ignoreWarnings: bool(3),
});
export const UpdateAuthorizedViewMetadata = messageType(name('UpdateAuthorizedViewMetadata'), {
  originalRequest: one(1, UpdateAuthorizedViewRequest),
  requestTime: timestamp(2),
  finishTime: timestamp(3),
});
export const DeleteAuthorizedViewRequest = messageType(name('DeleteAuthorizedViewRequest'), {
  name: text(1),
  etag: text(2),
});
