/** Observing the calls of an engine: OpenTelemetry, a log of calls, warnings of slow scans. */
export { countPage, type PageCounts } from './counted-page.js';
export { type Observation, observationOf } from './observation.js';
export type { ObserveOptions } from './observe-options.js';
export { reportRetry } from './watch.js';
