/**
 * Messages of google.bigtable.admin.v2.BigtableInstanceAdmin (bigtable_instance_admin.proto,
 * instance.proto).
 */
import {
  bool,
  encoded,
  enumeration,
  int32,
  list,
  many,
  mapOf,
  messageType,
  one,
  text,
  timestamp,
  type MessageType,
} from '../../../data/cell/index.js';
import { FieldMask } from './operation-messages.js';

const name = (message: string): string => `google.bigtable.admin.v2.${message}`;

export const Instance = messageType(name('Instance'), {
  name: text(1),
  displayName: text(2),
  state: enumeration(3),
  type: enumeration(4),
  labels: mapOf(text(5)),
  createTime: timestamp(7),
  satisfiesPzs: bool(8),
  satisfiesPzi: bool(11),
  tags: mapOf(text(12)),
});
const AutoscalingLimits = messageType(name('AutoscalingLimits'), {
  minServeNodes: int32(1),
  maxServeNodes: int32(2),
});
const AutoscalingTargets = messageType(name('AutoscalingTargets'), {
  cpuUtilizationPercent: int32(2),
  storageUtilizationGibPerNode: int32(3),
});
const ClusterAutoscalingConfig = messageType(name('Cluster.ClusterAutoscalingConfig'), {
  autoscalingLimits: one(1, AutoscalingLimits),
  autoscalingTargets: one(2, AutoscalingTargets),
});
const ClusterConfig = messageType(name('Cluster.ClusterConfig'), {
  clusterAutoscalingConfig: one(1, ClusterAutoscalingConfig),
});
const EncryptionConfig = messageType(name('Cluster.EncryptionConfig'), { kmsKeyName: text(1) });
export const Cluster = messageType(name('Cluster'), {
  name: text(1),
  location: text(2),
  state: enumeration(3),
  serveNodes: int32(4),
  defaultStorageType: enumeration(5),
  encryptionConfig: one(6, EncryptionConfig),
  clusterConfig: one(7, ClusterConfig, 'config'),
  nodeScalingFactor: enumeration(9),
});
const marker = (message: string): MessageType<object> => messageType(name(message), {});
const MultiClusterRoutingUseAny = messageType(name('AppProfile.MultiClusterRoutingUseAny'), {
  clusterIds: list(text(1)),
  rowAffinity: one(3, marker('AppProfile.MultiClusterRoutingUseAny.RowAffinity'), 'affinity'),
});
const SingleClusterRouting = messageType(name('AppProfile.SingleClusterRouting'), {
  clusterId: text(1),
  allowTransactionalWrites: bool(2),
});
const StandardIsolation = messageType(name('AppProfile.StandardIsolation'), {
  priority: enumeration(1),
});
const DataBoostIsolation = messageType(name('AppProfile.DataBoostIsolationReadOnly'), {
  computeBillingOwner: enumeration(1),
});
export const AppProfile = messageType(name('AppProfile'), {
  name: text(1),
  etag: text(2),
  description: text(3),
  multiClusterRoutingUseAny: one(5, MultiClusterRoutingUseAny, 'routingPolicy'),
  singleClusterRouting: one(6, SingleClusterRouting, 'routingPolicy'),
  priority: enumeration(7, 'isolation'),
  dataBoostIsolationReadOnly: one(10, DataBoostIsolation, 'isolation'),
  standardIsolation: one(11, StandardIsolation, 'isolation'),
});

export const CreateInstanceRequest = messageType(name('CreateInstanceRequest'), {
  parent: text(1),
  instanceId: text(2),
  instance: one(3, Instance),
  clusters: mapOf(one(4, Cluster)),
});
export const CreateInstanceMetadata = messageType(name('CreateInstanceMetadata'), {
  originalRequest: encoded(1),
  requestTime: timestamp(2),
  finishTime: timestamp(3),
});
export const GetInstanceRequest = messageType(name('GetInstanceRequest'), { name: text(1) });
export const ListInstancesRequest = messageType(name('ListInstancesRequest'), {
  parent: text(1),
  pageToken: text(2),
});
export const ListInstancesResponse = messageType(name('ListInstancesResponse'), {
  instances: many(1, Instance),
  failedLocations: list(text(2)),
  nextPageToken: text(3),
});
export const DeleteInstanceRequest = messageType(name('DeleteInstanceRequest'), { name: text(1) });
export const CreateClusterRequest = messageType(name('CreateClusterRequest'), {
  parent: text(1),
  clusterId: text(2),
  cluster: one(3, Cluster),
});
export const CreateClusterMetadata = messageType(name('CreateClusterMetadata'), {
  originalRequest: encoded(1),
  requestTime: timestamp(2),
  finishTime: timestamp(3),
});
export const GetClusterRequest = messageType(name('GetClusterRequest'), { name: text(1) });
export const ListClustersRequest = messageType(name('ListClustersRequest'), {
  parent: text(1),
  pageToken: text(2),
});
export const ListClustersResponse = messageType(name('ListClustersResponse'), {
  clusters: many(1, Cluster),
  failedLocations: list(text(2)),
  nextPageToken: text(3),
});
export const DeleteClusterRequest = messageType(name('DeleteClusterRequest'), { name: text(1) });
export const CreateAppProfileRequest = messageType(name('CreateAppProfileRequest'), {
  parent: text(1),
  appProfileId: text(2),
  appProfile: one(3, AppProfile),
  ignoreWarnings: bool(4),
});
export const GetAppProfileRequest = messageType(name('GetAppProfileRequest'), { name: text(1) });
export const ListAppProfilesRequest = messageType(name('ListAppProfilesRequest'), {
  parent: text(1),
  pageToken: text(2),
  pageSize: int32(3),
});
export const ListAppProfilesResponse = messageType(name('ListAppProfilesResponse'), {
  appProfiles: many(1, AppProfile),
  nextPageToken: text(2),
  failedLocations: list(text(3)),
});
export const DeleteAppProfileRequest = messageType(name('DeleteAppProfileRequest'), {
  name: text(1),
  ignoreWarnings: bool(2),
});
export const PartialUpdateInstanceRequest = messageType(name('PartialUpdateInstanceRequest'), {
  instance: one(1, Instance),
  updateMask: one(2, FieldMask),
});
export const UpdateInstanceMetadata = messageType(name('UpdateInstanceMetadata'), {
  originalRequest: encoded(1),
  requestTime: timestamp(2),
  finishTime: timestamp(3),
});
export const UpdateClusterMetadata = messageType(name('UpdateClusterMetadata'), {
  originalRequest: encoded(1),
  requestTime: timestamp(2),
  finishTime: timestamp(3),
});
export const PartialUpdateClusterRequest = messageType(name('PartialUpdateClusterRequest'), {
  cluster: one(1, Cluster),
  updateMask: one(2, FieldMask),
});
export const PartialUpdateClusterMetadata = messageType(name('PartialUpdateClusterMetadata'), {
  requestTime: timestamp(1),
  finishTime: timestamp(2),
  originalRequest: encoded(3),
});
export const UpdateAppProfileRequest = messageType(name('UpdateAppProfileRequest'), {
  appProfile: one(1, AppProfile),
  updateMask: one(2, FieldMask),
  ignoreWarnings: bool(3),
});
export const UpdateAppProfileMetadata = messageType(name('UpdateAppProfileMetadata'), {});
