/** A heat map of a page as plain data: a table, or a design of one, with its findings. */
import {
  type AccessLog,
  type HeatFinding,
  type HeatGrid,
  heatGrid,
  heatLimits,
  KeyNames,
  type TableAccess,
} from '../heat/index.js';
import { heatTable, type HeatTable } from './heat-table.js';
import { type CellRange, marksOf } from './marks.js';

/** A finding with the cells that show it. */
export interface MarkedFinding extends HeatFinding {
  readonly marks: readonly CellRange[];
}

/** What a page shows of one table. */
export interface HeatMap {
  /** What the page calls it: the table, or a design of it. */
  readonly name: string;
  /** A sentence about it, such as what it needs. */
  readonly about?: string | undefined;
  readonly table: HeatTable;
  readonly findings: readonly MarkedFinding[];
  /** Says that too little was recorded to judge. */
  readonly unjudged?: string | undefined;
}

/** Traffic to draw. */
export interface HeatTraffic {
  readonly access: AccessLog;
  readonly findings: readonly HeatFinding[];
  /** Entities that decode the keys. */
  readonly models: ConstructorParameters<typeof KeyNames>[1];
  /** Operations for which a recorded one stands; default 1. */
  readonly scale?: number;
}

/** A map of each table, which has its name. */
export function heatMaps({ access, findings, models, scale = 1 }: HeatTraffic): readonly HeatMap[] {
  return access.tables.flatMap((each) => {
    const grid = heatGrid(each, access.windowMs);
    if (grid === undefined) return [];
    const table = heatTable(scaled(grid, scale), new KeyNames(each.table, models));
    const own = findings.filter((finding) => finding.table === each.table);
    const marked = own.map((finding) => ({ ...finding, marks: marksOf(finding, grid) }));
    return [{ name: each.table, table, findings: marked }];
  });
}

function scaled(grid: HeatGrid, scale: number): HeatGrid {
  if (scale === 1) return grid;
  const { operations, reads, writes, bytes } = grid.values;
  const times = (values: Float64Array): Float64Array => values.map((value) => value * scale);
  return {
    ...grid,
    values: {
      operations: times(operations),
      reads: times(reads),
      writes: times(writes),
      bytes: times(bytes),
    },
  };
}

/** Says that too little was recorded to judge; undefined if there is enough. */
export function unjudgedText({ windows }: TableAccess): string | undefined {
  const { minSamples } = heatLimits;
  if (windows.some(({ samples }) => samples.length >= minSamples)) return undefined;
  return `Too little to judge: no window has ${minSamples} recorded operations on a table.`;
}
