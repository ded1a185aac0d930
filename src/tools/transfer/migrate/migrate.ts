/** Runs a migration: copies rows, compares them, and deletes the old ones if requested. */
import { migrationFaults } from './migration-faults.js';
import {
  checkOptions,
  fromHex,
  invalidArgument,
  type KeyRange,
  printable,
  rangesAfter,
  RowsmithError,
  toHex,
  unionRanges,
} from '../../../base/index.js';
import { checkEngine, checkGiven } from '../check-arguments.js';
import { withDerivedWrites } from '../../../entities/derived/index.js';
import { buildModel, type EntityModel } from '../../../entities/model/index.js';
import { fullScan, rangesOf } from '../../../entities/query/index.js';
import {
  copyRow,
  type Engine,
  type Mutation,
  type Row,
  type RowCursor,
  type RowMutation,
} from '../../../data/store/index.js';
import { ScanProgress } from '../scan-progress.js';
import {
  countersOf,
  type ExpectedCounter,
  type GuardedRow,
  sumsOf,
  writeGuarded,
} from './counter-guard.js';
import { collisionError, type KeyCollisions, KeyDigests, noCollisions } from './key-collisions.js';
import type { MigrateOptions, MigrationResult, MovedKeys } from './migrate-options.js';
import type { Migration } from './migration.js';
import { type MigrationPhase, MigrationState } from './migration-state.js';
import { isInPlace, type MovedRow, moveMutations } from './moved-row.js';
import { RereadRows } from './reread-rows.js';
import { deletionsOf, rowDifferences } from './row-comparison.js';
import { rebuildRollups, withoutRollups, withOwnRollups } from './rebuild-rollups.js';
import { type RowMover, rowMover } from './row-mover.js';

/** Handles the rows of one batch. */
type RowsHandler = (rows: readonly MovedRow[]) => Promise<void>;

const batchRows = 1_024;
const maxSamples = 5;

const migrateOptions: readonly (keyof MigrateOptions)[] = [
  'dryRun',
  'state',
  'rowsPerSecond',
  'verify',
  'deleteOld',
  'replaceCounters',
  'onProgress',
  'signal',
];

/**
 * Moves the rows of `from` to `to` in one database; the tables must exist. If it is killed and
 * started again with the same state file, it is resumed and ends with the same rows: cells keep
 * their timestamps, so copying one again changes nothing. Before anything is written, it rejects
 * with FAILED_PRECONDITION if several old rows become one new row, or if new rows in the same table
 * could be read as old ones; so does a dry run if new rows could be read as old ones. The
 * comparison finds what was written to old rows meanwhile. Rejects with FAILED_PRECONDITION if it
 * finds a difference; then nothing is deleted.
 */
export async function migrate<Old extends object, New extends object>(
  engine: Engine,
  migration: Migration<Old, New>,
  options: MigrateOptions = {},
): Promise<MigrationResult> {
  checkEngine('migrate()', engine);
  checkGiven('migration', migration, 'write { from: OldEntity, to: NewEntity }');
  checkOptions('migrate()', options, migrateOptions);
  // Built separately: in one database, two entities with the same rows are a fault.
  const [from, to] = [buildModel(migration.from), buildModel(migration.to)];
  if (migration.map === undefined || to.expiresAt === undefined) assertOwnTimes(from, to);
  const mover = rowMover(from, to, migration as unknown as Migration);
  return new MigrationRun(engine, mover, options).run();
}

/** Cells keep their timestamps, which say when a row expires where an entity declares it. */
function assertOwnTimes(from: EntityModel, to: EntityModel): void {
  const model = [from, to].find(({ expiresAt }) => expiresAt !== undefined);
  if (model === undefined || from.expiresAt?.age === to.expiresAt?.age) return;
  throw new RowsmithError('UNSUPPORTED', {
    entity: model.name,
    property: model.expiresAt!.property,
    ...migrationFaults.otherExpiry(from.name, to.name),
  });
}

