/** What a repository is made of. */
import type { Timers } from '../../base/index.js';
import type { EntityModel } from '../model/index.js';
import type { CellClock, Engine } from '../../data/store/index.js';
import type { ReaderContext } from './read/rows/entity-pages.js';

/** Constructor arguments of `EntityRepository`. */
export interface RepositoryParts {
  readonly context: ReaderContext;
  readonly model: EntityModel;
  readonly cellClock: CellClock;
  /** The same without the scope of the repository; undefined if it has none. */
  readonly unscoped?: Pick<RepositoryParts, 'model' | 'context'>;
  /** Whether schemas and class-validator rules are checked before writes. */
  readonly validate: boolean;
  /** The timers of buffered counters; default: the timers of the process. */
  readonly timers?: Timers | undefined;
  /** The engine without what keeps derived rows: their own rows are read and written with it. */
  readonly derivedEngine: Engine;
}
