/** Results of a benchmark and how they are printed. */
import { cpus, totalmem } from 'node:os';
import type { Timing } from './interleave.js';

/** A bound for a ratio. */
export interface Target {
  readonly kind: 'atMost' | 'atLeast';
  readonly ratio: number;
}

/** One line of the results. */
export interface Result {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  /** The value divided by that of `of`; the inverse if more is better. */
  readonly ratio?: number;
  /** What the value is compared with. */
  readonly of?: string;
  readonly target?: Target;
  /** The smallest and the largest sample, in the same unit. */
  readonly min?: number;
  readonly max?: number;
}

/** Options of a benchmark from the command line. */
export interface BenchOptions {
  readonly rows: number;
  /** The parts to run; empty for all. */
  readonly only: readonly string[];
  readonly json: boolean;
}

/** Reads `--rows N --only NAME --json`. */
export function benchOptions(args: readonly string[], defaultRows = 1_000_000): BenchOptions {
  const options = { rows: defaultRows, only: [] as string[], json: false };
  for (let i = 0; i < args.length; i++) {
    if (args[i] === '--json') options.json = true;
    else if (args[i] === '--rows' && Number(args[i + 1]) >= 1000) options.rows = Number(args[++i]);
    else if (args[i] === '--only' && args[i + 1] !== undefined) options.only.push(args[++i]);
    else {
      console.error(
        `npm run bench -- [bench/NAME.ts] [--rows N (1000 or more)] [--only NAME]... [--json]`,
      );
      process.exit(1);
    }
  }
  return options;
}

/** Collects results. Prints each one immediately, or all of them at the end as JSON. */
export class Results {
  readonly all: Result[] = [];
  readonly #json: boolean;
  readonly #started = performance.now();

  constructor({ json }: BenchOptions) {
    this.#json = json;
    if (!json)
      console.log(
        line(['name', 'value', 'unit', 'ratio', 'of', 'target', 'verdict', 'min', 'max']),
      );
  }

  /** Adds one result. */
  add(result: Result): void {
    this.all.push(result);
    progress('');
    if (!this.#json) console.log(lineOf(result));
  }

  /** Adds the median of a timing with its range. `scale` converts microseconds to the unit. */
  addTiming(
    name: string,
    timing: Timing,
    unit: string,
    comparison?: { readonly with: Timing; readonly of: string; readonly target?: Target },
    scale = 1,
  ): void {
    let ratio: number | undefined;
    if (comparison !== undefined) ratio = timing.median / comparison.with.median;
    this.add({
      name,
      unit,
      value: timing.median * scale,
      min: timing.min * scale,
      max: timing.max * scale,
      ratio,
      of: comparison?.of,
      target: comparison?.target,
    });
  }

  /** Prints the end of the report. Returns the exit code: 2 if a target was missed. */
  finish(about: Readonly<Record<string, unknown>>): number {
    const missed = this.all.filter((result) => verdict(result) === 'MISSED').length;
    const seconds = Math.round((performance.now() - this.#started) / 1000);
    const machine = {
      cpu: cpus()[0].model.trim(),
      cores: cpus().length,
      memoryGiB: Math.round(totalmem() / 2 ** 30),
      node: process.versions.node,
    };
    if (this.#json) {
      const verdicts = this.all.map((result) => ({ ...result, verdict: verdict(result) }));
      const report = { machine, ...about, seconds, results: verdicts };
      console.log(JSON.stringify(report, undefined, 1));
    } else {
      const facts = [
        machine.cpu,
        `${machine.cores} cores`,
        `${machine.memoryGiB} GiB`,
        `Node ${machine.node}`,
        ...Object.entries(about).map(([name, value]) => `${name} ${String(value)}`),
        `${seconds} s`,
        `${missed} missed`,
      ];
      console.log(`# ${facts.join(', ')}`);
    }
    if (missed > 0) return 2;
    return 0;
  }
}

/** Shows the progress on a terminal. */
export function progress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text}`);
}

const widths = [34, -12, 10, -8, 22, 8, 8, -12, -12];

/**
 * Columns are at least two spaces apart, and an empty one is `-`, so that `line.split(/ {2,}/)` can
 * parse the line. Negative widths align to the right.
 */
function line(cells: readonly string[]): string {
  return cells
    .map((cell, i) => cell.padStart(-widths[i]).padEnd(widths[i]))
    .join('  ')
    .trimEnd();
}

function lineOf(result: Result): string {
  const { name, value, unit, ratio, of, target, min, max } = result;
  return line([
    name,
    digits(value),
    unit,
    ratio?.toFixed(2) ?? '-',
    of ?? '-',
    boundText(target),
    verdict(result) ?? '-',
    digits(min),
    digits(max),
  ]);
}

function boundText(target: Target | undefined): string {
  if (target === undefined) return '-';
  if (target.kind === 'atMost') return `<=${target.ratio}`;
  return `>=${target.ratio}`;
}

function verdict({ ratio, target }: Result): 'ok' | 'MISSED' | undefined {
  if (ratio === undefined || target === undefined) return undefined;
  const met = target.kind === 'atMost' ? ratio <= target.ratio : ratio >= target.ratio;
  return met ? 'ok' : 'MISSED';
}

function digits(value: number | undefined): string {
  if (value === undefined) return '-';
  const size = Math.abs(value);
  if (size >= 1000) return value.toFixed(0);
  if (size >= 10) return value.toFixed(1);
  return value.toFixed(3);
}
