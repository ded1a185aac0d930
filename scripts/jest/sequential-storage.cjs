/**
 * Stands for the AsyncLocalStorage in which jest-circus keeps the current test. Node 20 runs a hook
 * for every promise of a process that has used one. Without `test.concurrent`, which the linter rejects,
 * the tests of a file run one after the other: the current one is the last that began.
 */
module.exports = class SequentialStorage {
  #store;

  getStore() {
    return this.#store;
  }

  run(store, work) {
    const outer = this.#store;
    this.#store = store;
    const leave = () => {
      this.#store = outer;
    };
    let result;
    try {
      result = work();
    } catch (error) {
      leave();
      throw error;
    }
    if (typeof result?.then !== 'function') leave();
    else result.then(leave, leave);
    return result;
  }
};
