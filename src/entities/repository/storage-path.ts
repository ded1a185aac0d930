/**
 * The path of requests from a repository to the engine: all stages, in the order in which requests
 * pass them. A write of an entity with indexes, copies or rollups becomes several requests, which
 * pass the later stages only.
 *
 * | | reads | writes | other requests |
 * |---|---|---|---|
 * | `ready` | wait | | |
 * | `scope` | rejected outside | rejected outside | rejected, except about its table |
 * | `observed` | reported | reported | reported, except lists of tables and tokens |
 * | `awaited` | | kept until they end | |
 * | `derived` | | write entries, copies and rollups as well | |
 * | `expired` | filtered | conditions are filtered | |
 * | `view` | filtered | rejected outside | |
 * | `recorded` | sampled | sampled | |
 * | `named` | sent to the view | sent to the view | |
 *
 * Reads of whole entities may leave filters out before they become requests: see
 * `read/bare-reads.ts`.
 */
import { derivedWrites, isMaintained, PendingWrites, type Propagator } from '../derived/index.js';
import type { EntityModel } from '../model/index.js';
import type { Observation } from '../../engines/observe/index.js';
import {
  type CellClock,
  type Clock,
  type Engine,
  type Stage,
  withStages,
} from '../../data/store/index.js';
import { noAdmin, viewStages } from './view-stages.js';
import { type Hidden, hideExpired } from './read/rows/hide-expired.js';

/** The stages of a path; stages that are left out have no cost. */
export interface PathStages {
  /** A query of an index waits until the index is known to be complete, whoever may read it. */
  readonly ready?: Stage | undefined;
  /** What a scope must not reach is rejected before anybody sees it. */
  readonly scope?: Stage | undefined;
  /** Spans, metrics and logs have one call for each request of a repository, with its outcome. */
  readonly observed?: Stage | undefined;
  /** Closing waits for writes of several requests, so that none stops halfway. */
  readonly awaited?: Stage | undefined;
  /** Whatever writes a row, other rows follow: nothing above can forget it. */
  readonly derived?: Stage | undefined;
  /** Cells that garbage collection rules have expired are as good as collected for all above. */
  readonly expired?: Stage | undefined;
  /** What an authorized view does not show is neither read nor written. */
  readonly view?: Stage | undefined;
  /** Heat maps show each request that storage gets, also requests for derived rows. */
  readonly recorded?: Stage | undefined;
  /** Live engines get requests for a view under its name. */
  readonly named?: Stage | undefined;
}

const order: readonly (keyof PathStages)[] = [
  'ready',
  'scope',
  'observed',
  'awaited',
  'derived',
  'expired',
  'view',
  'recorded',
  'named',
];

/** An engine with these stages before its present ones. */
export function storagePath(engine: Engine, stages: PathStages): Engine {
  return withStages(
    engine,
    order.map((name) => stages[name]),
  );
}

/** What the paths of a database are made of. */
export interface PathParts {
  readonly url: string;
  readonly engine: Engine;
  /** What observes requests; undefined if nothing does. */
  readonly observation?: Observation | undefined;
  /** Records which rows are accessed. */
  readonly recorded?: Stage | undefined;
  /**
   * Hides cells that garbage collection rules have expired by this clock. For engines that do not
   * hide them themselves.
   */
  readonly hideExpired?: Clock | undefined;
  /** Which cells are hidden; default: all. */
  readonly hidden?: Hidden | undefined;
  /** Whether the engine is Cloud Bigtable, or a server in its place; default false. */
  readonly isLive?: boolean;
  /** The authorized view through which all requests go; undefined if they may go to tables. */
  readonly view?: string | undefined;
}

/** The paths of one database. */
export class StoragePaths {
  /** To rows and tables as they are stored. */
  readonly stored: Engine;
  /** To rows as repositories see them. */
  readonly rows: Engine;
  /** The writes that closing waits for. */
  readonly writes: PendingWrites;
  readonly #observation: Observation | undefined;
  readonly #parts: PathParts;
  readonly #expired: Stage | undefined;
  readonly #models: readonly EntityModel[];

  /** `models` are all entities with a table. */
  constructor(parts: PathParts, models: readonly EntityModel[]) {
    const { url, engine, observation, recorded, hideExpired: clock, hidden } = parts;
    this.#parts = parts;
    this.#models = models;
    const expired = clock && hideExpired(models, clock, hidden);
    this.#expired = expired;
    this.stored = storagePath(engine, { recorded });
    this.rows = storagePath(engine, { expired, recorded });
    this.writes = new PendingWrites(url);
    this.#observation = observation;
  }

  /** For users, below repositories. */
  forUsers(): Engine {
    const { engine, recorded, isLive = false, view } = this.#parts;
    if (view !== undefined)
      return storagePath(engine, {
        observed: this.#observation?.(),
        scope: noAdmin,
        recorded,
        ...viewStages(this.#models, isLive),
      });
    return storagePath(this.stored, { observed: this.#observation?.() });
  }

  /** For the rows that follow from an entity, or from any; nothing follows from a view. */
  forDerivedRows(model?: EntityModel): Engine {
    if (model?.view !== undefined) return this.#forView(model);
    return storagePath(this.rows, { observed: this.#observation?.(model?.name) });
  }

  /** For the repository of an entity. */
  forEntity(model: EntityModel, propagator: Propagator, clock: CellClock): Engine {
    if (model.view !== undefined) return this.#forView(model);
    const observed = this.#observation?.(model.name);
    if (!isMaintained(model)) return storagePath(this.rows, { observed });
    const shared = propagator.sharedWrites(model);
    const derived = derivedWrites(this.rows, model, { shared, clock });
    // A write of one request is waited for by the engine itself.
    return storagePath(this.rows, { observed, awaited: this.writes, derived });
  }

  #forView(model: EntityModel): Engine {
    const { engine, recorded, isLive = false } = this.#parts;
    const observed = this.#observation?.(model.name);
    const stages = viewStages([model], isLive);
    return storagePath(engine, { observed, expired: this.#expired, recorded, ...stages });
  }
}
