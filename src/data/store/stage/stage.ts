/** Stages that requests pass on their way to an engine: the one way to wrap an engine. */
import type { RowsmithError } from '../../../base/index.js';
import type { Compaction, CompactionOptions, DropTarget, Engine, SampledKey } from '../engine.js';
import type { CheckAndMutate, ReadModifyWriteRule, RowMutation } from '../mutation.js';
import type { ReadOptions, ReadPlan } from '../read-plan.js';
import type {
  AdminRequest,
  ReadRequest,
  ResultOf,
  SendAdmin,
  SendRead,
  SendWrite,
  WriteRequest,
} from './request.js';
import type { Row } from '../row.js';
import type { RowStream } from '../row-cursor.js';
import type { FamilyChange, TableSchema, TableUpdate } from '../schema.js';

/**
 * Functions around requests, each for one kind: they look at the request, change it or answer it
 * themselves, and pass it on with `send`. Requests of a kind without a function pass untouched. The
 * functions fail as the methods of an engine do: with a stream that rejects, or by rejecting.
 */
export interface Stage {
  read?(request: ReadRequest, send: SendRead): RowStream;
  write?(request: WriteRequest, send: SendWrite): Promise<ResultOf<WriteRequest>>;
  admin?(request: AdminRequest, send: SendAdmin): Promise<ResultOf<AdminRequest>>;
}

/**
 * An engine with these stages, the first one first. Returns the engine itself if there
 * are none: then nothing stands between a caller and its engine.
 */
export function withStages(engine: Engine, stages: readonly (Stage | undefined)[]): Engine {
  const given = stages.filter((stage) => stage !== undefined);
  if (given.length === 0) return engine;
  return StagedEngine.of(engine, given);
}

class StagedEngine implements Engine {
  readonly #engine: Engine;
  readonly #stages: readonly Stage[];
  readonly #read: SendRead;
  readonly #write: SendWrite;
  readonly #admin: SendAdmin;

  /**
   * Stages before the stages of an engine join its list: a request is made and taken apart once.
   */
  static of(engine: Engine, stages: readonly Stage[]): StagedEngine {
    // Not instanceof, which holds for a Proxy of such an engine as well.
    if (!(#stages in engine)) return new StagedEngine(engine, stages);
    return new StagedEngine(engine.#engine, [...stages, ...engine.#stages]);
  }

  constructor(engine: Engine, stages: readonly Stage[]) {
    this.#engine = engine;
    this.#stages = stages;
    this.#read = through(
      stages.map((stage) => stage.read?.bind(stage)),
      readSender(engine),
    );
    this.#write = through(
      stages.map((stage) => stage.write?.bind(stage)),
      writeSender(engine),
    );
    this.#admin = through(
      stages.map((stage) => stage.admin?.bind(stage)),
      adminSender(engine),
    );
  }

  get name(): string {
    return this.#engine.name;
  }

  get skipsRows(): boolean {
    return this.#engine.skipsRows === true;
  }

  get totalTimeoutMs(): number | undefined {
    return this.#engine.totalTimeoutMs;
  }

  get appliesOnce(): boolean {
    return this.#engine.appliesOnce === true;
  }

  readRows(plan: ReadPlan, options?: ReadOptions): RowStream {
    return this.#read({ kind: 'readRows', plan, options });
  }

  mutateRow(table: string, row: RowMutation): Promise<void> {
    return this.#write({ kind: 'mutateRow', table, row });
  }

  mutateRows(
    table: string,
    rows: readonly RowMutation[],
    options?: { readonly signal?: AbortSignal },
  ): Promise<readonly (RowsmithError | undefined)[]> {
    return this.#write({ kind: 'mutateRows', table, rows, options });
  }

  checkAndMutateRow(
    table: string,
    check: CheckAndMutate,
    options?: { readonly signal?: AbortSignal },
  ): Promise<boolean> {
    return this.#write({ kind: 'checkAndMutateRow', table, check, options });
  }

