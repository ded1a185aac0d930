/** Chooses a key design, and says why. */
import { bytesText, countText, numberText } from '../../base/index.js';
import { type NodeNeeds, nodesOf } from './model/node-needs.js';
import type { StorageKind } from '../heat/index.js';
import type { DesignReport, Recommendation, SimulationOptions, WorkloadReport } from './report.js';

/** Numbers of nodes within this factor are equal: the sample is not more exact. */
const tolerance = 1.05;
/** Times its traffic that a key should be able to take before more nodes do not help ... */
const minGrowth = 10;
/** ... if another key can take that much more; and at least as much, if any key can. */
const muchMore = 4;
const leastGrowth = 2;

/**
 * The design that needs the fewest nodes, for its load and its storage. Of designs that are equal
 * in this, one that can grow; of these the declared one, or the one with the fewest requests.
 */
export function recommend(
  workloads: readonly Pick<WorkloadReport, 'designs' | 'sizeFindings'>[],
  options: SimulationOptions,
): Recommendation {
  const reports = workloads.flatMap(({ designs }) => designs);
  const nodes = (report: DesignReport): number => nodesOf(report.needs[options.storage]);
  const usable = reports.filter(({ scanned }) => scanned.length === 0);
  const least = Math.min(...usable.map(nodes));
  const equal = usable.filter((report) => nodes(report) <= least * tolerance);
  const most = Math.max(...equal.map(({ growth }) => growth));
  const wanted = Math.min(minGrowth, Math.max(most / muchMore, Math.min(leastGrowth, most)));
  const rank = (report: DesignReport): readonly number[] => [
    // If no number of nodes is enough, the one that comes nearest to it.
    least === Infinity ? -report.growth : Number(!equal.includes(report)),
    Number(report.growth < wanted),
    Number(report.name !== 'declared'),
    report.shards,
    report.needs[options.storage].work,
  ];
  const [best] = usable.toSorted((a, b) => compareNumbers(rank(a), rank(b)));
  const others = reports.filter((report) => report !== best);
  if (best === undefined)
    return {
      design: undefined,
      reasons: others.map((other) => disadvantage(other, other, options)),
    };
  const { sizeFindings } = workloads.find(({ designs }) => designs.includes(best))!;
  const tooLarge = sizeFindings.filter(({ level }) => level === 'error');
  return {
    design: best.name,
    reasons: [
      `${best.name}: ${advantage(best, options)}`,
      ...caveats(best, usable, options),
      ...tooLarge.map(({ problem, fix }) => `But ${problem}: ${fix}`),
      ...others.map((other) => disadvantage(other, best, options)),
    ],
  };
}

function compareNumbers(a: readonly number[], b: readonly number[]): number {
  const i = a.findIndex((value, at) => value !== b[at]);
  return i === -1 ? 0 : a[i] - b[i];
}

function advantage(report: DesignReport, { storage, target }: SimulationOptions): string {
  const other = storage === 'ssd' ? 'hdd' : 'ssd';
  const needs = (kind: StorageKind): string =>
    needsText(report.needs[kind], kind, report.storedBytes);
  return [
    `${needs(storage)}, at up to ${percent(target)} of a node`,
    needs(other),
    ...derivedText(report, storage),
    ...requests(report, 1),
  ].join('; ');
}

/** What indexes, rollups and copies have of the load and of the bytes. */
function derivedText(
  { needs, derivedBytes, storedBytes }: DesignReport,
  kind: StorageKind,
): readonly string[] {
  const { work, derivedWork } = needs[kind];
  if (derivedWork === 0 && derivedBytes === 0) return [];
  const bytes = storedBytes === 0 ? 0 : derivedBytes / storedBytes;
  return [
    `${percent(work === 0 ? 0 : derivedWork / work)} of the load and ${percent(bytes)} of the bytes ` +
      'are of indexes, rollups and copies',
  ];
}

/** `12 % of the load, 0.4 nodes, is in one tablet`. */
function tabletText({ tablets, needs }: DesignReport, kind: StorageKind): string {
  const { busiestTablet } = tablets;
  const owner = ownerText(tablets);
  const nodes = nodesText(busiestTablet * needs[kind].work);
  return `${percent(busiestTablet)} of the load, ${nodes}, is in one tablet${owner}`;
}

