/** The rollups of migrated rows. */
import { checkRollup } from '../../derived/index.js';
import type { EntityModel } from '../../model/index.js';
import type { Engine } from '../../store/index.js';

/** Rows are copied without being counted: copying one again must change nothing. */
export async function rebuildRollups(
  engine: Engine,
  to: EntityModel,
  signal: AbortSignal | undefined,
): Promise<void> {
  for (const { name } of to.rollups)
    await checkRollup(engine, to, name, { fix: true, signal, now: Date.now() });
}

/**
 * The rebuilt rollups of the old entity follow the deletion of its rows; what was counted once
 * stays. Rollup rows that the new entity has as well are those of its own rows by now.
 */
export async function forgetDeletedRows(
  engine: Engine,
  { from, to }: { readonly from: EntityModel; readonly to: EntityModel },
  signal: AbortSignal | undefined,
): Promise<void> {
  for (const { name, kind, rows } of from.rollups) {
    const isShared = to.rollups.some(
      (each) => each.name === name && each.rows.table.name === rows.table.name,
    );
    if (kind !== 'rebuilt' || isShared) continue;
    await checkRollup(engine, from, name, { fix: true, signal, now: Date.now() });
  }
}
