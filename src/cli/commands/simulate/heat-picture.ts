/** A small heat map of text: keys from top to bottom, minutes from left to right. */
import { heatGrid } from '../../../tools/heat/index.js';
import type { DesignReport } from '../../../tools/simulate/index.js';

const maxLines = 10;
const maxColumns = 60;
const shades = [' ', '·', '░', '▒', '▓', '█'];

/** The lines of the picture, with their totals; none without traffic. The darkest cell has most. */
export function heatPicture({
  access: { tables, windowMs },
  scale,
}: Pick<DesignReport, 'access' | 'scale'>): readonly string[] {
  const [table] = tables;
  if (table === undefined) return [];
  const grid = heatGrid(table, windowMs, { maxColumns, maxBuckets: 1_000 });
  if (grid === undefined) return [];
  const { buckets, columns, values } = grid;
  const lines = Math.min(maxLines, buckets.count);
  const cells = Array.from({ length: lines }, () => new Array<number>(columns).fill(0));
  for (let column = 0; column < columns; column++)
    for (let bucket = 0; bucket < buckets.count; bucket++)
      cells[Math.floor((bucket * lines) / buckets.count)][column] +=
        values.operations[column * buckets.count + bucket];
  const greatest = Math.max(...cells.flat());
  const totals = cells.map((line) =>
    Math.round(scale * line.reduce((sum, value) => sum + value, 0)).toLocaleString('en'),
  );
  const width = Math.max(...totals.map((text) => text.length));
  return cells.map((line, i) => {
    const drawn = line.map((value) => shadeOf(value / greatest)).join('');
    return `${drawn}  ${totals[i].padStart(width)}`;
  });
}

function shadeOf(share: number): string {
  return shades[Math.ceil(share * (shades.length - 1))];
}
