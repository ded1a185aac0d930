/** Tables and families of a database, changed by explicit calls only. */
import type { EntityModel } from '../../model/index.js';
import type { Engine } from '../../store/index.js';
import { applyChanges, gcConflict, planTables, type SchemaChange } from './schema-sync.js';

/** Options of `apply`. */
export interface ApplyOptions {
  /**
   * Whether garbage collection rules may be replaced by ones that delete what the stored ones keep;
   * default false.
   */
  readonly allowDataLoss?: boolean;
}

/**
 * What `db.admin` offers: the same on every engine. Nothing else changes a live database's tables.
 */
export class DatabaseAdmin {
  readonly #engine: Engine;
  readonly #models: readonly EntityModel[];

  /** @internal Databases make theirs. */
  constructor(engine: Engine, models: readonly EntityModel[]) {
    this.#engine = engine;
    this.#models = models;
  }

  /**
   * What the stored tables lack of the declared ones; nothing is changed. Tables and families that
   * no entity declares are left alone. SCHEMA_CONFLICT where a stored family is of another kind
   * than the declared one, which no change mends.
   */
  async plan(): Promise<readonly SchemaChange[]> {
    return planTables(await this.#engine.listTables(), this.#models);
  }

  /**
   * Makes the changes of `plan` and resolves to them. SCHEMA_CONFLICT, with nothing changed, when
   * one of them would lose data and that is not allowed. Changes of different tables are not atomic
   * together; after a failure, `apply` again makes what is left.
   */
  async apply({ allowDataLoss = false }: ApplyOptions = {}): Promise<readonly SchemaChange[]> {
    const changes = await this.plan();
    const losing = changes.find((change) => change.kind === 'changeGc' && change.losesData);
    if (losing?.kind === 'changeGc' && !allowDataLoss) {
      throw gcConflict(
        this.#models,
        losing,
        'declare the stored rule, or apply({ allowDataLoss: true }) to replace it: what the new rule collects is gone for good',
      );
    }
    await applyChanges(this.#engine, changes);
    return changes;
  }
}
