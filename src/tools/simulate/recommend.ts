/** Chooses a key design, and says why. */
import { countText } from '../../base/index.js';
import type { DesignReport, Recommendation } from './report.js';

/** Even shares of the writes from which the busiest node has too many. */
const unevenShare = 1.8;
/** With many nodes each has few sampled writes, so their number is not exact. */
const minUnevenShare = 0.05;

/** Loads within this factor are equal: the sample is not more exact. */
const tolerance = 1.15;

/**
 * The design with the least to do for its busiest node. Of designs that are equal in this, the
 * declared one, or one without shards.
 */
export function recommend(reports: readonly DesignReport[], nodes: number): Recommendation {
  const least = Math.min(...reports.map(({ busiestNodeLoad }) => busiestNodeLoad));
  const equal = reports.filter(({ busiestNodeLoad }) => busiestNodeLoad <= least * tolerance);
  const best =
    equal.find(({ name }) => name === 'declared') ??
    equal.find(({ shards }) => shards === 1) ??
    equal[0];
  const others = reports.filter((report) => report !== best);
  return {
    design: best.name,
    reasons: [
      `${best.name}: its busiest node is at ${percent(best.busiestNodeLoad)} of its capacity` +
        advantage(best) +
        caveats(best, others, nodes),
      ...others.map((other) => `${other.name}: ${disadvantage(other, best)}`),
    ],
  };
}

function advantage({ reads, shards }: DesignReport): string {
  const patterns = reads.filter(({ name }) => name !== 'get');
  if (patterns.length === 0 || patterns.some(({ filters }) => filters.length > 0)) return '';
  const requests = shards === 1 ? 'one request' : `up to ${shards} requests`;
  return `, and each access pattern is ${requests} without rows that are left out`;
}

/** What is wrong with the best design. */
function caveats(
  { busiestNodeLoad, tablets }: DesignReport,
  others: readonly DesignReport[],
  nodes: number,
): string {
  const share = tablets.busiestWriteNode;
  const least = Math.max(unevenShare / nodes, minUnevenShare);
  if (nodes > 1 && share > least) {
    const written = `. But ${percent(share)} of the writes go to one node`;
    const even = others.find((other) => other.tablets.busiestWriteNode <= least);
    if (even !== undefined) return `${written}: if they grow, ${even.name} spreads them`;
    return (
      `${written} with each of these keys: more nodes do not help, a segment with more values or ` +
      'less skew does'
    );
  }
  if (busiestNodeLoad <= 1) return '';
  return `. But that is too much for ${countText(nodes, 'node')}: plan for ${Math.ceil(busiestNodeLoad * nodes)}`;
}

function disadvantage(other: DesignReport, best: DesignReport): string {
  const { busiestNodeLoad, tablets } = other;
  const load = `its busiest node would be at ${percent(busiestNodeLoad)}`;
  const front =
    tablets.busiestWriteNode > 2 * best.tablets.busiestWriteNode
      ? `${percent(tablets.busiestWriteNode)} of the writes go to one node`
      : undefined;
  const wasteful = other.reads.find(({ filters, share }) => filters.length > 0 && share > 0);
  const scan =
    wasteful === undefined
      ? undefined
      : `${wasteful.name} reads ${count(wasteful.rowsRead)} rows to return ${count(wasteful.rowsReturned)}`;
  const fan = other.shards > best.shards ? `reads are up to ${other.shards} requests` : undefined;
  const causes = [front, scan, fan].filter((cause) => cause !== undefined);
  if (causes.length === 0 && busiestNodeLoad <= best.busiestNodeLoad * tolerance)
    return `no better: ${load}`;
  return [load, ...causes].join('; ');
}

/** `12 %`. */
export function percent(share: number): string {
  const value = share * 100;
  if (value >= 1e6) return `${value.toExponential(1)} %`;
  return `${value >= 10 || value === 0 ? Math.round(value).toLocaleString('en-US') : value.toFixed(1)} %`;
}

/** `1 row`, `1,234 rows`. */
export function counted(value: number, noun: string): string {
  return `${count(value)} ${noun}${value === 1 ? '' : 's'}`;
}

/** `1,234`, or `0.4` below 10. */
export function count(value: number): string {
  if (value >= 10 || Number.isInteger(value)) return Math.round(value).toLocaleString('en-US');
  return value.toFixed(1);
}
