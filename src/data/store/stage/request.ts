/** Calls of an engine as plain data, so that one function can stand around all of a kind. */
import type { CompactionOptions, DropTarget, Engine } from '../engine.js';
import type { CheckAndMutate, ReadModifyWriteRule, RowMutation } from '../mutation.js';
import type { ReadOptions, ReadPlan } from '../read-plan.js';
import type { RowStream } from '../row-cursor.js';
import type { FamilyChange, TableSchema, TableUpdate } from '../schema.js';

interface CallOptions {
  readonly signal?: AbortSignal;
}

/** A read of rows. */
export interface ReadRequest {
  readonly kind: 'readRows';
  readonly plan: ReadPlan;
  readonly options: ReadOptions | undefined;
}

/** A request that changes rows of a table. */
export type WriteRequest =
  | { readonly kind: 'mutateRow'; readonly table: string; readonly row: RowMutation }
  | {
      readonly kind: 'mutateRows';
      readonly table: string;
      readonly rows: readonly RowMutation[];
      readonly options: CallOptions | undefined;
    }
  | {
      readonly kind: 'checkAndMutateRow';
      readonly table: string;
      readonly check: CheckAndMutate;
      readonly options: CallOptions | undefined;
    }
  | {
      readonly kind: 'readModifyWriteRow';
      readonly table: string;
      readonly key: Uint8Array;
      readonly rules: readonly ReadModifyWriteRule[];
    }
  | { readonly kind: 'dropRowRange'; readonly table: string; readonly target: DropTarget };

/** Any other request: about tables, or the engine itself. */
export type AdminRequest =
  | { readonly kind: 'sampleRowKeys'; readonly table: string }
  | { readonly kind: 'listTables' }
  | { readonly kind: 'createTable'; readonly schema: TableSchema }
  | { readonly kind: 'deleteTable'; readonly table: string }
  | {
      readonly kind: 'modifyFamilies';
      readonly table: string;
      readonly changes: readonly FamilyChange[];
    }
  | { readonly kind: 'updateTable'; readonly table: string; readonly update: TableUpdate }
  | { readonly kind: 'generateConsistencyToken'; readonly table: string }
  | { readonly kind: 'checkConsistency'; readonly table: string; readonly token: string }
  | {
      readonly kind: 'compact';
      /** Undefined for all tables. */
      readonly table: string | undefined;
      readonly options: CompactionOptions | undefined;
    }
  | { readonly kind: 'close' };

/** What the engine's method of this name resolves to. */
export type ResultOf<R extends WriteRequest | AdminRequest> = Awaited<
  ReturnType<Engine[R['kind']]>
>;

/** Passes a read on. */
export type SendRead = (request: ReadRequest) => RowStream;
/** Passes a write on. */
export type SendWrite = <R extends WriteRequest>(request: R) => Promise<ResultOf<R>>;
/** Passes any other request on. */
export type SendAdmin = <R extends AdminRequest>(request: R) => Promise<ResultOf<R>>;