/** ` of byStatus`. */
function ownerText({ busiestOwner }: DesignReport['tablets']): string {
  return busiestOwner === 'row' ? '' : ` of ${busiestOwner}`;
}

/** `3 nodes on SSD: 3 for the load of 1.9 nodes, 1 for 2.8 TiB`. */
export function needsText(needs: NodeNeeds, kind: StorageKind, storedBytes: number): string {
  const nodes = nodesOf(needs);
  const name = kind.toUpperCase();
  const stored = `${countWords(needs.forStorage)} for ${bytesText(storedBytes)}`;
  const when = needs.workInYear > needs.work ? ' in a year' : '';
  const load = `the load of ${nodesText(needs.workInYear)}${when}`;
  if (nodes === Infinity)
    return `no number of nodes on ${name}: ${load} cannot be divided, ${stored}`;
  return `${countText(nodes, 'node')} on ${name}: ${countWords(needs.forLoad!)} for ${load}, ${stored}`;
}

/** What is wrong with the best design. */
function caveats(
  best: DesignReport,
  usable: readonly DesignReport[],
  { nodes, storage }: SimulationOptions,
): readonly string[] {
  const { growth, needs } = best;
  const needed = nodesOf(needs[storage]);
  const more =
    needed > nodes && needed < Infinity
      ? [`But that is more than the ${countText(nodes, 'node')} given`]
      : [];
  if (growth >= minGrowth || best.tablets.isEven) return more;
  const work = (report: DesignReport): number => report.needs[storage].work;
  // The least work of those that can grow enough, or of those that can grow more.
  const [even] = usable
    .filter((other) => other.growth > 2 * growth)
    .toSorted((a, b) => {
      const rank = (other: DesignReport): readonly number[] => [
        Number(other.growth < minGrowth),
        work(other),
      ];
      return compareNumbers(rank(a), rank(b));
    });
  const advice =
    even === undefined
      ? `a segment${ownerText(best.tablets)} with more values or less skew does`
      : `${even.name} can grow ${countWords(even.growth)} times, ` +
        `with ${needsText(even.needs[storage], storage, even.storedBytes)}`;
  const from = growth < 1 ? '' : `from ${countWords(growth)} times this traffic `;
  return [...more, `But ${tabletText(best, storage)}: ${from}more nodes do not help; ${advice}`];
}

function disadvantage(
  other: DesignReport,
  best: DesignReport,
  { storage }: SimulationOptions,
): string {
  const wasteful = other.reads
    .filter(({ name }) => other.scanned.includes(name))
    .toSorted((a, b) => b.share * b.bytesRead - a.share * a.bytesRead)
    .at(0);
  const [pattern] = other.scanned;
  const scan =
    wasteful === undefined
      ? other.scanned.slice(0, 1).map(() => `${pattern} is no range of this key`)
      : [
          `${wasteful.name} reads ${countWords(wasteful.rowsRead)} rows to return ${countWords(wasteful.rowsReturned)}`,
        ];
  const front =
    other.growth < minGrowth && !other.tablets.isEven && other !== best
      ? [tabletText(other, storage)]
      : [];
  return [
    `${other.name}: ${needsText(other.needs[storage], storage, other.storedBytes)}`,
    ...front,
    ...scan,
    ...requests(other, best.shards),
  ].join('; ');
}

/** Patterns of more requests than another design has. */
function requests({ reads }: DesignReport, least: number): readonly string[] {
  return reads
    .filter(({ shards }) => shards > least)
    .map(({ name, shards }) => `${name} is ${countWords(shards)} requests`);
}

/** `12 nodes`, or `0.35 nodes`: what is below a node has two digits. */
export function nodesText(value: number): string {
  return value > 0 && value < 1 ? `${Number(value.toPrecision(2))} nodes` : counted(value, 'node');
}

/** `12 %`. */
export function percent(share: number): string {
  const value = share * 100;
  if (value > 0 && value < 0.05) return 'under 0.1 %';
  if (value >= 1e6) return `${value.toExponential(1)} %`;
  return `${value >= 10 || value === 0 ? Math.round(value).toLocaleString('en-US') : value.toFixed(1)} %`;
}

/** `1 row`, `1,234 rows`. */
export function counted(value: number, noun: string): string {
  return `${countWords(value)} ${noun}${value === 1 ? '' : 's'}`;
}

/** `1,234`, or `0.4` below 10. */
export function countWords(value: number): string {
  return numberText(value);
}
