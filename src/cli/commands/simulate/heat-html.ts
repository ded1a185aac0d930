/** Heat maps of simulated or measured traffic as one HTML file. */
import { type AccessLog, type HeatFinding, heatGrid, KeyNames } from '../../../tools/heat/index.js';
import type { EntityModel } from '../../../entities/model/index.js';
import { writeOutput } from '../../files.js';
import { heatPage, heatTable, type HeatTable } from '../../../tools/page/index.js';

/** Traffic on one table. */
export interface HeatMap {
  /** What the page calls it. */
  readonly label: string;
  readonly model: EntityModel;
  readonly access: AccessLog;
  readonly findings: readonly HeatFinding[];
  /** Operations for which a recorded one stands. */
  readonly scale: number;
}

/** Writes the page. `source` says where the traffic comes from. */
export async function writeHeatPage(
  file: string,
  title: string,
  source: string,
  maps: readonly HeatMap[],
): Promise<void> {
  const tables = maps.flatMap(tablesOf);
  // The entity of a finding would hide its design.
  const findings = maps.flatMap(({ label, findings: found }) =>
    found.map((each) => ({ ...each, table: label, entity: label })),
  );
  await writeOutput(file, heatPage({ title: `Heat map: ${title}`, source, tables, findings }));
}

function tablesOf({ label, model, access, scale }: HeatMap): readonly HeatTable[] {
  return access.tables.flatMap((each) => {
    const grid = heatGrid(each, access.windowMs);
    if (grid === undefined) return [];
    const { operations, reads, writes, bytes } = grid.values;
    const scaled = (values: Float64Array): Float64Array => values.map((value) => value * scale);
    const values = {
      operations: scaled(operations),
      reads: scaled(reads),
      writes: scaled(writes),
      bytes: scaled(bytes),
    };
    const table = heatTable({ ...grid, values }, new KeyNames(each.table, [model]));
    // Reads that begin at a prefix are of the same entity.
    const buckets = table.buckets.map((bucket) => ({ ...bucket, entity: model.name }));
    return [{ ...table, table: label, buckets }];
  });
}
