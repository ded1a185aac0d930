/** Entities as stored bytes, for clients without entities. */
import { compileDehydrator } from '../../src/entities/mapping/index.js';
import { buildModel, type EntityClass } from '../../src/entities/model/index.js';

/** A cell to write. */
export interface StoredCell {
  readonly family: string;
  readonly qualifier: Uint8Array;
  readonly value: Uint8Array;
}

/** A row to write. */
export interface StoredRow {
  readonly key: Uint8Array;
  readonly cells: readonly StoredCell[];
}

/**
 * A function that encodes entities of a class to rows: their keys and the cells that `save` sets.
 */
export function storing(entity: EntityClass): (row: object) => StoredRow {
  const model = buildModel(entity);
  const dehydrator = compileDehydrator(model);
  return (row) => {
    const { key, mutations } = dehydrator.insert(
      row as Record<string, unknown>,
      1_700_000_000_000_000,
    );
    return {
      key,
      cells: mutations.filter((mutation) => mutation.kind === 'setCell'),
    };
  };
}
