/** The requests of all writes as text. */
import type { Counted } from './count.js';
import { methods } from './request-counter.js';

/**
 * One table of all features, and one for each with the methods of Bigtable. Without `varying`,
 * figures that differ from run to run are left out.
 */
export function requestTables(
  counted: readonly Counted[],
  { varying = true }: { readonly varying?: boolean } = {},
): string {
  const features = [...new Set(counted.map(({ feature }) => feature))];
  const figure = ({ varies }: Counted, value: number | string): string => {
    if (!varies) return `${value}`;
    return varying ? `~${value}` : 'varies';
  };
  const used = methods.filter((method) => counted.some(({ counts }) => counts.has(method)));

  const calls = [...new Set(counted.map(({ call }) => call))];
  const cell = (call: string, feature: string): string => {
    const found = counted.find((each) => each.call === call && each.feature === feature)!;
    const text = figure(found, `${found.requests} in ${found.trips}`);
    return found.outcome === 'ok' ? text : `(${text})`;
  };
  const summary = aligned(
    'Requests, in round trips until the call resolves; in brackets if it fails',
    [
      ['', ...features],
      ...calls.map((call) => [call, ...features.map((feature) => cell(call, feature))]),
    ],
  );

  const details = features.map((feature) =>
    aligned(`With ${feature}`, [
      ['', 'trips', ...used, 'outcome'],
      ...counted
        .filter((each) => each.feature === feature)
        .map((each) => [
          each.call,
          figure(each, each.trips),
          ...used.map((method) => {
            const count = each.counts.get(method);
            return count === undefined ? '-' : figure(each, count);
          }),
          each.outcome,
        ]),
    ]),
  );
  return [summary, ...details].join('\n');
}

/** The first column to the left, the others to the right. */
function aligned(title: string, lines: readonly (readonly string[])[]): string {
  const widths = lines[0].map((_, i) => Math.max(...lines.map((line) => line[i].length)));
  const text = lines.map((line) =>
    line
      .map((cell, i) => (i === 0 ? cell.padEnd(widths[i]) : cell.padStart(widths[i])))
      .join('  ')
      .trimEnd(),
  );
  return [`# ${title}`, '', ...text, ''].join('\n');
}
