/** The pages of a read, with rows and bytes counted while the caller iterates over them. */
import type { RowCursor, RowStream } from '../../data/store/index.js';
import { countPage } from './counted-page.js';
import type { Watch } from './watch.js';

/** Passes on the pages of another stream. */
export class ObservedStream implements RowStream {
  readonly #inner: RowStream;
  readonly #watch: Watch;
  #restorePage: () => void = noPage;

  constructor(inner: RowStream, watch: Watch) {
    this.#inner = inner;
    this.#watch = watch;
  }

  async next(): Promise<RowCursor | undefined> {
    this.#restorePage();
    try {
      const page = await this.#watch.timed(() =>
        this.#watch.runInContext(() => this.#inner.next()),
      );
      if (page === undefined) this.#watch.end();
      else this.#restorePage = countPage(page, this.#watch.operation);
      return page;
    } catch (error) {
      this.#watch.end(error);
      throw error;
    }
  }

  async close(): Promise<void> {
    this.#restorePage();
    try {
      await this.#inner.close();
    } finally {
      this.#watch.end();
    }
  }
}

function noPage(): void {
  // There is nothing to restore before the first page.
}
