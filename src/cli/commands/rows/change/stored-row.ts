/** The row that a write changes. */
import { isRowsmithError } from '../../../../base/index.js';
import { entityJson, type EntityModel } from '../../../../entities/model/index.js';
import type { Terminal } from '../../../terminal/terminal.js';
import type { UntypedRepository as Repository } from '../../../../tools/rows/index.js';
import type { JsonValues } from './assignments.js';

/** A row as it is stored before a write. */
export interface StoredRow {
  /** Undefined if the row cannot be read. */
  readonly entity: object | undefined;
  /** Its JSON form, as far as it can be decoded. */
  readonly json: JsonValues;
}

/**
 * Reads the row; undefined if there is none. A row with a cell that cannot be decoded, or without a
 * required value, has no values to show, but a write can replace them. With a revision it is an
 * error: only the row that was read may be changed.
 */
export async function storedRow(
  terminal: Terminal,
  model: EntityModel,
  repository: Repository,
  key: Readonly<Record<string, unknown>>,
): Promise<StoredRow | undefined> {
  try {
    const entity = await repository.get(key);
    if (entity === undefined) return undefined;
    return { entity, json: entityJson(model).format(entity) };
  } catch (error) {
    if (!isRowsmithError(error) || model.managed?.revision !== undefined) throw error;
    const { property, problem } = error.details;
    if (error.code === 'INCOMPLETE_ROW') {
      terminal.note(`the stored row is not shown: ${String(problem)}`);
      return { entity: undefined, json: {} };
    }
    if (error.code !== 'DAMAGED_CELL') throw error;
    terminal.note(
      `the stored row is not shown: its cell of '${String(property)}' cannot be decoded ` +
        `(${String(problem)}); --raw shows its bytes`,
    );
    return { entity: undefined, json: {} };
  }
}
