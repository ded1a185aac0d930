/** What the command prints: a line for each mutant, and the rates. */

/** The part of the drawn mutants that must be noticed, and how many are needed to tell. */
const [minRate, minDrawn] = [0.85, 20];
const words = {
  noticed: 'ok',
  hung: 'ok HUNG',
  'noticed by folder': 'ok FOLDER',
  survived: 'SURVIVED',
  broken: 'BROKEN',
};

export class Report {
  #total;
  #seed;
  #asJson;
  #started = performance.now();
  /** @type {(import('./trial.mjs').Verdict & { mutant: import('./select.mjs').Selected })[]} */
  #verdicts = [];

  /** @param {number} total @param {number} seed @param {boolean} asJson */
  constructor(total, seed, asJson) {
    this.#total = total;
    this.#seed = seed;
    this.#asJson = asJson;
  }

  /** @param {readonly import('./select.mjs').Selected[]} mutants */
  list(mutants) {
    for (const { id, title } of mutants) console.log(`${id.padEnd(9)} ${title}`);
    return 0;
  }

  /** @param {import('./trial.mjs').Verdict} verdict */
  add(verdict) {
    const { mutant, state, by, seconds } = verdict;
    this.#verdicts.push(/** @type {any} */ (verdict));
    const clock = ((performance.now() - this.#started) / 1000).toFixed(0);
    const place = `${this.#verdicts.length}/${this.#total}`;
    this.#print(
      `${clock.padStart(5)} s ${place.padStart(7)} ${words[state].padEnd(8)} ${mutant.id} ${mutant.title}  ${seconds.toFixed(0)} s`,
    );
    if (by !== '') this.#print(`    by ${by}`);
    if (state !== 'survived') return;
    if (mutant.kind === 'drawn')
      this.#print(`    quick suites that execute it, in two minutes: ${mutant.tests.length}`);
    this.#print(`    to repeat it: npm run test:mutants -- --only ${mutant.id}`);
  }

  /** Prints the rates. Returns the exit code. @param {boolean} isInterrupted */
  end(isInterrupted) {
    const rates = [this.#rate('chosen', 1), this.#rate('drawn', minRate)];
    const isBroken = this.#verdicts.some(({ state }) => state === 'broken');
    if (this.#asJson) {
      const mutants = this.#verdicts.map(({ mutant: { id, kind, file, title }, ...rest }) => ({
        ...{ id, kind, file, title },
        ...rest,
      }));
      console.log(JSON.stringify({ seed: this.#seed, mutants }, null, 2));
    }
    if (isInterrupted) return 130;
    return isBroken || rates.includes(false) ? 1 : 0;
  }

  /** Whether as many as needed were noticed. @param {'chosen' | 'drawn'} kind @param {number} needed */
  #rate(kind, needed) {
    const all = this.#verdicts.filter(({ mutant }) => mutant.kind === kind);
    if (all.length === 0) return true;
    /** @param {string} state */
    const count = (state) => all.filter((each) => each.state === state).length;
    const noticed = all.length - count('survived') - count('broken');
    const seed = kind === 'drawn' ? `, seed ${this.#seed}` : '';
    this.#print(
      `${noticed} of ${all.length} ${kind} mutants noticed (${((100 * noticed) / all.length).toFixed(0)} %${seed}): ` +
        `${count('noticed by folder')} by suites of the folder alone, ${count('hung')} as they did not end`,
    );
    const isEnough = kind === 'chosen' || all.length >= minDrawn;
    return !isEnough || noticed >= needed * all.length;
  }

  /** JSON alone goes to standard output. @param {string} line */
  #print(line) {
    if (this.#asJson) console.error(line);
    else console.log(line);
  }
}
