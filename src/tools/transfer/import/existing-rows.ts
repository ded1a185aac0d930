/** Which rows of a batch exist already, for imports that write nothing. */
import { latin1Text, pointRange, unionRanges } from '../../../base/index.js';
import type { Engine, RowMutation } from '../../../data/store/index.js';
import type { EntityModel } from '../../../entities/model/index.js';
import { fullScan, planOf } from '../../../entities/query/index.js';

/** Whether each of the rows has cells in the families of the entity. */
export async function existingRows(
  engine: Engine,
  model: EntityModel,
  rows: readonly RowMutation[],
  signal: AbortSignal | undefined,
): Promise<readonly boolean[]> {
  const { families } = planOf(model, fullScan, { perShard: [] }).selection;
  const plan = {
    table: model.table.name,
    ranges: unionRanges(rows.map(({ key }) => pointRange(key))),
    reversed: false,
    filter: {
      kind: 'chain',
      filters: [
        { kind: 'families', families },
        { kind: 'cellsPerRow', count: 1 },
        { kind: 'stripValue' },
      ],
    },
  } as const;
  const found = new Set<string>();
  const stream = engine.readRows(plan, { signal });
  try {
    for (let page = await stream.next(); page !== undefined; page = await stream.next())
      while (page.nextRow())
        found.add(latin1Text(page.keyBytes.subarray(page.keyStart, page.keyEnd)));
  } finally {
    await stream.close();
  }
  return rows.map(({ key }) => found.has(latin1Text(key)));
}
