/**
 * Pieces of work that begin apart, so that one is answered before the next holds the event loop.
 */

/**
 * The first turn of the event loop does the work (the local engines commit then), the second hands
 * its answer to the connection, the third how the call ended.
 */
const turnsApart = 3;

/** See above. */
export class Stagger {
  #last: Promise<void> = Promise.resolve();

  /**
   * Resolves when the piece before has had its turns. It is not waited for: an engine may take
   * long, and its client may not read.
   */
  begin(): Promise<void> {
    const mine = this.#last;
    this.#last = mine.then(turns);
    return mine;
  }
}

async function turns(): Promise<void> {
  for (let turn = 0; turn < turnsApart; turn++)
    await new Promise((resolve) => void setImmediate(resolve));
}
