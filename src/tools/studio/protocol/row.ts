/** One row: its values, its stored cells and its key. */
import type { ErrorLine } from './failure.js';
import type { Base64, Cut, IsoTime, JsonValue } from './json.js';

/** Names a row. */
export interface RowName {
  readonly table: string;
  readonly key: Base64;
}

/** Response of `row`. */
export interface RowDetail {
  readonly key: KeyBytes;
  /**
   * Whether there is such a row. Of a deleted row with indexes, cells of the library are left for
   * a day.
   */
  readonly exists: boolean;
  /** The entity that decodes the key; undefined if none does. */
  readonly entity?: string | undefined;
  /** Segments and columns by property, if the row can be decoded. Larger parts than in `rows`. */
  readonly values?: Readonly<Record<string, JsonValue>> | undefined;
  readonly cuts: readonly Cut[];
  /** Why the row or its key is not decoded, with the way out. */
  readonly undecoded?:
    | { readonly code: string; readonly reason: string; readonly fix?: string | undefined }
    | undefined;
  /** Number and bytes of all stored cells, as far as the back end shows them. */
  readonly cells: number;
  readonly bytes: number;
  readonly families: readonly {
    readonly name: string;
    readonly cells: number;
    readonly bytes: number;
  }[];
}

/** A key in parts, for colours. */
export interface KeyBytes {
  readonly bytes: Base64;
  /** Bytes outside printable ASCII as `\xNN`. */
  readonly printable: string;
  /** The parts in order, without gaps; one of kind `unknown` if no entity decodes the key. */
  readonly parts: readonly KeyBytesPart[];
  /** `cbt lookup` of the row. */
  readonly cbt: string;
}

/** A part of a key. */
export interface KeyBytesPart {
  /** `segment` includes the delimiter or terminator after it. */
  readonly kind: 'shard' | 'literal' | 'segment' | 'unknown';
  /** The name of the segment. */
  readonly name?: string | undefined;
  /** From `start`, inclusive, to `end`, exclusive. */
  readonly start: number;
  readonly end: number;
  /** The value of the segment. */
  readonly value?: JsonValue | undefined;
}

/** Request of the stream `cells`: stored cells in the order of storage, newest first. */
export interface CellsRequest extends RowName {
  /** Cells to skip: the number that was received; default 0. */
  readonly skip?: number | undefined;
  /** At most so many, 1 to 10,000; default 1,000. */
  readonly limit?: number | undefined;
  /** Only this family, or this column of it. */
  readonly family?: string | undefined;
  readonly qualifier?: Base64 | undefined;
  /** At most so many versions of each column; default all. */
  readonly versions?: number | undefined;
}

/** A line of the stream `cells`. */
export type CellsLine =
  | { readonly type: 'cells'; readonly cells: readonly CellView[] }
  /** `more`: there are cells after them. */
  | { readonly type: 'end'; readonly more: boolean }
  | ErrorLine;

/** A stored cell. */
export interface CellView {
  readonly family: string;
  readonly qualifier: Base64;
  /** The qualifier, printable. */
  readonly name: string;
  readonly at: IsoTime;
  /** Microseconds since 1970, as digits: names the cell in `cellValue`. */
  readonly micros: string;
  /** Bytes of the value. */
  readonly size: number;
  /** The first 256 bytes of it. */
  readonly value: Base64;
  /** The property that the cell belongs to, and the key of its entry in a map. */
  readonly property?: string | undefined;
  readonly entry?: string | undefined;
  /** The value, decoded; absent if no property decodes it. */
  readonly decoded?: JsonValue | undefined;
  readonly cuts?: readonly Cut[] | undefined;
  /** Why it is not decoded, though a property has this column. */
  readonly problem?: string | undefined;
}

/** Request of `cellValue`: a part of the bytes of one cell. */
export interface CellBytesRequest extends RowName {
  readonly family: string;
  readonly qualifier: Base64;
  readonly micros: string;
  /** Default 0. */
  readonly offset?: number | undefined;
  /** At most 1 MiB, the default. `downloadCell` sends all of it. */
  readonly length?: number | undefined;
}

/** Response of `cellValue`. */
export interface CellBytes {
  readonly size: number;
  readonly offset: number;
  readonly bytes: Base64;
}

/** Request of `part`: a part of a column map, versions or a list that was cut in a row. */
export interface PartRequest extends RowName {
  /** `path` of a `Cut`. */
  readonly path: readonly (string | number)[];
  /** In the unit of the cut's kind; default 0. */
  readonly offset?: number | undefined;
  /** At most so many units; default 1,000 elements or entries, 65,536 of text or bytes. */
  readonly length?: number | undefined;
}

/** Response of `part`. */
export interface PartView {
  readonly kind: Cut['kind'];
  readonly size: number;
  readonly offset: number;
  readonly shown: number;
  /** Text, base64 of the bytes, a list of elements, or an object of entries. */
  readonly value: JsonValue;
}

/** Request of the stream `tableRows`: stored rows, whether an entity decodes them or not. */
export interface TableRowsRequest {
  readonly table: string;
  /** Keys from here, inclusive; `end` is exclusive. */
  readonly start?: Base64 | undefined;
  readonly end?: Base64 | undefined;
  /** Only keys that begin with this; not together with `start` and `end`. */
  readonly prefix?: Base64 | undefined;
  /** Continues after this key. */
  readonly after?: Base64 | undefined;
  /** Rows at most, 1 to 10,000; default 200. */
  readonly size?: number | undefined;
  readonly reverse?: boolean | undefined;
  /** Only rows with keys that no entity decodes. Every row of the range is read for it. */
  readonly undecodable?: boolean | undefined;
}

/** A line of the stream `tableRows`. */
export type TableRowsLine =
  | { readonly type: 'rows'; readonly rows: readonly TableRow[] }
  /** `next`: the `after` that continues. */
  | { readonly type: 'end'; readonly next?: Base64 | undefined; readonly read: number }
  | { readonly type: 'progress'; readonly read: number }
  | ErrorLine;

/** A stored row, with the newest cell of its first columns. */
export interface TableRow {
  readonly key: Base64;
  readonly printable: string;
  /** The entity that decodes the key. */
  readonly entity?: string | undefined;
  /** Why no entity does: a reason for each entity of the table. */
  readonly reasons?: readonly { readonly entity: string; readonly reason: string }[] | undefined;
  /** At most 20. */
  readonly cells: readonly CellView[];
  /** Columns that the row has in all. */
  readonly columns: number;
}
