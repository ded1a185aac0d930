/** The cells of a picture that show a finding. */
import type { HeatFinding, HeatGrid } from '../heat/index.js';

/** Cells from the first to the last column and range of keys, both included. */
export type CellRange = readonly [
  firstColumn: number,
  lastColumn: number,
  firstBucket: number,
  lastBucket: number,
];

/** Marks of a finding, at most: above that, columns are marked together. */
const maxMarks = 150;

/** The cells of a finding's places. */
export function marksOf({ places = [] }: HeatFinding, grid: HeatGrid): readonly CellRange[] {
  const cells = places.map(({ start, first, last }): CellRange => {
    const column = Math.floor((start - grid.start) / grid.columnMs);
    return [column, column, grid.buckets.indexOf(first), grid.buckets.indexOf(last)];
  });
  return fewMarks(cells);
}

/** At most 150 marks that cover the cells. */
export function fewMarks(cells: readonly CellRange[]): readonly CellRange[] {
  let marks = joined(cells, 1);
  for (let columns = 2; marks.length > maxMarks && columns < 4096; columns *= 2)
    marks = joined(cells, columns);
  return marks;
}

/** Ranges that touch in `columns` neighbouring columns are one, and equal ones that follow. */
function joined(cells: readonly CellRange[], columns: number): readonly CellRange[] {
  const groups = new Map<number, CellRange[]>();
  for (const cell of cells) {
    const group = Math.floor(cell[0] / columns);
    groups.set(group, [...(groups.get(group) ?? []), cell]);
  }
  const open = new Map<string, CellRange>();
  const marks: CellRange[] = [];
  for (const group of [...groups.keys()].sort((a, b) => a - b)) {
    const touching = joinedRanges(groups.get(group)!);
    for (const [first, last, from, to] of touching) {
      const key = `${from},${to}`;
      const before = open.get(key);
      const follows = before !== undefined && first - before[1] <= 1;
      const mark: CellRange = [follows ? before[0] : first, last, from, to];
      if (follows) marks.splice(marks.indexOf(before), 1);
      marks.push(mark);
      open.set(key, mark);
    }
  }
  return marks;
}

/** The bounds of ranges of keys that overlap or touch. */
function joinedRanges(cells: readonly CellRange[]): readonly CellRange[] {
  const sorted = cells.toSorted((a, b) => a[2] - b[2]);
  const found: CellRange[] = [];
  for (const cell of sorted) {
    const last = found.at(-1);
    if (last !== undefined && cell[2] <= last[3] + 1)
      found[found.length - 1] = [
        Math.min(last[0], cell[0]),
        Math.max(last[1], cell[1]),
        last[2],
        Math.max(last[3], cell[3]),
      ];
    else found.push(cell);
  }
  return found;
}
