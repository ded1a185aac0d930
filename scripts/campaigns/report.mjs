/** What the runner prints: on a terminal the running steps, otherwise a line for each event. */
import { textOf } from './counts.mjs';

/** Lines of a failed step that are printed. */
const maxLines = 80;

export class Report {
  #asJson;
  #isTerminal;
  #started = performance.now();
  /** @type {Map<string, { step: string, since: number }>} */
  #running = new Map();
  /** @type {NodeJS.Timeout | undefined} */
  #timer;

  /** @param {boolean} asJson */
  constructor(asJson) {
    this.#asJson = asJson;
    this.#isTerminal = process.stderr.isTTY === true;
    if (this.#isTerminal) this.#timer = setInterval(() => this.#status(), 1000).unref();
  }

  /** JSON alone goes to standard output. @param {string} text */
  print(text) {
    if (this.#isTerminal) process.stderr.write('\r\x1b[K');
    if (this.#asJson) console.error(text);
    else console.log(text);
    this.#status();
  }

  /** @param {string} campaign @param {string} step */
  startStep(campaign, step) {
    this.#running.set(campaign, { step, since: performance.now() });
    this.#status();
  }

  /**
   * @param {string} campaign @param {import('./steps.mjs').Step} step
   * @param {import('./run-step.mjs').StepResult} result @param {string} log
   */
  endStep(campaign, step, { state, seconds, counts, output }, log) {
    this.#running.delete(campaign);
    const word = state === 'passed' ? 'ok' : state.toUpperCase();
    this.print(
      `${this.#clock()} ${word.padEnd(8)} ${campaign.padEnd(14)} ${step.name}  ${seconds.toFixed(0)} s  ${textOf(counts)}`,
    );
    if (state === 'passed' || state === 'interrupted') return;
    const lines = output.trimEnd().split('\n').slice(-maxLines);
    this.print(lines.map((line) => `    ${line}`).join('\n'));
    this.print(`  to repeat it: ${step.line}\n  its output: ${log}`);
  }

  end() {
    clearInterval(this.#timer);
    if (this.#isTerminal) process.stderr.write('\r\x1b[K');
  }

  #clock() {
    return `${((performance.now() - this.#started) / 1000).toFixed(0).padStart(5)} s`;
  }

  #status() {
    if (!this.#isTerminal || this.#running.size === 0) return;
    const parts = [...this.#running].map(([campaign, { step, since }]) => {
      const seconds = Math.round((performance.now() - since) / 1000);
      return `${campaign}: ${step} ${seconds} s`;
    });
    const width = process.stderr.columns ?? 80;
    process.stderr.write(`\r\x1b[K${parts.join(' | ').slice(0, width - 1)}`);
  }
}
