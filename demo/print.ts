/** Prints the tour. */
import { codeOf, type Findings, type Step } from './step.js';
import type { Style } from '../src/cli/terminal/style.js';
import { textTable } from './text-table.js';

/** Columns; wider text is wrapped. */
const screenWidth = 100;
/** Columns of the names in a plan; wrapped lines are indented by this much. */
const planIndent = 10;

/** Prints to standard output in one style. */
export class Printer {
  readonly #style: Style;

  constructor(style: Style) {
    this.#style = style;
  }

  /** A line without wrapping. */
  line(text = ''): void {
    process.stdout.write(`${text}\n`);
  }

  /** The title of a chapter. */
  chapter(title: string): void {
    const rule = '─'.repeat(Math.max(screenWidth - title.length - 4, 0));
    this.line(`\n${this.#style.dim('──')} ${this.#style.bold(title)} ${this.#style.dim(rule)}\n`);
  }

  /** A paragraph, wrapped. */
  text(text: string): void {
    for (const line of wrap(text, screenWidth)) this.line(line);
  }

  /** A step of the tour with its results and duration. */
  step(
    number: number,
    { headline, about }: Step,
    source: string,
    { plan, rows, error, note }: Findings,
    milliseconds: number,
  ): void {
    this.chapter(`${number}  ${headline}`);
    this.text(about);
    this.#block(codeOf(source, headline), this.#style.code);
    if (plan !== undefined) this.#block(wrapEach(plan.toString(), planIndent), this.#style.dim);
    if (error !== undefined) this.#block(wrapEach(error.explain(), 8), this.#style.bad);
    if (rows !== undefined) this.table(rows);
    if (note !== undefined) this.line(`\n    ${note}`);
    this.line(this.#style.dim(`\n    ${milliseconds.toFixed(1)} ms`));
  }

  /** A table, indented. */
  table(rows: readonly object[]): void {
    const [heading, ...lines] = textTable(rows);
    this.line(`\n    ${this.#style.bold(heading)}`);
    for (const line of lines) this.line(`    ${line}`);
  }

  #block(lines: readonly string[], style: (text: string) => string): void {
    this.line();
    for (const line of lines) {
      if (line === '') this.line();
      else this.line(`    ${style(line)}`);
    }
  }
}

function wrapEach(text: string, hanging: number): string[] {
  return text.split('\n').flatMap((line) => wrap(line, screenWidth - 4, ' '.repeat(hanging)));
}

/**
 * Breaks text at spaces into lines of at most `width`; longer words are not broken. Lines after the
 * first start with `hanging`.
 */
export function wrap(text: string, width: number, hanging = ''): string[] {
  const lines: string[] = [];
  let rest = text;
  while (rest.length > width) {
    const indent = rest.search(/\S/);
    const space = rest.lastIndexOf(' ', width);
    if (space <= indent) break;
    lines.push(rest.slice(0, space).trimEnd());
    rest = `${hanging}${rest.slice(space + 1).trimStart()}`;
  }
  return [...lines, rest];
}
