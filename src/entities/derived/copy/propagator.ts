/** When the copies of a database follow their sources. */
import type { Engine } from '../../../data/store/index.js';
import type { EntityModel } from '../../model/index.js';
import type { SharedWrites } from '../write/derived-writes.js';
import { RowTurns } from '../write/row-turns.js';
import { Propagation } from './propagation.js';

/**
 * When copies follow a write of their source: before the write resolves, soon after it, or when
 * `db.derived.propagate` is called.
 */
export type CopyMode = 'awaited' | 'background' | 'manual';

/** The propagations that the writes of one database cause. */
export class Propagator {
  readonly #engine: Engine;
  readonly #mode: CopyMode;
  readonly #propagations = new Map<unknown, Propagation>();
  readonly #turns = new Map<unknown, RowTurns>();
  /** Propagations of one row run one after the other. */
  readonly #propagationTurns = new Map<unknown, RowTurns>();
  readonly #running = new Set<Promise<void>>();
  readonly #closed = new AbortController();

  constructor(engine: Engine, mode: CopyMode) {
    this.#engine = engine;
    this.#mode = mode;
  }

  /** What the writes of an entity share with propagations. */
  sharedWrites(model: EntityModel): SharedWrites {
    return {
      turns: turnsOf(this.#turns, model),
      onSource: (row, signal) => this.#follow(model, row, signal),
    };
  }

  /** After a write of a row. Never rejects: what fails leaves its mark. */
  async #follow(
    source: EntityModel,
    row: Uint8Array,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    if (this.#mode === 'manual') return;
    const propagation = this.of(source);
    const turns = turnsOf(this.#propagationTurns, source);
    const background = this.#mode === 'background';
    const stop = background || signal === undefined ? this.#closed.signal : signal;
    const run = async (): Promise<void> => {
      try {
        await propagation.run(row, { signal: stop });
      } catch {
        // The mark stays: pending() lists it, and propagate() goes on and reports what is wrong.
      }
    };
    const running = turns.take(row, run);
    if (!background) return running;
    this.#running.add(running);
    void running.finally(() => this.#running.delete(running));
  }

  /** The propagation of the rows of a source. */
  of(source: EntityModel): Propagation {
    let found = this.#propagations.get(source.entityClass);
    if (found === undefined) {
      found = new Propagation(this.#engine, source, (model) => turnsOf(this.#turns, model));
      this.#propagations.set(source.entityClass, found);
    }
    return found;
  }

  /** Stops what runs in the background; undefined if nothing does. */
  stop(): Promise<unknown> | undefined {
    this.#closed.abort();
    return this.#running.size === 0 ? undefined : Promise.all(this.#running);
  }
}

function turnsOf(turns: Map<unknown, RowTurns>, { entityClass }: EntityModel): RowTurns {
  const found = turns.get(entityClass) ?? new RowTurns();
  turns.set(entityClass, found);
  return found;
}
