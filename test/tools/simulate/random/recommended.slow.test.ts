/**
 * Random workloads: every design that is compared gives the same rows in the same order, and none
 * needs fewer nodes than the recommended one, when its rows and its traffic are run for real.
 * RUNS=n runs n workloads.
 */
import { simulate, type DesignReport } from '../../../../src/tools/simulate/index.js';
import { nodeProfiles } from '../../../../src/tools/heat/index.js';
import { Random } from '../../../../src/tools/values/index.js';
import { seed } from '../../../support/seed.js';
import { randomWorkload } from './random-workload.js';
import { type RealLoad, realTraffic, runTraffic, start } from './real-load.js';

const runs = Number(process.env.RUNS ?? 1);

/** Loads that differ by less are equal. */
const tolerance = 1.05;
/** A tablet has so few operations of the real traffic that its share is known to this factor. */
const margin = 1.3;

test.each(Array.from({ length: runs }, (_, i) => i))(
  'workload %i',
  async (i) => {
    const random = new Random(seed * 1_000_003 + i);
    const { load, entityOf, text } = randomWorkload(random);
    const traffic = realTraffic(load, random);
    // Slow nodes: the declared key needs one to twelve of them.
    const capacity = 0.002 / (0.7 + 11 * random.next());
    const settings = { target: capacity, minutes: 4, sampleRows: 2_000, start };
    const { workloads, recommendation } = await simulate([load], settings);
    const designs = workloads[0].designs.filter(({ scanned }) => scanned.length === 0);
    const found = new Map<string, RealLoad>();
    for (const design of designs)
      found.set(design.name, await runTraffic(entityOf(design), traffic, new Random(i)));
    const results = [...found.values()].map((each) => each.results);
    for (const each of results) expect(each).toEqual(results[0]);

    const [{ meanRowBytes }] = [workloads[0].storage];
    const need = ({ name, storedBytes }: DesignReport, factor = 1): number => {
      const real = found.get(name)!;
      const bytes = (storedBytes * real.rowBytes) / (meanRowBytes + keyBytesOf(name));
      const forStorage = Math.ceil((bytes * factor) / (nodeProfiles.ssd.stored * capacity));
      return Math.max(real.nodes(capacity, factor), forStorage);
    };
    const keyBytesOf = (name: string): number =>
      designs.find((each) => each.name === name)!.meanKeyBytes - designs[0].meanKeyBytes;
    const hottest = ({ name }: DesignReport): number => {
      const { work, busiestTablet } = found.get(name)!;
      return (work * busiestTablet) / capacity;
    };
    const best = designs.find(({ name }) => name === recommendation.design)!;
    // Nodes of which the busiest tablet takes nearly all may be enough, or not.
    if (hottest(best) > 1 / margin && hottest(best) < margin) return;
    const others = designs.filter((each) => hottest(each) < 1 / margin);
    const least = Math.min(...others.map((each) => need(each)));
    if (need(best, 1 / tolerance) > least)
      throw new Error(
        `${text}\n${report(designs, found, capacity)}\n${recommendation.reasons.join('\n')}`,
      );
  },
  600_000,
);

function report(
  designs: readonly DesignReport[],
  found: ReadonlyMap<string, RealLoad>,
  capacity: number,
): string {
  return designs
    .map(({ name, needs, tablets }) => {
      const real = found.get(name)!;
      const shares = [needs.ssd.work, real.work, tablets.busiestTablet, real.busiestTablet];
      const nodes = [needs.ssd.forLoad, needs.ssd.forStorage, real.nodes(capacity, 1)];
      return `${name}: nodes ${nodes.join(', ')}; shares ${shares.join(', ')}`;
    })
    .join('\n');
}
