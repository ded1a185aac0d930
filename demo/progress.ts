/** How far a load is: a bar that redraws itself on a terminal, nothing until the end elsewhere. */
import type { Style } from './style.js';

/** Where the bar is drawn. */
interface Output {
  readonly isTTY?: boolean;
  write(text: string): boolean;
}

const barWidth = 28;
/** A terminal redrawn more often than this flickers, and costs the load time. */
const redrawMs = 40;

/** Shows the progress of one load of `total` rows. */
export class Progress {
  readonly #name: string;
  readonly #total: number;
  readonly #out: Output;
  readonly #style: Style;
  readonly #now: () => number;
  readonly #started: number;
  #drawn = -Infinity;

  /** `now` in milliseconds. */
  constructor(name: string, total: number, out: Output, style: Style, now = () => performance.now()) {
    this.#name = name;
    this.#total = total;
    this.#out = out;
    this.#style = style;
    this.#now = now;
    this.#started = now();
  }

  /** Draws the bar, if it is time to. */
  update(rows: number): void {
    const now = this.#now();
    if (this.#out.isTTY !== true || now - this.#drawn < redrawMs) return;
    this.#drawn = now;
    const share = this.#total === 0 ? 1 : rows / this.#total;
    const full = Math.round(share * barWidth);
    const bar = `${'█'.repeat(full)}${this.#style.dim('░'.repeat(barWidth - full))}`;
    this.#out.write(`\r  ${this.#name.padEnd(12)} ${bar} ${String(Math.floor(share * 100)).padStart(3)} %  ${this.#rate(rows, now)}\x1b[K`);
  }

  /** Replaces the bar by one line that stays. */
  done(rows: number): void {
    const now = this.#now();
    const seconds = ((now - this.#started) / 1000).toFixed(2);
    const start = this.#out.isTTY === true ? '\r\x1b[K' : '';
    this.#out.write(`${start}  ${this.#name.padEnd(12)} ${grouped(rows).padStart(7)} rows in ${seconds} s  ${this.#style.dim(this.#rate(rows, now))}\n`);
  }

  #rate(rows: number, now: number): string {
    return `${grouped(rows / Math.max((now - this.#started) / 1000, 0.001)).padStart(8)} rows/s`;
  }
}

/** `20,000`. */
export function grouped(count: number): string {
  return Math.round(count).toLocaleString('en-US');
}
