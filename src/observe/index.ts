/** Observing the calls of an engine: OpenTelemetry, a log of calls, warnings of slow scans. */
export { createEngineWrapper, type EngineWrapper } from './engine-wrapper.js';
export type { ObserveOptions } from './observe-options.js';
export { reportRetry } from './observed-engine.js';
