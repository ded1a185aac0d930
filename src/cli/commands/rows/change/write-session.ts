/** The database that a row is written to. */
import { type Database, open } from '../../../../entities/repository/index.js';
import type { CommandContext } from '../../../command.js';
import { checkStored, isMissing, noteMissing, patience, storedUrl } from '../../database.js';
import { assertReachable } from '../../reachable.js';
import type { Assignments, JsonValues } from './assignments.js';
import type { Project } from '../../../project/load-project.js';
import type { EntityModel } from '../../../../entities/model/index.js';
import type { Consent } from './confirm.js';

/** A write of one row, as it was given. */
export interface RowWrite extends Assignments {
  readonly project: Project;
  readonly model: EntityModel;
  readonly url: string | undefined;
  readonly consent: Consent;
  readonly key: Readonly<Record<string, unknown>>;
  /** The values that are not segments. */
  readonly columns: JsonValues;
}

/**
 * A database that is read before a row is written to it. As long as its directory does not exist,
 * it is read as an empty one: it is created by the write, and not before somebody has agreed.
 */
export class WriteSession implements AsyncDisposable {
  /** The database as it is now. */
  readonly db: Database;
  /** Undefined if `db` is to be written to. */
  readonly #create: (() => Promise<Database>) | undefined;
  #created: Database | undefined;

  private constructor(db: Database, create: (() => Promise<Database>) | undefined) {
    this.db = db;
    this.#create = create;
  }

  /**
   * Opens the database of `--url` or the config. Throws FILE_FAILED if it does not exist, unless
   * the write may create it.
   */
  static async open(
    { project, url, consent: { dryRun } }: RowWrite,
    { folder, terminal, name }: CommandContext,
    creates: boolean,
  ): Promise<WriteSession> {
    const { entities } = project;
    const target = storedUrl(project, url, folder);
    if (!creates) checkStored(target);
    const create = (readOnly: boolean): Promise<Database> =>
      open(target, { entities, readOnly, lint: false, bigtable: patience });
    await assertReachable(target);
    if (!isMissing(target)) return new WriteSession(await create(dryRun), undefined);
    noteMissing(terminal, target, name);
    const empty = await open('memory:', { entities, lint: false });
    return new WriteSession(empty, () => create(false));
  }

  /**
   * Writes to the database. One that does not exist is created once the same write has succeeded in
   * an empty one: `run` is then called twice, and a row that is rejected leaves nothing behind.
   */
  async write(run: (db: Database) => Promise<unknown>): Promise<void> {
    await run(this.db);
    if (this.#create === undefined) return;
    this.#created = await this.#create();
    await run(this.#created);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#created?.close();
    await this.db.close();
  }
}
