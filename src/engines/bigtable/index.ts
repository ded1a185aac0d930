/** The live engine. */
export { openLiveEngine } from './open-live-engine.js';
export type { LiveSettings } from './settings.js';
