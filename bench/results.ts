/** What was measured, and how it is printed. */
import { cpus, totalmem } from 'node:os';
import type { Timing } from './interleave.js';

/** What a ratio has to be. */
export interface Target {
  readonly kind: 'atMost' | 'atLeast';
  readonly ratio: number;
}

/** One line of the answer. */
export interface Result {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  /** Value divided by that of `of`, or the other way round where more is better. */
  readonly ratio?: number;
  /** What the ratio compares with. */
  readonly of?: string;
  readonly target?: Target;
  /** Least and greatest sample, in the same unit. */
  readonly min?: number;
  readonly max?: number;
}

/** Options of a bench, from its command line. */
export interface BenchOptions {
  readonly rows: number;
  /** Parts of names to run; empty for all. */
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

/** Collects results and prints each as it comes, or all at the end as JSON. */
export class Results {
  readonly all: Result[] = [];
  readonly #json: boolean;
  readonly #started = performance.now();

  constructor({ json }: BenchOptions) {
    this.#json = json;
    if (!json)
      console.log(
        line(['name', 'value', 'unit', 'ratio', 'of', 'target', 'verdict', 'least', 'most']),
      );
  }

  /** Adds one result. */
  add(result: Result): void {
    this.all.push(result);
    progress('');
    if (!this.#json) console.log(lineOf(result));
  }

  /** Adds the median of a timing, with its noise; `scale` turns microseconds into the unit. */
  addTiming(
    name: string,
    timing: Timing,
    unit: string,
    comparison?: { readonly with: Timing; readonly of: string; readonly target?: Target },
    scale = 1,
  ): void {
    this.add({
      name,
      unit,
      value: timing.median * scale,
      min: timing.min * scale,
      max: timing.max * scale,
      ...(comparison === undefined
        ? {}
        : {
            ratio: timing.median / comparison.with.median,
            of: comparison.of,
            target: comparison.target,
          }),
    });
  }

  /** Ends the report; true when no target was missed. */
  finish(about: Readonly<Record<string, unknown>>): boolean {
    const missed = this.all.filter((result) => verdict(result) === 'MISSED').length;
    const seconds = Math.round((performance.now() - this.#started) / 1000);
    const machine = {
      cpu: cpus()[0].model.trim(),
      cores: cpus().length,
      memoryGiB: Math.round(totalmem() / 2 ** 30),
      node: process.versions.node,
    };
    if (this.#json)
      console.log(
        JSON.stringify(
          {
            machine,
            ...about,
            seconds,
            results: this.all.map((result) => ({ ...result, verdict: verdict(result) })),
          },
          undefined,
          1,
        ),
      );
    else {
      const facts = Object.entries(about).map(([name, value]) => `${name} ${String(value)}`);
      console.log(
        `# ${[machine.cpu, `${machine.cores} cores`, `${machine.memoryGiB} GiB`, `Node ${machine.node}`, ...facts, `${seconds} s`, `${missed} missed`].join(', ')}`,
      );
    }
    return missed === 0;
  }
}

/** Shows what is going on, where somebody looks on. */
export function progress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text}`);
}

const widths = [34, -12, 10, -8, 22, 8, 8, -12, -12];

/**
 * Columns are at least two spaces apart, and nothing is `-`: `line.split(/ {2,}/)` reads it.
 * Negative widths align to the right.
 */
function line(cells: readonly string[]): string {
  return cells
    .map((cell, i) => (widths[i] < 0 ? cell.padStart(-widths[i]) : cell.padEnd(widths[i])))
    .join('  ')
    .trimEnd();
}

function lineOf(result: Result): string {
  const { name, value, unit, ratio, of, target, min, max } = result;
  const bound =
    target === undefined ? '-' : `${target.kind === 'atMost' ? '<=' : '>='}${target.ratio}`;
  return line([
    name,
    digits(value),
    unit,
    ratio === undefined ? '-' : ratio.toFixed(2),
    of ?? '-',
    bound,
    verdict(result) ?? '-',
    digits(min),
    digits(max),
  ]);
}

function verdict({ ratio, target }: Result): 'ok' | 'MISSED' | undefined {
  if (ratio === undefined || target === undefined) return undefined;
  return (target.kind === 'atMost' ? ratio <= target.ratio : ratio >= target.ratio)
    ? 'ok'
    : 'MISSED';
}

function digits(value: number | undefined): string {
  if (value === undefined) return '-';
  return Math.abs(value) >= 1000
    ? value.toFixed(0)
    : Math.abs(value) >= 10
      ? value.toFixed(1)
      : value.toFixed(3);
}
