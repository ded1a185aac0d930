/** A finding with many places has few marks on its map. */
import { type CellRange, fewMarks } from '../../../src/tools/page/marks.js';

/** Cells that do not touch each other. */
const apart = (count: number): readonly CellRange[] =>
  Array.from({ length: count }, (_, i) => [2 * i, 2 * i, i % 7, i % 7]);

test('150 marks stay as they are', () => {
  expect(fewMarks(apart(150))).toEqual(apart(150));
});

test('more are joined in neighbouring columns, and cover every place', () => {
  const cells = apart(151);
  const marks = fewMarks(cells);
  expect(marks.length).toBeLessThanOrEqual(150);
  const isCovered = ([column, , bucket]: CellRange): boolean =>
    marks.some(
      ([first, last, from, to]) =>
        first <= column && column <= last && from <= bucket && bucket <= to,
    );
  expect(cells.filter((cell) => !isCovered(cell))).toEqual([]);
});
