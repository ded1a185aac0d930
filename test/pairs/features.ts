/** The features. Pairs of them are tested. */

/** In the order of the list in the guide. */
export const features = [
  'index',
  'unique',
  'covered',
  'copies',
  'rollup',
  'marker',
  'revision',
  'dates',
  'hooks',
  'cellTimestamp',
  'maxAge',
  'defaults',
  'counters',
  'buffered',
  'columnMap',
  'shards',
  'scopes',
  'collections',
  'import',
  'resume',
  'migrate',
] as const;
export type Feature = (typeof features)[number];
export type FeatureSet = ReadonlySet<Feature>;

const implied: Partial<Record<Feature, Feature>> = {
  covered: 'index',
  buffered: 'counters',
  resume: 'import',
};

/** The features, with the features that they consist of. */
export function featureSet(names: Iterable<string>): FeatureSet {
  const set = new Set<Feature>();
  for (const name of names) {
    const feature = features.find((each) => each === name);
    if (feature === undefined) throw new Error(`${name} is none of ${features.join(', ')}`);
    set.add(feature);
    if (implied[feature] !== undefined) set.add(implied[feature]);
  }
  return set;
}

/** Each two features once. */
export const pairs: readonly (readonly [Feature, Feature])[] = features.flatMap((a, i) =>
  features.slice(i + 1).map((b) => [a, b] as const),
);

/** A random triple. */
export function triple(random: () => number): readonly Feature[] {
  const left = [...features];
  return [0, 1, 2].map(() => left.splice(Math.floor(random() * left.length), 1)[0]);
}
