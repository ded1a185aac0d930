/**
 * Which rows are visible. All rows have one height, so this is arithmetic: nothing is kept for a
 * row, however many there are. Browsers limit the height of an element; a taller table is scrolled
 * in steps of more than a pixel.
 */

/** Height of the scrolled element at most: half of the limit of Chromium, for a zoom of 200 %. */
const maxHeight = 15_000_000;

export interface RowWindow {
  readonly first: number;
  /** Exclusive. */
  readonly end: number;
  /** Where the first row is in the scrolled element, in pixels. */
  readonly top: number;
  readonly height: number;
}

interface Viewport {
  readonly rows: number;
  readonly rowHeight: number;
  readonly scrollTop: number;
  readonly viewHeight: number;
}

/** Rows beyond the visible ones, on each side. */
const overscan = 8;

/** The rows to draw. */
export function windowOf({ rows, rowHeight, scrollTop, viewHeight }: Viewport): RowWindow {
  const whole = rows * rowHeight;
  const height = Math.min(whole, maxHeight);
  const offset = scrollTop * scaleOf(whole, viewHeight);
  const first = Math.max(0, Math.floor(offset / rowHeight) - overscan);
  const end = Math.min(rows, Math.ceil((offset + viewHeight) / rowHeight) + overscan);
  return { first, end, top: first * rowHeight - offset + scrollTop, height };
}

/** The scroll position at which a row is visible; undefined if it is already. */
export function scrollTo(row: number, view: Viewport): number | undefined {
  const whole = view.rows * view.rowHeight;
  const scale = scaleOf(whole, view.viewHeight);
  const offset = view.scrollTop * scale;
  const [top, bottom] = [row * view.rowHeight, (row + 1) * view.rowHeight];
  if (top < offset) return top / scale;
  if (bottom > offset + view.viewHeight) return (bottom - view.viewHeight) / scale;
  return undefined;
}

/** Pixels of rows for each pixel of scrolling. */
function scaleOf(whole: number, viewHeight: number): number {
  if (whole <= maxHeight) return 1;
  return (whole - viewHeight) / (maxHeight - viewHeight);
}