class MigrationRun {
  readonly #engine: Engine;
  readonly #mover: RowMover;
  /** Keep the indexes of the new and of the old entity. */
  readonly #newRows: Engine;
  readonly #oldRows: Engine;
  readonly #options: MigrateOptions;
  readonly #state: MigrationState;
  readonly #samples: MovedKeys[] = [];
  readonly #started = performance.now();
  /** Rows of this run, for `rowsPerSecond`. */
  #paced = 0;
  /** Rows read by the current check of the keys. */
  #checked = 0;

  constructor(engine: Engine, mover: RowMover, options: MigrateOptions) {
    this.#engine = engine;
    this.#mover = mover;
    this.#newRows = withDerivedWrites(engine, withoutRollups(mover.to), { keepsTimes: true });
    const old = withOwnRollups(mover.from, mover.to);
    this.#oldRows = withDerivedWrites(engine, old, { keepsTimes: true });
    this.#options = options;
    const { rowsPerSecond, dryRun = false, state } = options;
    if (rowsPerSecond !== undefined && !(rowsPerSecond > 0))
      throw invalidArgument('rowsPerSecond', migrationFaults.wrongRate(rowsPerSecond));
    this.#state = new MigrationState(dryRun ? undefined : state, mover.from, mover.to);
  }

  async run(): Promise<MigrationResult> {
    const { dryRun = false, verify = true, deleteOld = false } = this.#options;
    if (deleteOld && !verify)
      throw invalidArgument('deleteOld', migrationFaults.deleteWithoutVerify);
    const collisions = await this.#checkKeys(dryRun);
    if (this.#state.phase === 'copy')
      await this.#phase('copy', async (rows) => {
        if (!dryRun) await this.#copy(rows);
      });
    if (!dryRun && verify) {
      if (this.#state.phase === 'copy') this.#state.begin('verify');
      if (this.#state.phase === 'verify') await this.#phase('verify', (rows) => this.#verify(rows));
    }
    if (!dryRun) await rebuildRollups(this.#engine, this.#mover.to, this.#options.signal);
    if (!dryRun && verify && deleteOld) {
      await this.#deleteAll();
    }
    this.#state.remove();
    return {
      ...this.#state.counts,
      samples: this.#samples,
      collidingRows: collisions.rows,
      collisions: collisions.examples,
    };
  }

  /** Checks the new keys before anything is written: a resumed migration has been checked. */
  async #checkKeys(dryRun: boolean): Promise<KeyCollisions> {
    if (this.#state.phase !== 'copy' || this.#state.last !== undefined) return noCollisions;
    const consequence = 'nothing was written';
    const collisions = await this.#findCollisions(consequence);
    if (collisions.rows === 0 || dryRun) return collisions;
    throw collisionError(this.#mover, collisions, consequence);
  }

  async #findCollisions(consequence: string): Promise<KeyCollisions> {
    if (this.#mover.injective) return noCollisions;
    const digests = new KeyDigests();
    const reread = this.#rereadRows();
    await this.#phase('check', async (rows) => {
      reread.look(rows);
      for (const { to } of rows) if (to !== undefined) digests.add(to);
    });
    reread.assertNone(consequence);
    const repeated = digests.repeated();
    if (repeated.isEmpty) return noCollisions;
    await this.#phase('check', async (rows) => repeated.look(rows));
    return repeated.collisions();
  }

  async #deleteAll(): Promise<void> {
    const { undeclaredCells } = this.#state.counts;
    if (undeclaredCells > 0) {
      const { name } = this.#mover.from;
      const problem =
        `${undeclaredCells} cells of the old rows were not copied, ` +
        `because ${name} does not declare them or the migration drops them`;
      throw new RowsmithError('FAILED_PRECONDITION', {
        entity: name,
        ...migrationFaults.undeclaredCells(problem),
      });
    }
    if (this.#state.phase === 'verify') this.#state.begin('delete');
    await this.#phase('delete', (rows) => this.#delete(rows));
  }

  /** Reads the old rows after the stored position and passes them on in batches. */
  async #phase(phase: MigrationPhase, handle: RowsHandler): Promise<void> {
    const { onProgress, signal } = this.#options;
    const table = this.#mover.from.table.name;
    this.#checked = 0;
    const last = phase === 'check' ? undefined : this.#state.last;
    const ranges = this.#rangesAfter(last);
    if (ranges.length === 0) return;
    const progress = new ScanProgress(this.#engine, table, ranges, { resumed: last !== undefined });
    const earlier = this.#rowsOf(phase);
    let readBytes = 0;
    onProgress?.({ phase, rows: earlier, fromEarlierRuns: earlier, fraction: undefined });
    const stream = this.#engine.readRows(
      { table, ranges, reversed: false },
      { signal, pageRows: batchRows },
    );
    try {
      for (let page = await stream.next(); page !== undefined; page = await stream.next()) {
        for (const batch of batchesOf(page)) {
          await this.#batch(phase, batch, handle);
          readBytes += valueBytes(batch);
          let share: number | undefined = this.#fractionOf(phase);
          if (phase === 'copy' || phase === 'check')
            share = progress.fractionAt(batch[batch.length - 1].key, readBytes);
          onProgress?.({
            phase,
            rows: this.#rowsOf(phase),
            fromEarlierRuns: earlier,
            fraction: share,
          });
          signal?.throwIfAborted();
        }
      }
    } finally {
      await stream.close();
    }
  }

