/** A database over an engine that is open already: one of several programs that share the engine. */
import type { EntityClass } from '../../src/entities/model/index.js';
import { buildModels } from '../../src/entities/model/index.js';
import { Database } from '../../src/entities/repository/database/database.js';
import { CellClock, type Engine } from '../../src/data/store/index.js';

/** `now` is the clock of the program, in milliseconds. */
export function programOver(
  engine: Engine,
  entities: readonly EntityClass[],
  now: () => number = Date.now,
): Database {
  return new Database({
    url: 'memory:',
    engine,
    models: buildModels(entities),
    cellClock: new CellClock(now),
    validate: true,
    onForeignRow: 'skip',
    onDamagedCell: 'throw',
  });
}
