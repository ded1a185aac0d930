/** The pages of a read, counted while their reader walks them. */
import type { RowCursor, RowStream } from '../store/index.js';
import type { Watch } from './watch.js';

/** Hands the pages of another stream through. */
export class ObservedStream implements RowStream {
  readonly #inner: RowStream;
  readonly #watch: Watch;
  readonly #inside: <T>(work: () => T) => T;
  #release: () => void = nothing;

  constructor(inner: RowStream, watch: Watch, inside: <T>(work: () => T) => T) {
    this.#inner = inner;
    this.#watch = watch;
    this.#inside = inside;
  }

  async next(): Promise<RowCursor | undefined> {
    this.#release();
    try {
      const page = await this.#watch.timed(() => this.#inside(() => this.#inner.next()));
      if (page === undefined) this.#watch.end();
      else this.#count(page);
      return page;
    } catch (error) {
      this.#watch.end(error);
      throw error;
    }
  }

  async close(): Promise<void> {
    this.#release();
    try {
      await this.#inner.close();
    } finally {
      this.#watch.end();
    }
  }

  /**
   * Counts by methods of the page's own in front of its class's: the cursor stays the object whose
   * fields its reader reads, and a page that nobody observes pays nothing.
   */
  #count(page: RowCursor): void {
    const { operation } = this.#watch;
    const [nextRow, nextCell] = [page.nextRow.bind(page), page.nextCell.bind(page)];
    this.#release = ownMethods(page, {
      nextRow() {
        if (!nextRow()) return false;
        operation.rows++;
        operation.bytes += page.keyEnd - page.keyStart;
        return true;
      },
      nextCell() {
        if (!nextCell()) return false;
        operation.bytes +=
          page.qualifierEnd - page.qualifierStart + page.valueEnd - page.valueStart;
        return true;
      },
    });
  }
}

/**
 * Puts methods on the page; the answer takes them off again, for engines use a page's object for
 * later pages and other reads.
 */
function ownMethods(page: RowCursor, methods: Pick<RowCursor, 'nextRow' | 'nextCell'>): () => void {
  const before = Object.getOwnPropertyDescriptors(page) as Partial<
    Record<string, PropertyDescriptor>
  >;
  Object.assign(page, methods);
  return () => {
    for (const name of ['nextRow', 'nextCell'] as const) {
      const had = before[name];
      if (had === undefined) Reflect.deleteProperty(page, name);
      else Object.defineProperty(page, name, had);
    }
  };
}

function nothing(): void {
  // No page is out.
}
