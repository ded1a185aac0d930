/** Histories: a table and operations on it as plain data, and their text form for replay. */
import type {
  DropTarget,
  FamilyChange,
  FamilySchema,
  Filter,
  Mutation,
  ReadModifyWriteRule,
  RowMutation,
} from '../../src/data/store/index.js';

/** A bound of a range of row keys. */
export interface KeyBound {
  readonly key: Uint8Array;
  readonly open: boolean;
}

/** An operation on the table of a history. */
export type Operation =
  | {
      readonly kind: 'mutateRow';
      readonly key: Uint8Array;
      readonly mutations: readonly Mutation[];
    }
  | { readonly kind: 'mutateRows'; readonly rows: readonly RowMutation[] }
  | {
      readonly kind: 'check';
      readonly key: Uint8Array;
      readonly predicate?: Filter;
      readonly onTrue: readonly Mutation[];
      readonly onFalse: readonly Mutation[];
    }
  | {
      readonly kind: 'modify';
      readonly key: Uint8Array;
      readonly rules: readonly ReadModifyWriteRule[];
    }
  | ReadOperation
  | { readonly kind: 'drop'; readonly target: DropTarget }
  | { readonly kind: 'families'; readonly changes: readonly FamilyChange[] }
  | { readonly kind: 'sample' }
  /** Generates a consistency token and checks it; or checks a bogus one. */
  | {
      readonly kind: 'token';
      readonly bogus?: true;
      /** Field of CheckConsistencyRequest to set; it has no effect on the result. */
      readonly mode?: 'standardReadRemoteWrites' | 'dataBoostReadLocalWrites';
    }
  /** Whether this table is in the list of tables. */
  | { readonly kind: 'list' }
  /** PingAndWarm. */
  | { readonly kind: 'ping' }
  /** The families and the deletion protection of the table. */
  | { readonly kind: 'schema' }
  | { readonly kind: 'protect'; readonly on: boolean }
  /** Deletes and recreates the table. */
  | ({ readonly kind: 'recreate' } & TableDefinition)
  /** An operation on a table that does not exist. */
  | { readonly kind: 'missingTable'; readonly call: Operation }
  /** Engine.compact: collects garbage, which has a visible effect only in the mode `manual`. */
  | { readonly kind: 'collect' }
  /** Closes and reopens the engine on disk and its server. */
  | { readonly kind: 'reopen' }
  /** Advances the clock of all engines. Only in histories with their own clock. */
  | { readonly kind: 'wait'; readonly ms: number };

/**
 * A read like ReadRowsRequest: keys and ranges in any order, overlapping or empty; without either,
 * the whole table.
 */
export interface ReadOperation {
  readonly kind: 'read';
  readonly keys: readonly Uint8Array[];
  readonly ranges: readonly { readonly start?: KeyBound; readonly end?: KeyBound }[];
  readonly reversed: boolean;
  readonly limit?: number;
  readonly filter?: Filter;
  /** Rows in a page of an engine; default 3. */
  readonly pageRows?: number;
  /** Requests statistics from servers, which has no effect on the rows. */
  readonly stats?: true;
}

/** How a table is created. */
export interface TableDefinition {
  readonly families: Readonly<Record<string, FamilySchema>>;
  readonly granularity?: 'micros';
  readonly splitKeys?: readonly Uint8Array[];
}

/** A table and the operations on it. */
export interface History extends TableDefinition {
  /**
   * `manual`: runs on engines that collect garbage on request (TestEnvironment.manualGcTargets);
   * default: on engines that hide expired cells.
   */
  readonly gc?: 'manual';
  /**
   * With its own clock that starts at `historyClockStart`; no other history runs at the same time.
   */
  readonly clock?: true;
  readonly operations: readonly Operation[];
}

/** Each row of MutateRows counts as an operation, because it succeeds or fails independently. */
export const operationCount = (operation: Operation): number =>
  operation.kind === 'mutateRows' ? Math.max(1, operation.rows.length) : 1;

