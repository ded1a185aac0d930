/** Administration of a database's tables and families. */
import { checkOptions, invalidArgument, valueText, type FaultTexts } from '../../../base/index.js';
import type { EntityModel } from '../../model/index.js';
import type { Engine } from '../../../data/store/index.js';
import { applyChanges, gcConflict, planTables, type SchemaChange } from './schema-sync.js';

/** Options of `db.admin.apply`. */
export interface ApplyOptions {
  /**
   * Allows a garbage collection rule to be replaced by one that collects cells which the stored
   * rule keeps; default false.
   */
  readonly allowDataLoss?: boolean;
}

/**
 * Compares the stored tables and families with the declared ones and creates what is missing. Works
 * the same on every engine; in a live database nothing else changes tables.
 */
export class DatabaseAdmin {
  readonly #engine: Engine;
  readonly #models: readonly EntityModel[];
  readonly #prepare: () => Promise<void>;

  /** @internal Created by Database. `prepare` is called when all tables are as declared. */
  constructor(
    engine: Engine,
    models: readonly EntityModel[],
    prepare: () => Promise<void> = async () => undefined,
  ) {
    this.#engine = engine;
    this.#models = models;
    this.#prepare = prepare;
  }

  /**
   * Returns the changes that `apply` would make, without making them. Tables and families that no
   * entity declares are ignored. Rejects with SCHEMA_CONFLICT if a stored family differs from the
   * declared one in kind (plain cells, or the aggregate), which is fixed when a family is created.
   */
  async plan(): Promise<readonly SchemaChange[]> {
    return planTables(await this.#engine.listTables(), this.#models);
  }

  /**
   * Makes the changes that `plan` returns, and returns them. Rejects with SCHEMA_CONFLICT, before
   * anything is changed, if one of them would lose data and `allowDataLoss` is not set. Not atomic
   * across tables: after a failure, calling `apply` again makes the remaining changes.
   */
  async apply(options?: ApplyOptions): Promise<readonly SchemaChange[]> {
    checkOptions('apply()', options, ['allowDataLoss']);
    const { allowDataLoss = false } = options ?? {};
    if (typeof allowDataLoss !== 'boolean')
      throw invalidArgument('allowDataLoss', faults.notABoolean(valueText(allowDataLoss)));
    const changes = await this.plan();
    const losing = changes.find((change) => change.kind === 'changeGc' && change.losesData);
    if (losing?.kind === 'changeGc' && !allowDataLoss) {
      const fix =
        'declare the stored rule, or apply({ allowDataLoss: true }) to replace it: ' +
        'cells that the new rule collects cannot be recovered';
      throw gcConflict(this.#models, losing, fix);
    }
    await applyChanges(this.#engine, changes);
    await this.#prepare();
    return changes;
  }
}

const faults = {
  notABoolean: (given: string) => ({
    problem: `allowDataLoss is ${given}`,
    fix: 'give true or false',
  }),
} satisfies FaultTexts;
