/** Changes of rows. They need `--write`; without it they fail with READ_ONLY. */
import type { JsonValue } from './json.js';
import type { RowDetail, RowName } from './row.js';

/** Request of `validate`: whether a value could be written, while it is typed. Writes nothing. */
export interface ValidateRequest {
  readonly entity: string;
  /** Segments and columns; a part of them is enough. */
  readonly values: Readonly<Record<string, JsonValue>>;
  /** Whether all that a new row needs must be there. */
  readonly whole: boolean;
}

/** Response of `validate`. */
export interface Validated {
  readonly issues: readonly {
    readonly property?: string | undefined;
    readonly problem: string;
    readonly fix?: string | undefined;
  }[];
  /** The key that a whole row would have, printable. */
  readonly key?: string | undefined;
}

/** Request of `update`: changes some columns of a row, if it is still as it was shown. */
export interface UpdateRequest extends RowName {
  readonly entity: string;
  /**
   * New values by property; null deletes the column. Of a column map only the given entries
   * change, and null deletes one.
   */
  readonly set: Readonly<Record<string, JsonValue>>;
  /**
   * The values that were shown, at least of the changed columns; null for none. Those that are
   * `comparable` are compared in the write itself, and so are up to eight entries of a column map,
   * which names the changed ones. More entries, and versions, are compared just before the write,
   * unless the entity has a revision.
   */
  readonly shown: Readonly<Record<string, JsonValue>>;
}

/** Request of `remove`: deletes a row, if it is still as it was shown. */
export interface RemoveRequest extends RowName {
  readonly entity: string;
  readonly shown: Readonly<Record<string, JsonValue>>;
}

/** Request of `insert`: a row with a key that has none yet. */
export interface InsertRequest {
  readonly entity: string;
  readonly values: Readonly<Record<string, JsonValue>>;
}

/**
 * Response of `update`, `remove` and `insert`. A conflict is no error: the page shows both, and the
 * user decides.
 */
export type Changed =
  | {
      readonly outcome: 'written';
      readonly row: RowName;
      /** `write`: the write itself was conditional. `read`: compared just before. */
      readonly guard: 'write' | 'read';
    }
  | {
      readonly outcome: 'conflict';
      /** The row as it is now; `exists` is false if it was deleted. */
      readonly stored: RowDetail;
      /** The properties with other values than were shown. */
      readonly changed: readonly string[];
    };
