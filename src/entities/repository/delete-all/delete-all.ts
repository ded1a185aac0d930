/**
 * Deletes whatever a scope holds, in an order in which a call that was stopped is finished by the
 * next one: rows of entities first, then what is found without them.
 */
import {
  checkOptions,
  invalidArgument,
  RowsmithError,
  valueText,
  type FaultTexts,
} from '../../../base/index.js';
import type { Propagation } from '../../derived/index.js';
import type { EntityModel, ScopeValues } from '../../model/index.js';
import type { Mutation, RowMutation } from '../../../data/store/index.js';
import type { RepositoryParts } from '../repository-parts.js';
import type { DeleteAllOptions, DeleteAllReport } from '../types/delete-all-types.js';
import {
  type DeletionPlan,
  guardOf,
  isStored,
  pagesIn,
  planDeletion,
  type PlannedPart,
  queryOf,
  reportOf,
} from './plan.js';
import { type ScopePart, scopeParts } from './scope-parts.js';
import type { RangeDrop, StoredPart } from './survey.js';

/** What a scope needs of its database to delete everything. */
export interface DeleteAllParts {
  /** One of each opened entity, in the order of `open`. */
  readonly repositories: () => readonly RepositoryParts[];
  /** The copies of the rows of an entity with `copiedBy`. */
  readonly propagationOf: (source: EntityModel) => Propagation;
}

const optionNames = ['dryRun', 'onProgress', 'signal'];
const deletion: readonly Mutation[] = [{ kind: 'deleteFromRow' }];
/** Errors of a program that may write rows, but not drop ranges of them. */
const refusals: readonly string[] = ['PERMISSION_DENIED', 'UNSUPPORTED'];

/** Deletes the rows of a scope; see `Scope.deleteAll`. */
export async function deleteAll(
  parts: DeleteAllParts,
  values: ScopeValues,
  options: DeleteAllOptions = {},
): Promise<DeleteAllReport> {
  checkOptions('deleteAll()', options, optionNames);
  const { dryRun = false, signal } = options;
  if (typeof dryRun !== 'boolean')
    throw invalidArgument('dryRun', faults.notABoolean(valueText(dryRun)));
  signal?.throwIfAborted();
  const plan = await planDeletion(scopeParts(parts.repositories(), values), signal);
  // Before the deletion, which changes the plan where a drop is refused.
  if (!dryRun) await new Deletion(plan, parts, options).run();
  const report = plan.parts.map(reportOf);
  const ofEntities = report.filter(({ kind }) => kind === 'rows');
  const rows = ofEntities.reduce((sum, each) => sum + each.rows, 0);
  return Object.freeze({ rows, parts: Object.freeze(report) });
}

class Deletion {
  readonly #plan: DeletionPlan;
  readonly #propagationOf: DeleteAllParts['propagationOf'];
  readonly #options: DeleteAllOptions;
  readonly #total: number;
  #deleted = 0;

  constructor(
    plan: DeletionPlan,
    { propagationOf }: Pick<DeleteAllParts, 'propagationOf'>,
    options: DeleteAllOptions,
  ) {
    this.#plan = plan;
    this.#propagationOf = propagationOf;
    this.#options = options;
    this.#total = plan.parts
      .filter(({ part }) => isStored(part))
      .reduce((sum, { dropped, others }) => sum + dropped + others, 0);
  }

  async run(): Promise<void> {
    const { drops } = this.#plan;
    const ofEntities = drops.filter(({ parts }) => parts.some(isOfEntity));
    for (const drop of ofEntities) await this.#drop(drop);
    await this.#deleteEntities();
    for (const part of this.#rest((each) => each.kind === 'marks' && !each.isAlone))
      await this.#propagate(part);
    for (const drop of drops) if (!ofEntities.includes(drop)) await this.#drop(drop);
    for (const part of this.#rest((each) => each.isAlone && !isOfEntity(each)))
      await this.#deleteStored(part);
  }

  /** Parts that have more rows than were dropped. */
  #rest(takes: (part: ScopePart) => boolean): readonly StoredPart[] {
    const rest = this.#plan.parts.filter(({ part, hasRest }) => hasRest && takes(part));
    return rest.flatMap(({ part }) => (isStored(part) ? [part] : []));
  }

  async #drop(drop: RangeDrop): Promise<void> {
    const { table, guard, drops, rows } = drop;
    for (const { kind, bytes } of drops) {
      this.#options.signal?.throwIfAborted();
      try {
        if (kind === 'prefix') await guard.dropRowRange(table, { kind, prefix: bytes });
        else await guard.mutateRow(table, { key: bytes, mutations: deletion });
      } catch (error) {
        if (!(error instanceof RowsmithError) || !refusals.includes(error.code)) throw error;
        this.#refuse(drop);
        return;
      }
    }
    this.#report([...rows.values()].reduce((sum, count) => sum + count, 0));
  }

  /** The rows are deleted one by one instead. */
  #refuse({ parts, rows }: RangeDrop): void {
    const refused = this.#plan.parts.filter(({ part }) => parts.includes(part as StoredPart));
    for (const plan of refused) this.#moveToRest(plan, rows.get(plan.part as StoredPart) ?? 0);
  }

  #moveToRest(plan: PlannedPart, rows: number): void {
    plan.dropped -= rows;
    plan.others += rows;
    plan.hasRest = true;
  }

  /** Rejects with the first failure once all other rows are deleted. */
  async #deleteEntities(): Promise<void> {
    const parts = this.#rest(isOfEntity);
    // Copies before their sources: deleting a source would write them.
    const isSource = ({ repository }: StoredPart): boolean =>
      repository.model.copiedBy !== undefined;
    const inOrder = [...parts.filter((part) => !isSource(part)), ...parts.filter(isSource)];
    const { signal } = this.#options;
    const errors: RowsmithError[] = [];
    for (const part of inOrder) {
      let before = 0;
      const { failures } = await queryOf(part).delete({
        signal,
        onProgress: ({ written }) => {
          this.#report(written - before);
          before = written;
        },
      });
      if (failures.length > 0) errors.push(failures[0].error);
    }
    for (const error of errors) throw error;
  }

  /** Copies outside the scope no longer have the values; then the marks are removed. */
  async #propagate(part: StoredPart): Promise<void> {
    const { model } = part.repository;
    const propagation = this.#propagationOf(model);
    const { signal } = this.#options;
    const decode = model.copiedBy!.mark.key.decoder();
    for await (const marks of pagesIn(part, signal))
      for (const { key } of marks) {
        const segments: Record<string, unknown> = {};
        decode(key, 0, key.length, segments);
        await propagation.run(model.key.encode(segments), { signal });
        this.#report(1);
      }
  }

  async #deleteStored(part: StoredPart): Promise<void> {
    const { signal } = this.#options;
    const guard = guardOf(part);
    for await (const rows of pagesIn(part, signal)) {
      if (rows.length === 0) continue;
      const deletions = rows.map(({ key }): RowMutation => ({ key, mutations: deletion }));
      const errors = await guard.mutateRows(part.table, deletions, { signal });
      const failed = errors.find((error) => error !== undefined);
      if (failed !== undefined) throw failed;
      this.#report(rows.length);
    }
  }

  #report(rows: number): void {
    this.#deleted += rows;
    this.#options.onProgress?.({ deleted: this.#deleted, total: this.#total });
  }
}

function isOfEntity({ kind }: ScopePart): boolean {
  return kind === 'rows';
}

const faults = {
  notABoolean: (given: string) => ({ problem: `dryRun is ${given}`, fix: 'give true or false' }),
} satisfies FaultTexts;
