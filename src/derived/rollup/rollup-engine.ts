/** Keeps the rollups of an entity, whichever method of a repository writes its rows. */
import type { EntityModel } from '../../model/index.js';
import type { Engine } from '../../store/index.js';
import { CountedRollupEngine } from './counted-engine.js';
import { RebuiltRollupEngine } from './rebuilt-engine.js';

/** The engine for writes of an entity; the same one if it has no rollups. */
export function keepRollups(engine: Engine, model: EntityModel): Engine {
  const rebuilt = model.rollups.filter(({ kind }) => kind === 'rebuilt');
  const counted = model.rollups.filter(({ kind }) => kind === 'counted');
  let kept = engine;
  if (rebuilt.length > 0) kept = new RebuiltRollupEngine(kept, model, rebuilt);
  if (counted.length > 0) kept = new CountedRollupEngine(kept, model, counted);
  return kept;
}
