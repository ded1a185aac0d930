/**
 * What a test file costs, as a line of JSON in the file PROCESSOR_TIME: milliseconds of processor
 * time in total, until its modules are loaded, and of child processes. `scripts/processor-time.mjs`
 * prints the sums. Needed because Jest reports elapsed time, which depends on what else runs.
 */
const { appendFileSync, readFileSync } = require('node:fs');

module.exports = class ProcessorTime {
  #started = used();
  #children = usedByChildren();
  #loaded = this.#started;
  #modules = 0;

  countModules(executor) {
    const compile = executor.compile;
    executor.compile = (...args) => {
      this.#modules += 1;
      return compile(...args);
    };
  }

  /** The modules of the test file are loaded. */
  loaded() {
    this.#loaded = used();
  }

  /** The test file has ended. */
  ended(project, path) {
    const line = {
      project,
      path,
      load: Math.round(this.#loaded - this.#started),
      own: Math.round(used() - this.#started),
      children: Math.round(usedByChildren() - this.#children),
      modules: this.#modules,
      worker: process.pid,
    };
    appendFileSync(process.env.PROCESSOR_TIME, `${JSON.stringify(line)}\n`);
  }
};

/** Milliseconds that this process has used, with its threads. */
function used() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** Milliseconds of its ended child processes. Linux counts them in hundredths of a second. */
function usedByChildren() {
  try {
    const fields = readFileSync('/proc/self/stat', 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    return (Number(fields[13]) + Number(fields[14])) * 10;
  } catch {
    return 0;
  }
}
