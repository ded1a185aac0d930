/** Rows and bytes of a page, counted while the caller iterates over it. */
import type { RowCursor } from '../../data/store/index.js';

/** What is counted. */
export interface PageCounts {
  rows: number;
  /** Of keys, qualifiers and values that the caller looks at. */
  bytes: number;
}

/**
 * Adds what the caller reads of the page. It overrides the methods of the page object itself, so
 * that it remains the cursor with the fields that the caller reads, and pages that are not counted
 * have no overhead. Returns a function that restores the methods, since engines reuse the page
 * object for later pages and other reads.
 */
export function countPage(page: RowCursor, counts: PageCounts): () => void {
  const [nextRow, nextCell] = [page.nextRow.bind(page), page.nextCell.bind(page)];
  return overrideMethods(page, {
    nextRow() {
      if (!nextRow()) return false;
      counts.rows++;
      counts.bytes += page.keyEnd - page.keyStart;
      return true;
    },
    nextCell() {
      if (!nextCell()) return false;
      counts.bytes += page.qualifierEnd - page.qualifierStart + page.valueEnd - page.valueStart;
      return true;
    },
  });
}

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
