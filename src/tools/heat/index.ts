/** Where tables are accessed over time: recordings, heat maps, and findings in words. */
export type {
  AccessKind,
  AccessLog,
  AccessOperation,
  AccessWindow,
  KeySample,
  TableAccess,
  TopKey,
} from './access-log.js';
export { AccessCollector, collectAccess, type CollectOptions } from './collect/access-collector.js';
export {
  type GridOptions,
  heatGrid,
  type HeatGrid,
  type HeatMetric,
  heatMetrics,
} from './grid/heat-grid.js';
export { type DecodedKey, KeyNames } from './key-names.js';
export { entityTraffic, type EntityTraffic } from './findings/entity-traffic.js';
export { type HeatFinding, heatLimits } from './findings/finding.js';
export { type FindingOptions, heatFindings } from './findings/heat-findings.js';
export {
  type HotTablet,
  hotTabletFindings,
  storageSections,
  type StorageSection,
  tabletSkew,
} from './findings/storage-rules.js';
export type { WindowFigures } from './findings/window-figures.js';
export {
  type NodeProfile,
  nodeProfiles,
  nodeShares,
  type RowAccess,
  secondsOfAccess,
  secondsOfRead,
  secondsOfWrite,
  type StorageKind,
} from './node-profiles.js';
export { secondsOfRow } from './findings/rates.js';
export { readRecordingBytes, type Recording } from './file/recording-bytes.js';
export {
  type AccessRecorder,
  type FindingQuery,
  recordAccess,
  type RecordOptions,
} from './record/access-recorder.js';
