/** What the handlers of requests work with. */
import type { Engine, TableSchema } from '../../data/store/index.js';
import type { EntityModel } from '../../entities/model/index.js';
import type { Database, DeclaredSchema } from '../../entities/repository/index.js';
import type { LintOptions } from '../lint/index.js';
import type { Workload } from '../simulate/index.js';
import type { KeySpaces } from './state/key-spaces.js';
import type { Session } from './protocol/session.js';
import type { Transfers } from './state/transfers.js';

/** The database of a studio, and what is declared for it. */
export interface StudioContext {
  readonly db: Database;
  /** Entities, and their views. */
  readonly models: readonly EntityModel[];
  readonly session: Session;
  readonly lint: LintOptions | undefined;
  readonly declared: DeclaredSchema;
  /** A file with a recording of accesses; absolute. */
  readonly recording: string | undefined;
  /** Workloads with their names. */
  readonly workloads: readonly { readonly name: string; readonly workload: Workload }[];
  readonly keySpaces: KeySpaces;
  readonly transfers: Transfers;
  /** Opens an engine that shows cells that are due, for `gc`. Undefined: the database shows all. */
  readonly openUncollected: (() => Promise<Engine>) | undefined;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** A call, as its handler gets it. */
export interface CallOf<Fields> {
  readonly context: StudioContext;
  readonly request: Fields;
  /** Aborted when the page has gone. */
  readonly signal: AbortSignal;
}

/** Tables by name. */
export type StoredTables = ReadonlyMap<string, TableSchema>;
