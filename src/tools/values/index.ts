/** Made-up values: random numbers from a seed, and values of segments. */
export { mix, Random } from './random.js';
export { segmentValues, type SegmentValuesOf } from './segment-values.js';
