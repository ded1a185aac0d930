/**
 * How far a long run is: a bar that redraws itself on a terminal, nothing until the end elsewhere.
 */
import type { Style } from './style.js';

/** Where the bar is drawn. */
interface Output {
  readonly isTTY?: boolean;
  write(text: string): boolean;
}

const barWidth = 28;
/** A terminal redrawn more often than this flickers, and costs the run time. */
const redrawMs = 40;
/** Before this the rate says too little to foretell an end. */
const foretellMs = 1_500;

/** What is known besides the rows. */
export interface Known {
  /** 0 to 1: of the bytes of a file, say. Leads the bar where rows are not counted beforehand. */
  readonly share?: number | undefined;
  /** The share is an estimate, and so is the end. */
  readonly estimated?: boolean;
  /** Rows that an earlier run had done: they say nothing of this one's rate. */
  readonly earlier?: number;
}

/**
 * Shows the progress of one run over `total` rows; undefined where nobody knows how many there are.
 */
export class Progress {
  readonly #name: string;
  readonly #total: number | undefined;
  readonly #out: Output;
  readonly #style: Style;
  readonly #now: () => number;
  readonly #started: number;
  /** From where on the share tells how fast this run is. */
  #from: { readonly share: number; readonly at: number } | undefined;
  #drawn = -Infinity;

  /** `now` in milliseconds. */
  constructor(
    name: string,
    total: number | undefined,
    out: Output,
    style: Style,
    now = () => performance.now(),
  ) {
    this.#name = name;
    this.#total = total;
    this.#out = out;
    this.#style = style;
    this.#now = now;
    this.#started = now();
  }

  /** Draws the bar, if it is time to. */
  update(
    rows: number,
    { share = this.#shareOf(rows), estimated = false, earlier = 0 }: Known = {},
  ): void {
    const now = this.#now();
    if (share !== undefined)
      this.#from ??= earlier > 0 ? { share, at: now } : { share: 0, at: this.#started };
    if (this.#out.isTTY !== true || now - this.#drawn < redrawMs) return;
    this.#drawn = now;
    this.#out.write(
      `\r  ${this.#name.padEnd(12)} ${this.#bar(rows, share)}  ${this.#rate(rows - earlier, now)}${this.#left(share, now, estimated)}\x1b[K`,
    );
  }

  /** Replaces the bar by one line that stays. */
  done(rows: number, earlier = 0): void {
    const now = this.#now();
    const seconds = ((now - this.#started) / 1000).toFixed(2);
    const counted = `${grouped(rows).padStart(7)} rows${earlier > 0 ? `, ${grouped(earlier)} of them by an earlier run,` : ''} in ${seconds} s`;
    this.#out.write(
      `${this.#erase()}  ${this.#name.padEnd(12)} ${counted}  ${this.#style.dim(this.#rate(rows - earlier, now))}\n`,
    );
  }

  /** Takes the bar away, before a message or when the run fails. */
  clear(): void {
    this.#out.write(this.#erase());
  }

  #erase(): string {
    return this.#out.isTTY === true ? '\r\x1b[K' : '';
  }

  #shareOf(rows: number): number | undefined {
    if (this.#total === undefined) return undefined;
    return this.#total === 0 ? 1 : Math.min(rows / this.#total, 1);
  }

  #bar(rows: number, share: number | undefined): string {
    if (share === undefined) return `${grouped(rows).padStart(10)} rows`;
    const full = Math.round(share * barWidth);
    return `${'█'.repeat(full)}${this.#style.dim('░'.repeat(barWidth - full))} ${String(Math.floor(share * 100)).padStart(3)} %`;
  }

  #rate(rows: number, now: number): string {
    return `${grouped(rows / Math.max((now - this.#started) / 1000, 0.001)).padStart(8)} rows/s`;
  }

  #left(share: number | undefined, now: number, estimated: boolean): string {
    if (share === undefined || this.#from === undefined || now - this.#started < foretellMs)
      return '';
    const gained = share - this.#from.share;
    if (gained <= 0) return '';
    return this.#style.dim(
      `  ${estimated ? 'about ' : ''}${timeText((((now - this.#from.at) / gained) * (1 - share)) / 1000)} left`,
    );
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
