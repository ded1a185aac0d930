/** Writes of one row take turns: a program makes them in the order of its calls. */
import { latin1Text } from '../../../base/index.js';

/** The writes of one table that are on their way. */
export class RowTurns {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Whether a write of the row is on its way. */
  isBusy(key: Uint8Array): boolean {
    return this.#last.size > 0 && this.#last.has(latin1Text(key));
  }

  /** Calls `write` after the writes of the row that came before. */
  take<T>(key: Uint8Array, write: () => Promise<T>): Promise<T> {
    const text = latin1Text(key);
    const before = this.#last.get(text);
    const turn = before === undefined ? write() : before.then(write, write);
    this.#last.set(text, turn);
    const done = (): void => {
      if (this.#last.get(text) === turn) this.#last.delete(text);
    };
    turn.then(done, done);
    return turn;
  }
}
