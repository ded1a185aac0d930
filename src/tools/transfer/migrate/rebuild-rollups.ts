/** The rollups of migrated rows. */
import { checkRollup } from '../../../entities/derived/index.js';
import type { EntityModel } from '../../../entities/model/index.js';
import type { Engine } from '../../../data/store/index.js';

/**
 * The entity without its rollups. Rows are copied without being counted, and the rollups of the new
 * entity are computed at the end: until then, the old rows may be counted in the same buckets.
 */
export function withoutRollups(model: EntityModel): EntityModel {
  return { ...model, rollups: [] };
}

/** The old entity with the rollups that change when its rows are deleted. */
export function withOwnRollups(from: EntityModel, to: EntityModel): EntityModel {
  const isShared = ({ id, rows }: EntityModel['rollups'][number]): boolean =>
    to.rollups.some((each) => each.id === id && each.rows.table.name === rows.table.name);
  return { ...from, rollups: from.rollups.filter((rollup) => !isShared(rollup)) };
}

/** Computes the rollups of an entity from its rows. */
export async function rebuildRollups(
  engine: Engine,
  to: EntityModel,
  signal: AbortSignal | undefined,
): Promise<void> {
  for (const { name } of to.rollups)
    await checkRollup(engine, to, name, { fix: true, signal, now: Date.now() });
}
