/** Runs tasks one at a time, in the order in which they were added. */
export class TaskQueue {
  #last: Promise<unknown> = Promise.resolve();

  /** Runs the task after all earlier ones, whether or not they failed. */
  run<T>(task: () => Promise<T>): Promise<T> {
    const outcome = this.#last.then(task, task);
    this.#last = outcome.catch(() => undefined);
    return outcome;
  }
}
