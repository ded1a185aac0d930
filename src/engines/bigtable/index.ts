/** The live engine. */
export { openLiveEngine } from './open-live-engine.js';
export { type LiveSettings, parseTarget } from './settings.js';