  readModifyWriteRow(
    table: string,
    key: Uint8Array,
    rules: readonly ReadModifyWriteRule[],
  ): Promise<Row> {
    return this.#write({ kind: 'readModifyWriteRow', table, key, rules });
  }

  dropRowRange(table: string, target: DropTarget): Promise<void> {
    return this.#write({ kind: 'dropRowRange', table, target });
  }

  sampleRowKeys(table: string): Promise<readonly SampledKey[]> {
    return this.#admin({ kind: 'sampleRowKeys', table });
  }

  listTables(): Promise<readonly TableSchema[]> {
    return this.#admin({ kind: 'listTables' });
  }

  createTable(schema: TableSchema): Promise<void> {
    return this.#admin({ kind: 'createTable', schema });
  }

  deleteTable(table: string): Promise<void> {
    return this.#admin({ kind: 'deleteTable', table });
  }

  modifyFamilies(table: string, changes: readonly FamilyChange[]): Promise<TableSchema> {
    return this.#admin({ kind: 'modifyFamilies', table, changes });
  }

  updateTable(table: string, update: TableUpdate): Promise<TableSchema> {
    return this.#admin({ kind: 'updateTable', table, update });
  }

  generateConsistencyToken(table: string): Promise<string> {
    return this.#admin({ kind: 'generateConsistencyToken', table });
  }

  checkConsistency(table: string, token: string): Promise<boolean> {
    return this.#admin({ kind: 'checkConsistency', table, token });
  }

  compact(table?: string, options?: CompactionOptions): Promise<Compaction> {
    return this.#admin({ kind: 'compact', table, options });
  }

  close(): Promise<void> {
    return this.#admin({ kind: 'close' });
  }
}

/** Joins the functions of stages: the first one is called first, and `last` by the last one. */
function through<Send extends (request: never) => unknown>(
  steps: readonly (((request: Parameters<Send>[0], send: Send) => ReturnType<Send>) | undefined)[],
  last: Send,
): Send {
  return steps.reduceRight<Send>((send, step) => {
    if (step === undefined) return send;
    return ((request: Parameters<Send>[0]) => step(request, send)) as Send;
  }, last);
}

/** Calls an engine's method for reads. */
function readSender(engine: Engine): SendRead {
  return ({ plan, options }) => engine.readRows(plan, options);
}

/** Calls the method of an engine that a write names. */
function writeSender(engine: Engine): SendWrite {
  const send = (request: WriteRequest): Promise<ResultOf<WriteRequest>> => {
    switch (request.kind) {
      case 'mutateRow':
        return engine.mutateRow(request.table, request.row);
      case 'mutateRows':
        return engine.mutateRows(request.table, request.rows, request.options);
      case 'checkAndMutateRow':
        return engine.checkAndMutateRow(request.table, request.check, request.options);
      case 'readModifyWriteRow':
        return engine.readModifyWriteRow(request.table, request.key, request.rules);
      case 'dropRowRange':
        return engine.dropRowRange(request.table, request.target);
    }
  };
  return send as SendWrite;
}

/** Calls the method of an engine that any other request names. */
function adminSender(engine: Engine): SendAdmin {
  const send = (request: AdminRequest): Promise<ResultOf<AdminRequest>> => {
    switch (request.kind) {
      case 'sampleRowKeys':
        return engine.sampleRowKeys(request.table);
      case 'listTables':
        return engine.listTables();
      case 'createTable':
        return engine.createTable(request.schema);
      case 'deleteTable':
        return engine.deleteTable(request.table);
      case 'modifyFamilies':
        return engine.modifyFamilies(request.table, request.changes);
      case 'updateTable':
        return engine.updateTable(request.table, request.update);
      case 'generateConsistencyToken':
        return engine.generateConsistencyToken(request.table);
      case 'checkConsistency':
        return engine.checkConsistency(request.table, request.token);
      case 'compact':
        return engine.compact(request.table, request.options);
      case 'close':
        return engine.close();
    }
  };
  return send as SendAdmin;
}
