/**
 * What a history is made of: calls as plain data, as a client says them, and their text, which can
 * be read and replayed.
 */
import type {
  DropTarget,
  FamilyChange,
  FamilySchema,
  Filter,
  Mutation,
  ReadModifyWriteRule,
  RowMutation,
} from '../../src/store/index.js';

/** One end of a range of row keys. */
export interface KeyBound {
  readonly key: Uint8Array;
  readonly open: boolean;
}

/** One call on the table of a history. */
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
  /** Asks for a consistency token and then for what it says, or for what nobody's token says. */
  | {
      readonly kind: 'token';
      readonly bogus?: true;
      /** Which reads it is to hold for: all of one storage see the same. */ readonly mode?:
        'standardReadRemoteWrites' | 'dataBoostReadLocalWrites';
    }
  /** Whether the list of tables has this one. */
  | { readonly kind: 'list' }
  /** Says to a server that calls are to come. */
  | { readonly kind: 'warm' }
  /** The families and the protection as the table has them. */
  | { readonly kind: 'schema' }
  | { readonly kind: 'protect'; readonly on: boolean }
  /** Deletes the table and makes it again. */
  | ({ readonly kind: 'recreate' } & TableOfHistory)
  /** A call on a table that is not there. */
  | { readonly kind: 'nowhere'; readonly call: Operation }
  /** Engine.compact: the garbage of the table is collected, which only the mode `manual` shows. */
  | { readonly kind: 'collect' }
  /** The engine on disk is closed and opened, and its server with it. */
  | { readonly kind: 'reopen' }
  /** The clock of all engines goes on: only where the history has a clock of its own. */
  | { readonly kind: 'wait'; readonly ms: number };

/**
 * A read as the API says it: keys and ranges in any order, overlapping or empty; neither is the
 * whole table.
 */
export interface ReadOperation {
  readonly kind: 'read';
  readonly keys: readonly Uint8Array[];
  readonly ranges: readonly { readonly start?: KeyBound; readonly end?: KeyBound }[];
  readonly reversed: boolean;
  readonly limit?: number;
  readonly filter?: Filter;
  /** Rows in one page of an engine; 3 without. */
  readonly pageRows?: number;
  /** Whether servers are asked for statistics: the rows are the same. */
  readonly stats?: true;
}

/** What a table is made with. */
export interface TableOfHistory {
  readonly families: Readonly<Record<string, FamilySchema>>;
  readonly granularity?: 'micros';
  readonly splitKeys?: readonly Uint8Array[];
}

/** A table, and what is done with it. */
export interface History extends TableOfHistory {
  /**
   * `manual`: on the engines that collect garbage when they are told (World, collected); without:
   * on those that hide it.
   */
  readonly gc?: 'manual';
  /** With a clock that starts at `ownClock`, and no other history beside it. */
  readonly clock?: true;
  readonly operations: readonly Operation[];
}

/**
 * How many operations a call is: each row of a MutateRows is one, because each succeeds or fails on
 * its own.
 */
export const weight = (operation: Operation): number =>
  operation.kind === 'mutateRows' ? Math.max(1, operation.rows.length) : 1;

/**
 * Timestamps of histories are small, `far`, or -1. What a peer's clock gives lies from `clockFrom`
 * to `far`, so that it is told from the others: clocks of several peers never agree.
 */
export const clockFrom = 1_000_000_000_000_000;
/**
 * The year 2255: a read-modify-write of a cell with this timestamp keeps it (data.proto,
 * ReadModifyWriteRule: the greater of clock and cell).
 */
export const far = 9_000_000_000_000_000;

/**
 * First millisecond of a history's own clock: its cells lie below `clockFrom`, so that their
 * timestamps are compared as they are.
 */
export const ownClock = 500_000_000;

/** The columns that an operation writes under the peer's clock where `timestamp` is -1. */
export function clockedColumns(operation: Operation): readonly {
  readonly key: Uint8Array;
  readonly family: string;
  readonly qualifier: Uint8Array;
}[] {
  const rows: readonly RowMutation[] =
    operation.kind === 'mutateRow'
      ? [operation]
      : operation.kind === 'mutateRows'
        ? operation.rows
        : operation.kind === 'check'
          ? [{ key: operation.key, mutations: [...operation.onTrue, ...operation.onFalse] }]
          : [];
  return rows.flatMap(({ key, mutations }) =>
    mutations.flatMap((one) =>
      one.kind === 'setCell' && one.timestamp === -1
        ? [{ key, family: one.family, qualifier: one.qualifier }]
        : [],
    ),
  );
}

/**
 * One line of text; bytes as `b'...'` with what is not printable as \xHH and a long run of a byte
 * as that byte and \*{count}, int64 as `5n`.
 */
export function textOf(value: unknown): string {
  return JSON.stringify(value, (_name, inner: unknown) => {
    if (typeof inner === 'bigint') return `${inner}n`;
    return inner instanceof Uint8Array ? `b'${printable(inner)}'` : inner;
  });
}

/** Reads what `textOf` wrote. */
export function fromText(text: string): unknown {
  return JSON.parse(text, (_name, inner: unknown) => {
    if (typeof inner !== 'string') return inner;
    if (/^-?\d+n$/.test(inner)) return BigInt(inner.slice(0, -1));
    return /^b'.*'$/.test(inner) ? unprinted(inner.slice(2, -1)) : inner;
  });
}

// A Buffer says itself in JSON before a replacer sees it, so histories hold plain Uint8Arrays.
function printable(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0, end = 0; at < bytes.length; at = end) {
    while (bytes[end] === bytes[at]) end++;
    const one = characterOf(bytes[at]);
    text += end - at >= 32 ? `${one}\\*{${end - at}}` : one.repeat(end - at);
  }
  return text;
}

const characterOf = (byte: number): string =>
  byte >= 0x20 && byte < 0x7f && byte !== 0x5c
    ? String.fromCharCode(byte)
    : `\\x${byte.toString(16).padStart(2, '0')}`;

function unprinted(text: string): Uint8Array {
  const characters = text.replaceAll(
    /(?:\\x([0-9a-f]{2})|([^\\]))(?:\\\*\{(\d+)\})?/g,
    (_all, hex: string | undefined, plain: string, count = '1') =>
      (hex === undefined ? plain : String.fromCharCode(parseInt(hex, 16))).repeat(Number(count)),
  );
  return new Uint8Array(Buffer.from(characters, 'latin1'));
}

/** A history as lines: the table, then an operation a line. */
export function historyText({ operations, ...table }: History): string {
  return [table, ...operations].map(textOf).join('\n');
}

/** The history of such lines. */
export function historyFromText(text: string): History {
  const [table, ...operations] = text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map(fromText);
  return { ...(table as Omit<History, 'operations'>), operations: operations as Operation[] };
}
