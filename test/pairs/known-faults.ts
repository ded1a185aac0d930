/** What is known to be wrong, so that histories do not report it again. To become empty. */
import type { Feature, FeatureSet } from './features.js';

const knownFaults: readonly { readonly features: readonly Feature[]; readonly fault: string }[] =
  [];

/** A fault that a set of features is known to have; `KNOWN=1` runs its histories all the same. */
export function knownFault(features: FeatureSet): string | undefined {
  if (process.env.KNOWN === '1') return undefined;
  return knownFaults.find((each) => each.features.every((feature) => features.has(feature)))?.fault;
}
