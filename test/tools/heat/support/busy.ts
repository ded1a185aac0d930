/** Loads of busy clusters, from few operations. */
import { type KeySample, nodeProfiles, secondsOfRow } from '../../../../src/tools/heat/index.js';

/** What an operation takes of a node if it stands for so many. */
export function busy(factor: number): (sample: KeySample) => number {
  const seconds = secondsOfRow(nodeProfiles.ssd);
  return (sample) => factor * seconds(sample);
}
