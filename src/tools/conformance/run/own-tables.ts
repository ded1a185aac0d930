/**
 * The tables of a run on a service. Cases know one table, `t`: each request gets a name that begins
 * with the prefix of the run, so that no case can reach another table of the instance.
 */
import { everyKey, RowsmithError } from '../../../base/index.js';
import {
  collectRows,
  type AdminRequest,
  type Engine,
  type FamilyChange,
  type ResultOf,
  type SendAdmin,
  type Stage,
  type TableSchema,
  type WriteRequest,
} from '../../../data/store/index.js';
import { caseTable } from '../rows.js';

/** How long a service may take until reads know a new table or family, in milliseconds. */
const maxSettleMs = 60_000;
const settlePollMs = 500;

/** Codes after which a table may exist although its creation has failed. */
const unknownOutcomes: readonly string[] = ['UNAVAILABLE', 'STORAGE_FAILED'];

/** Names the tables of a run, and knows which of them exist. */
export class OwnTables {
  readonly #prefix: string;
  readonly #existing = new Set<string>();
  #count = 0;

  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  /** The stored name of the table of cases. */
  get current(): string {
    return `${this.#prefix}-${this.#count}`;
  }

  /** Stored names of the tables that exist, or may exist. */
  get existing(): readonly string[] {
    return [...this.#existing];
  }

  /** From now on, the table of cases is another one, which does not exist yet. */
  startNext(): void {
    this.#count++;
  }

  /** Drops a table by its stored name. */
  async drop(engine: Engine, stored: string): Promise<void> {
    try {
      await engine.deleteTable(stored);
    } catch (error) {
      if (codeOf(error) !== 'TABLE_NOT_FOUND') throw error;
    }
    this.#existing.delete(stored);
  }

  /** The stage that renames the tables of requests to this engine. */
  stage(engine: Engine): Stage {
    return {
      read: ({ plan, ...request }, send) =>
        send({ ...request, plan: { ...plan, table: this.#stored(plan.table) } }),
      write: (request, send) => send(this.#renamed(request)),
      admin: (request, send) => this.#admin(engine, request, send),
    };
  }

  /** Invalid names stay invalid, in case that the service accepts them. */
  #stored(name: string): string {
    if (name === caseTable) return this.current;
    return name.replace(/^(-?)(?=.)/s, `$1${this.#prefix}-`);
  }

  #renamed<R extends WriteRequest | Extract<AdminRequest, { readonly table: string }>>(
    request: R,
  ): R {
    return { ...request, table: this.#stored(request.table) };
  }

  async #admin(
    engine: Engine,
    request: AdminRequest,
    send: SendAdmin,
  ): Promise<ResultOf<AdminRequest>> {
    switch (request.kind) {
      case 'createTable':
        return this.#create(engine, request.schema, send);
      case 'listTables':
        return this.#ownSchemas(await send(request));
      case 'deleteTable': {
        const renamed = this.#renamed(request);
        await send(renamed);
        this.#existing.delete(renamed.table);
        return;
      }
      case 'modifyFamilies': {
        const renamed = this.#renamed(request);
        const schema = await send(renamed);
        await untilReadable(engine, renamed.table, createdFamilies(request.changes));
        return { ...schema, name: request.table };
      }
      case 'compact':
      case 'close':
        return send(request);
      default:
        return send(this.#renamed(request));
    }
  }

  async #create(engine: Engine, schema: TableSchema, send: SendAdmin): Promise<void> {
    const name = this.#stored(schema.name);
    try {
      await send({ kind: 'createTable', schema: { ...schema, name } });
    } catch (error) {
      if (unknownOutcomes.includes(codeOf(error) ?? '')) this.#existing.add(name);
      throw error;
    }
    this.#existing.add(name);
    await untilReadable(engine, name, [...schema.families.keys()]);
  }

  /** The table of cases, of all tables of the instance. */
  #ownSchemas(schemas: readonly TableSchema[]): readonly TableSchema[] {
    return schemas
      .filter(({ name }) => name === this.current)
      .map((schema) => ({ ...schema, name: caseTable }));
  }
}

function createdFamilies(changes: readonly FamilyChange[]): readonly string[] {
  return changes.filter(({ kind }) => kind === 'create').map(({ family }) => family);
}

/** Waits until a read knows these families: changes of tables take a while to reach all servers. */
async function untilReadable(
  engine: Engine,
  stored: string,
  families: readonly string[],
): Promise<void> {
  if (families.length === 0) return;
  const plan = { table: stored, ranges: [everyKey], reversed: false, limit: 1 };
  const end = Date.now() + maxSettleMs;
  for (;;) {
    try {
      await collectRows(engine.readRows({ ...plan, filter: { kind: 'families', families } }));
      return;
    } catch (error) {
      const isUnsettled = ['TABLE_NOT_FOUND', 'FAMILY_NOT_FOUND'].includes(codeOf(error) ?? '');
      if (!isUnsettled || Date.now() > end) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, settlePollMs));
  }
}

function codeOf(error: unknown): string | undefined {
  return error instanceof RowsmithError ? error.code : undefined;
}
