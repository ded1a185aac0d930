/** Observing the calls of an engine: OpenTelemetry, a log of calls, warnings of slow scans. */
export { observing, type Observed } from './engine-wrapper.js';
export type { ObserveOptions } from './observe-options.js';
export { noteRetry } from './observed-engine.js';
