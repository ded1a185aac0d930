/** The pages of a read, with rows and bytes counted while the caller iterates over them. */
import type { RowCursor, RowStream } from '../../data/store/index.js';
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
      else this.#count(page);
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

  /**
   * Overrides the methods of the page object itself, so that it remains the cursor with the fields
   * that the caller reads, and pages that are not observed have no overhead.
   */
  #count(page: RowCursor): void {
    const { operation } = this.#watch;
    const [nextRow, nextCell] = [page.nextRow.bind(page), page.nextCell.bind(page)];
    this.#restorePage = overrideMethods(page, {
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
 * Overrides methods of the page. Returns a function that restores them, since engines reuse the
 * page object for later pages and other reads.
 */
function overrideMethods(
  page: RowCursor,
  methods: Pick<RowCursor, 'nextRow' | 'nextCell'>,
): () => void {
  const previous = Object.getOwnPropertyDescriptors(page) as Partial<
    Record<string, PropertyDescriptor>
  >;
  Object.assign(page, methods);
  return () => {
    for (const name of ['nextRow', 'nextCell'] as const) {
      const descriptor = previous[name];
      if (descriptor === undefined) Reflect.deleteProperty(page, name);
      else Object.defineProperty(page, name, descriptor);
    }
  };
}

function noPage(): void {
  // There is nothing to restore before the first page.
}
