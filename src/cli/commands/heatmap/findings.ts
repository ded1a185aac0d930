/** Findings of heat maps as text and as JSON. */
import type { HeatFinding } from '../../../tools/heat/index.js';
import type { Terminal } from '../../terminal/terminal.js';

/** Prints findings with their fixes; `unjudged` says why there are none. */
export function printFindings(
  findings: readonly HeatFinding[],
  terminal: Terminal,
  unjudged?: string,
): void {
  const { style } = terminal;
  for (const { level, table, entity, segment, problem, fix } of findings) {
    const subject = [entity ?? table, segment].filter((part) => part !== undefined).join('.');
    terminal.print(`${styled(level, terminal)}  ${subject}: ${problem}`);
    terminal.print(`    ${style.good('change:')} ${fix}`);
  }
  if (unjudged !== undefined) terminal.print(unjudged);
  else if (findings.length === 0) terminal.print('No findings.');
}

function styled(level: HeatFinding['level'], { style }: Terminal): string {
  if (level === 'info') return style.dim(level);
  return level === 'error' ? style.bad(level) : style.bold(level);
}

/** Findings without the bytes of their places. */
export function findingsJson(
  findings: readonly HeatFinding[],
): readonly Omit<HeatFinding, 'places'>[] {
  return findings.map(({ places: _places, ...finding }) => finding);
}