/**
 * Timestamps in histories are small, `farFuture`, or -1. The clock of a target gives timestamps
 * from `minClockTimestamp` up to `farFuture`, so they can be distinguished from small ones; they
 * differ from target to target.
 */
export const minClockTimestamp = 1_000_000_000_000_000;
/**
 * A timestamp in the year 2255. A read-modify-write of a cell with this timestamp keeps it: the new
 * timestamp is the greater of the clock and the existing cell.
 */
export const farFuture = 9_000_000_000_000_000;

/**
 * Start of the clock of a history in milliseconds. Its cells are older than `minClockTimestamp`, so
 * that their timestamps are compared.
 */
export const historyClockStart = 500_000_000;

/** The columns that an operation writes with the time of the target (`timestamp` -1). */
export function clockedColumns(operation: Operation): readonly {
  readonly key: Uint8Array;
  readonly family: string;
  readonly qualifier: Uint8Array;
}[] {
  return rowMutationsOf(operation).flatMap(({ key, mutations }) =>
    mutations
      .filter((mutation) => mutation.kind === 'setCell')
      .filter(({ timestamp }) => timestamp === -1)
      .map(({ family, qualifier }) => ({ key, family, qualifier })),
  );
}

function rowMutationsOf(operation: Operation): readonly RowMutation[] {
  switch (operation.kind) {
    case 'mutateRow':
      return [operation];
    case 'mutateRows':
      return operation.rows;
    case 'check':
      return [{ key: operation.key, mutations: [...operation.onTrue, ...operation.onFalse] }];
    default:
      return [];
  }
}

/**
 * One line of JSON, with bytes as `b'...'` and int64 as `5n`. In bytes, what is not printable is
 * written as \xHH, and a long run of a byte as that byte and \*{count}.
 */
export function toText(value: unknown): string {
  return JSON.stringify(value, (_name, inner: unknown) => {
    if (typeof inner === 'bigint') return `${inner}n`;
    if (inner instanceof Uint8Array) return `b'${printable(inner)}'`;
    return inner;
  });
}

/** Parses the output of `toText`. */
export function fromText(text: string): unknown {
  return JSON.parse(text, (_name, inner: unknown) => {
    if (typeof inner !== 'string') return inner;
    if (/^-?\d+n$/.test(inner)) return BigInt(inner.slice(0, -1));
    if (/^b'.*'$/.test(inner)) return parsePrintable(inner.slice(2, -1));
    return inner;
  });
}

// Not for Buffers: toJSON() is called before the replacer. Histories contain Uint8Arrays.
function printable(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0, end = 0; at < bytes.length; at = end) {
    while (bytes[end] === bytes[at]) end++;
    const one = characterOf(bytes[at]);
    text += end - at >= 32 ? `${one}\\*{${end - at}}` : one.repeat(end - at);
  }
  return text;
}

function characterOf(byte: number): string {
  if (byte >= 0x20 && byte < 0x7f && byte !== 0x5c) return String.fromCharCode(byte);
  return `\\x${byte.toString(16).padStart(2, '0')}`;
}

function parsePrintable(text: string): Uint8Array {
  const characters = text.replaceAll(
    /(?:\\x([0-9a-f]{2})|([^\\]))(?:\\\*\{(\d+)\})?/g,
    (_all, hex: string | undefined, plain: string, count = '1') =>
      (hex === undefined ? plain : String.fromCharCode(parseInt(hex, 16))).repeat(Number(count)),
  );
  return new Uint8Array(Buffer.from(characters, 'latin1'));
}

/** A history as lines: the table, then one operation per line. */
export function historyText({ operations, ...table }: History): string {
  return [table, ...operations].map(toText).join('\n');
}

/** Parses the output of `historyText`. */
export function historyFromText(text: string): History {
  const [table, ...operations] = text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map(fromText);
  return { ...(table as Omit<History, 'operations'>), operations: operations as Operation[] };
}
