/** Heat maps of simulated or measured traffic as one HTML file. */
import { type AccessLog, type HeatFinding, heatGrid, KeyNames } from '../../../tools/heat/index.js';
import type { EntityModel } from '../../../entities/model/index.js';
import { writeOutput } from '../../files.js';
import { heatPage, heatTable } from '../../../tools/page/index.js';

/** Traffic on one table. */
export interface HeatMap {
  /** What the page calls it. */
  readonly label: string;
  readonly model: EntityModel;
  readonly access: AccessLog;
  readonly findings: readonly HeatFinding[];
}

/** Writes the page. `source` says where the traffic comes from. */
export async function writeHeatPage(
  file: string,
  source: string,
  maps: readonly HeatMap[],
): Promise<void> {
  const tables = maps.flatMap(({ label, model, access }) =>
    access.tables.flatMap((each) => {
      const grid = heatGrid(each, access.windowMs);
      if (grid === undefined) return [];
      return [{ ...heatTable(grid, new KeyNames(each.table, [model])), table: label }];
    }),
  );
  const findings = maps.flatMap((map) =>
    map.findings.map((each) => ({ ...each, table: map.label })),
  );
  await writeOutput(file, heatPage({ title: `Heat map: ${source}`, source, tables, findings }));
}
