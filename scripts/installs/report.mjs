/** A line for each program, and the result as text or JSON. */

export class Report {
  /** @type {import('./run-case.mjs').Outcome[]} */
  #outcomes = [];
  #started = performance.now();
  #cases;
  #asJson;
  #mustNotSkip;
  #broken = false;

  /** @param {unknown[]} cases @param {boolean} asJson @param {boolean} mustNotSkip */
  constructor(cases, asJson, mustNotSkip) {
    this.#cases = cases;
    this.#asJson = asJson;
    this.#mustNotSkip = mustNotSkip;
  }

  /** @param {string} line */
  progress(line) {
    this.#print(`${this.#clock()} ${line}`);
  }

  /** What keeps all programs from running. @param {string} what @param {string} step @param {string} output */
  failure(what, step, output) {
    this.#broken = true;
    this.#print(`FAILED  ${what}: ${step}\n${output.trimEnd()}`);
  }

  /** @param {import('./run-case.mjs').Outcome} outcome */
  add(outcome) {
    const state = outcome.state === 'skipped' && this.#mustNotSkip ? 'failed' : outcome.state;
    this.#outcomes.push({ ...outcome, state });
    const words = { ok: 'ok     ', failed: 'FAILED ', skipped: 'SKIPPED' };
    const seconds = Object.entries(outcome.seconds).map(([step, n]) => `${step} ${n.toFixed(1)} s`);
    const count = `${this.#outcomes.length}/${this.#cases.length}`;
    this.#print(
      `${this.#clock()} ${words[state]} ${count.padStart(5)} ${outcome.name.padEnd(22)} ${seconds.join(', ')}`,
    );
    if (outcome.state === 'ok') return;
    const required = outcome.state === 'skipped' && this.#mustNotSkip;
    this.#print(`  ${outcome.step}${required ? ' (CI_REQUIRE_INSTALLS=1)' : ''}:`);
    this.#print(indented(outcome.output ?? ''));
  }

  /** Prints the result. Returns the exit code. */
  end() {
    /** @param {string} state */
    const count = (state) => this.#outcomes.filter((outcome) => outcome.state === state).length;
    const [passed, failed, skipped] = ['ok', 'failed', 'skipped'].map(count);
    const seconds = (performance.now() - this.#started) / 1000;
    if (this.#asJson)
      console.log(
        JSON.stringify({ passed, failed, skipped, seconds, programs: this.#outcomes }, null, 2),
      );
    const names = this.#outcomes.filter(({ state }) => state === 'skipped').map(({ name }) => name);
    if (names.length > 0) this.#print(`SKIPPED, could not be installed: ${names.join(', ')}`);
    this.#print(
      `${passed} programs passed, ${failed} failed, ${skipped} skipped in ${seconds.toFixed(0)} s`,
    );
    return failed > 0 || this.#broken ? 1 : 0;
  }

  #clock() {
    return `${((performance.now() - this.#started) / 1000).toFixed(0).padStart(4)} s`;
  }

  /** JSON alone goes to standard output. @param {string} text */
  #print(text) {
    if (this.#asJson) console.error(text);
    else console.log(text);
  }
}

/** The end of an output, which has the reason. @param {string} text */
function indented(text) {
  const lines = text.trimEnd().split('\n');
  return lines
    .slice(-120)
    .map((line) => `    ${line}`)
    .join('\n');
}
