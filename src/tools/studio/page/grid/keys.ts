/** How keys move the current cell. */

export interface Place {
  readonly row: number;
  readonly column: number;
}

interface Size {
  readonly rows: number;
  readonly columns: number;
  /** Rows of a page. */
  readonly page: number;
}

/** The next place; undefined if the key does not move. */
export function movedBy(event: KeyboardEvent, place: Place, size: Size): Place | undefined {
  const { row, column } = place;
  const whole = event.ctrlKey || event.metaKey;
  const to = (nextRow: number, nextColumn: number): Place => ({
    row: Math.max(0, Math.min(size.rows - 1, nextRow)),
    column: Math.max(0, Math.min(size.columns - 1, nextColumn)),
  });
  switch (event.key) {
    case 'ArrowDown':
      return to(row + 1, column);
    case 'ArrowUp':
      return to(row - 1, column);
    case 'ArrowRight':
      return to(row, column + 1);
    case 'ArrowLeft':
      return to(row, column - 1);
    case 'PageDown':
      return to(row + size.page, column);
    case 'PageUp':
      return to(row - size.page, column);
    case 'Home':
      return to(whole ? 0 : row, 0);
    case 'End':
      return to(whole ? size.rows - 1 : row, size.columns - 1);
    default:
      return undefined;
  }
}
