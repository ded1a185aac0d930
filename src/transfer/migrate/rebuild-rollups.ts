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
