/** The progress of a long run: a bar on a terminal, and one line at the end everywhere. */
import { countText } from '../../base/index.js';
import type { Style } from './style.js';

/** Where the bar is drawn. */
interface Output {
  readonly isTTY?: boolean;
  write(text: string): boolean;
}

const barWidth = 28;
/** Milliseconds between two drawings: more of them flicker, and cost time. */
const redrawMs = 40;
/** Milliseconds before which the rate is too uncertain to estimate the time left. */
const estimateAfterMs = 1_500;

/** What is known besides the rows. */
export interface ProgressOptions {
  /** 0 to 1, such as the bytes read of a file. Used when the rows were not counted beforehand. */
  readonly fraction?: number | undefined;
  /** The fraction is an estimate, and so is the time left. */
  readonly estimated?: boolean;
  /** Rows of earlier runs: they do not count for the rate of this one. */
  readonly fromEarlierRuns?: number;
}

/** How a run is shown. */
export interface ProgressStyle {
  /** Milliseconds before which nothing is shown; a shorter run shows nothing at all. Default: 0. */
  readonly afterMs?: number;
}

/** Shows the progress of one run over `total` rows; undefined if their number is not known. */
export class Progress {
  readonly #name: string;
  readonly #total: number | undefined;
  readonly #out: Output;
  readonly #style: Style;
  readonly #now: () => number;
  readonly #afterMs: number;
  readonly #started: number;
  /** Where and when this run began; the speed is measured from here. */
  #from: { readonly fraction: number; readonly at: number } | undefined;
  #drawnAt = -Infinity;

  /** `now` in milliseconds. */
  constructor(
    name: string,
    total: number | undefined,
    out: Output,
    style: Style,
    now = () => performance.now(),
    { afterMs = 0 }: ProgressStyle = {},
  ) {
    this.#name = name;
    this.#total = total;
    this.#out = out;
    this.#style = style;
    this.#now = now;
    this.#afterMs = afterMs;
    this.#started = now();
  }

  /** Draws the bar, if the last drawing is long enough ago. */
  update(rows: number, options: ProgressOptions = {}): void {
    const { fraction = this.#fractionOf(rows), estimated, fromEarlierRuns = 0 } = options;
    const now = this.#now();
    if (fraction !== undefined && this.#from === undefined) {
      this.#from = { fraction: 0, at: this.#started };
      if (fromEarlierRuns > 0) this.#from = { fraction, at: now };
    }
    if (this.#out.isTTY !== true || now - this.#drawnAt < redrawMs) return;
    if (now - this.#started < this.#afterMs) return;
    this.#drawnAt = now;
    const rate = this.#rate(rows - fromEarlierRuns, now);
    const left = this.#timeLeft(fraction, now, estimated);
    this.#out.write(
      `\r  ${this.#name.padEnd(12)} ${this.#bar(rows, fraction)}  ${rate}${left}\x1b[K`,
    );
  }

  /** Replaces the bar by a line that stays. */
  done(rows: number, fromEarlierRuns = 0): void {
    const now = this.#now();
    if (now - this.#started < this.#afterMs) return;
    const seconds = ((now - this.#started) / 1000).toFixed(2);
    const earlier =
      fromEarlierRuns > 0 ? `, ${grouped(fromEarlierRuns)} of them in earlier runs,` : '';
    const counted = `${countText(rows, 'row').padStart(12)}${earlier} in ${seconds} s`;
    const rate = this.#style.dim(this.#rate(rows - fromEarlierRuns, now));
    this.#out.write(`${this.#erasure()}  ${this.#name.padEnd(12)} ${counted}  ${rate}\n`);
  }

  /** Removes the bar, before a message or when the run fails. */
  clear(): void {
    this.#out.write(this.#erasure());
  }

  #erasure(): string {
    if (this.#out.isTTY === true) return '\r\x1b[K';
    return '';
  }

  #fractionOf(rows: number): number | undefined {
    if (this.#total === undefined) return undefined;
    if (this.#total === 0) return 1;
    return Math.min(rows / this.#total, 1);
  }

  #bar(rows: number, fraction: number | undefined): string {
    if (fraction === undefined) return countText(rows, 'row').padStart(15);
    const full = Math.round(fraction * barWidth);
    const empty = this.#style.dim('░'.repeat(barWidth - full));
    return `${'█'.repeat(full)}${empty} ${String(Math.floor(fraction * 100)).padStart(3)} %`;
  }

  #rate(rows: number, now: number): string {
    return `${grouped(rows / Math.max((now - this.#started) / 1000, 0.001)).padStart(8)} rows/s`;
  }

  #timeLeft(fraction: number | undefined, now: number, estimated = false): string {
    if (fraction === undefined || this.#from === undefined) return '';
    const gained = fraction - this.#from.fraction;
    if (gained <= 0 || now - this.#started < estimateAfterMs) return '';
    const seconds = (((now - this.#from.at) / gained) * (1 - fraction)) / 1000;
    return this.#style.dim(`  ${estimated ? 'about ' : ''}${timeText(seconds)} left`);
  }
}

/** `20,000`. */
export function grouped(count: number): string {
  return Math.round(count).toLocaleString('en-US');
}

/** `7 s`, `3:05 min`, `2:00 h`. */
function timeText(seconds: number): string {
  const whole = Math.ceil(seconds);
  const pair = (high: number, low: number) => `${high}:${String(low).padStart(2, '0')}`;
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${pair(Math.floor(whole / 60), whole % 60)} min`;
  return `${pair(Math.floor(whole / 3600), Math.floor((whole % 3600) / 60))} h`;
}