  #rangesAfter(last: string | undefined): readonly KeyRange[] {
    const ranges = unionRanges(rangesOf(this.#mover.from, fullScan).perShard.flat());
    if (last === undefined) return ranges;
    return rangesAfter(ranges, fromHex(last)!, false);
  }

  async #batch(phase: MigrationPhase, rows: readonly Row[], handle: RowsHandler): Promise<void> {
    const moved = rows.flatMap((row) => this.#mover.move(row) ?? []);
    if (phase !== 'check') this.#assertNotReread(moved);
    if (moved.length > 0) await handle(moved);
    this.#count(phase, moved);
    if (phase !== 'check') this.#state.advanceTo(toHex(rows[rows.length - 1].key));
    await this.#pace(moved.length);
  }

  /** Rows written since the check are looked at before they are moved. */
  #assertNotReread(moved: readonly MovedRow[]): void {
    const reread = this.#rereadRows();
    reread.look(moved);
    reread.assertNone('these rows were not moved');
  }

  #rereadRows(): RereadRows {
    return new RereadRows(this.#mover);
  }

  #rowsOf(phase: MigrationPhase): number {
    const { rows, verified, deleted } = this.#state.counts;
    return { check: this.#checked, copy: rows, verify: verified, delete: deleted }[phase];
  }

  #fractionOf(phase: MigrationPhase): number {
    return Math.min(1, this.#rowsOf(phase) / Math.max(1, this.#state.counts.rows));
  }

