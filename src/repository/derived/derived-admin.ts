/** What `db.derived` offers: maintenance of rows that follow from other rows. */
import { invalidArgument } from '../../errors.js';
import type { Propagation, Propagator } from '../../derived/index.js';
import type { EntityClass, EntityModel } from '../../model/index.js';
import type { Engine } from '../../store/index.js';
import {
  checkCopies,
  type CopyCheckOptions,
  type CopyReport,
  pendingCopies,
  type PendingCopies,
  propagateCopies,
  type PropagateOptions,
  type PropagationReport,
} from './copy-admin.js';

/** What the derived rows of an entity are read and written with. */
export interface DerivedParts {
  readonly model: EntityModel;
  /** The engine without the wrappers of entities. */
  readonly engine: Engine;
}

/** Maintenance of derived rows, `db.derived`. Its calls may run beside writers. */
export class DerivedAdmin {
  readonly #partsOf: (entity: unknown) => DerivedParts;
  readonly #propagator: Propagator;

  /** @internal Created by Database. */
  constructor(partsOf: (entity: unknown) => DerivedParts, propagator: Propagator) {
    this.#partsOf = partsOf;
    this.#propagator = propagator;
  }

  /**
   * The rows of an entity whose values changed and are not in all copies yet. Throws
   * INVALID_ARGUMENT if no entity copies from it.
   */
  pending(entity: EntityClass): AsyncIterable<PendingCopies> {
    return pendingCopies(this.#source(entity).propagation);
  }

  /**
   * Writes the copies that are due, and continues what was interrupted. Rejects with the first
   * error once it has reached all of them; what failed stays pending.
   */
  async propagate(entity: EntityClass, options?: PropagateOptions): Promise<PropagationReport> {
    const { model, propagation } = this.#source(entity);
    return propagateCopies(model, propagation, options);
  }

  /** Compares the copies that rows of an entity have with their sources. Writes nothing. */
  async verify(entity: EntityClass, options?: CopyCheckOptions): Promise<CopyReport> {
    const { model, engine } = this.#copying(entity);
    return checkCopies(engine, model, options);
  }

  /** As `verify`, and writes the copies that differ again: all of them if there were none. */
  async repair(entity: EntityClass, options?: CopyCheckOptions): Promise<CopyReport> {
    const { model, engine } = this.#copying(entity);
    return checkCopies(engine, model, options, true);
  }

  #copying(entity: EntityClass): DerivedParts {
    const parts = this.#partsOf(entity);
    if (parts.model.copies !== undefined) return parts;
    throw invalidArgument('entity', 'it has no copies', 'declare static readonly copies', {
      entity: parts.model.name,
    });
  }

  #source(entity: EntityClass): { model: EntityModel; propagation: Propagation } {
    const { model } = this.#partsOf(entity);
    if (model.copiedBy !== undefined) return { model, propagation: this.#propagator.of(model) };
    throw invalidArgument(
      'entity',
      'no entity of this database copies from it',
      'give the entity that has the values, not the one with the copies',
      { entity: model.name },
    );
  }
}
