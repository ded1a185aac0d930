/** The results of a run on a terminal: a line for each case as it ends, and a summary. */
import { countText } from '../../../base/index.js';
import type {
  CaseOutcome,
  CaseResult,
  ConformanceReport,
} from '../../../tools/conformance/index.js';
import type { Style } from '../../terminal/style.js';
import type { Terminal } from '../../terminal/terminal.js';

const width = 8;
const maxShown = 400;

/** Prints the result of a case, if it has run. */
export function printResult(terminal: Terminal, result: CaseResult): void {
  const { outcome, title, reason, expected = '', found = '', step } = result;
  if (outcome === 'notRun') return;
  const { style } = terminal;
  const indent = ' '.repeat(width + 2);
  terminal.print(`${markOf(outcome, style)}  ${title}`);
  const lines: string[] = [];
  if (outcome === 'differs') {
    if (step !== undefined) lines.push(shortened(step));
    lines.push(`expected: ${shortened(expected)}`, `found:    ${shortened(found)}`);
  }
  if (outcome !== 'passed' && reason !== undefined) lines.push(reason);
  for (const line of lines) terminal.print(`${indent}${line}`);
}

/** Outcomes in words, the good ones first. */
export const outcomeWords: Readonly<Record<CaseOutcome, string>> = {
  passed: 'passed',
  differs: 'different',
  failed: 'failed',
  leftOut: 'left out',
  notRun: 'not run',
};

/** `33 cases: 31 passed, 1 different, 1 left out`. */
export function summaryOf({ results }: Pick<ConformanceReport, 'results'>): string {
  const counts = (Object.keys(outcomeWords) as CaseOutcome[]).map((outcome) => {
    const { length } = results.filter((each) => each.outcome === outcome);
    return length === 0 ? undefined : `${length} ${outcomeWords[outcome]}`;
  });
  const text = counts.filter((each) => each !== undefined).join(', ');
  return `${countText(results.length, 'case')}: ${text === '' ? 'none run' : text}`;
}

/** A text of bounded length. */
export function shortened(text: string, max = maxShown): string {
  if (text.length <= max) return text;
  return `${text.slice(0, max)}... (${text.length} characters)`;
}

function markOf(outcome: Exclude<CaseOutcome, 'notRun'>, style: Style): string {
  switch (outcome) {
    case 'passed':
      return style.good('ok'.padEnd(width));
    case 'differs':
      return style.bad('differs'.padEnd(width));
    case 'failed':
      return style.bad('failed'.padEnd(width));
    case 'leftOut':
      return style.dim('left out'.padEnd(width));
  }
}