  #count(phase: MigrationPhase, moved: readonly MovedRow[]): void {
    if (phase === 'check') this.#checked += moved.length;
    if (phase === 'verify') this.#state.add({ verified: moved.length });
    if (phase === 'delete') this.#state.add({ deleted: moved.length });
    if (phase !== 'copy') return;
    for (const { source, to } of moved.slice(0, maxSamples - this.#samples.length))
      this.#samples.push({ from: printable(source.key), to: keyText(to) });
    const leftOut = moved.filter(({ to }) => to === undefined).length;
    const copied = moved.length - leftOut;
    this.#state.add({
      rows: moved.length,
      copied: this.#options.dryRun === true ? 0 : copied,
      leftOut,
      undeclaredCells: moved.reduce((sum, { undeclared }) => sum + undeclared, 0),
    });
  }

  async #pace(rows: number): Promise<void> {
    const { rowsPerSecond } = this.#options;
    if (rowsPerSecond === undefined) return;
    this.#paced += rows;
    const ahead = (this.#paced / rowsPerSecond) * 1000 - (performance.now() - this.#started);
    if (ahead > 1) await new Promise((resolve) => setTimeout(resolve, ahead));
  }

  async #copy(rows: readonly MovedRow[]): Promise<void> {
    const { to: model } = this.#mover;
    const replaceCounters = this.#options.replaceCounters === true;
    const writes = rows.flatMap((row) => {
      if (row.to === undefined) return [];
      return guarded(row.to, moveMutations(row), replaceCounters ? [] : sumsOf(row.cells));
    });
    const [conflict] = await this.#write(this.#newRows, model.table.name, writes);
    if (conflict === undefined) return;
    throw new RowsmithError('FAILED_PRECONDITION', {
      entity: model.name,
      ...migrationFaults.differentCounter(conflict.key),
      keyHex: toHex(conflict.key),
    });
  }

  /** Returns the rows that were not written because of a counter. */
  async #write(
    engine: Engine,
    table: string,
    rows: readonly GuardedRow[],
  ): Promise<readonly RowMutation[]> {
    const withCounters = rows.filter(({ counters }) => counters.length > 0);
    const plain = rows.filter(({ counters }) => counters.length === 0);
    const conflicting = await writeGuarded(engine, table, withCounters);
    if (plain.length > 0) await this.#writePlain(engine, table, plain);
    return conflicting;
  }

  async #writePlain(engine: Engine, table: string, rows: readonly RowMutation[]): Promise<void> {
    const { signal } = this.#options;
    const results = await engine.mutateRows(table, rows, { signal });
    const failed = results.find((error) => error !== undefined);
    if (failed !== undefined) throw failed;
  }

  async #verify(rows: readonly MovedRow[]): Promise<void> {
    const [first] = await rowDifferences(this.#engine, rows, this.#mover);
    if (first === undefined) return;
    this.#state.begin('copy');
    const { row, problem, fix } = first;
    const key = printable(row.to!);
    // Rows written since the check can collide, too.
    const consequence = 'no old row was deleted by this run';
    const collisions = await this.#findCollisions(consequence);
    if (collisions.rows > 0) throw collisionError(this.#mover, collisions, consequence);
    throw new RowsmithError('FAILED_PRECONDITION', {
      entity: this.#mover.to.name,
      ...migrationFaults.changedRow(row.source.key, key, problem, fix),
      key,
      keyHex: toHex(row.to!),
    });
  }

  /** Compares the rows once more and deletes only the cells that were copied, not later ones. */
  async #delete(rows: readonly MovedRow[]): Promise<void> {
    await this.#verify(rows);
    const { from: model, to } = this.#mover;
    const isNew = ({ source, to: key }: MovedRow): boolean =>
      key !== undefined && isInPlace(model, to, source.key, key);
    const deletions = (each: readonly MovedRow[]): readonly GuardedRow[] =>
      each.flatMap((row) =>
        guarded(row.source.key, deletionsOf(row, this.#mover), countersOf(row, this.#mover)),
      );
    const { name } = model.table;
    // A row that stays has the entries of the new entity.
    const [conflict] = [
      ...(await this.#write(this.#newRows, name, deletions(rows.filter(isNew)))),
      ...(await this.#write(this.#oldRows, name, deletions(rows.filter((row) => !isNew(row))))),
    ];
    if (conflict === undefined) return;
    this.#state.begin('copy');
    throw new RowsmithError('FAILED_PRECONDITION', {
      entity: model.name,
      ...migrationFaults.changedCounter(conflict.key),
      keyHex: toHex(conflict.key),
    });
  }
}

function keyText(key: Uint8Array | undefined): string | undefined {
  if (key === undefined) return undefined;
  return printable(key);
}

/** A guarded write, or none without mutations. */
function guarded(
  key: Uint8Array,
  mutations: readonly Mutation[],
  counters: readonly ExpectedCounter[],
): GuardedRow[] {
  if (mutations.length === 0) return [];
  return [{ key, mutations, counters }];
}

/** The rows of a page: engines may return larger pages than requested. */
function batchesOf(page: RowCursor): readonly (readonly Row[])[] {
  const rows: Row[] = [];
  while (page.nextRow()) rows.push(copyRow(page));
  const batches: (readonly Row[])[] = [];
  for (let i = 0; i < rows.length; i += batchRows) batches.push(rows.slice(i, i + batchRows));
  return batches;
}

const valueBytes = (rows: readonly Row[]): number =>
  rows.flatMap(({ cells }) => cells).reduce((bytes, { value }) => bytes + value.length, 0);
