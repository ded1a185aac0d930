/** How each part of a scope is deleted, and how many rows it has. */
import { pagesOf } from '../../derived/index.js';
import type { Engine, Filter, Row } from '../../../data/store/index.js';
import { EntityQuery } from '../read/query/entity-query.js';
import { ScopeGuard } from '../scope/scope-guard.js';
import { storagePath } from '../storage-path.js';
import type { DeletedRowsOf, DeletionMethod } from '../types/delete-all-types.js';
import { countEntries } from './count-entries.js';
import type { ScopePart } from './scope-parts.js';
import { type RangeDrop, type StoredPart, surveyTable } from './survey.js';

/** A part, and what was found of it. */
export interface PlannedPart {
  readonly part: ScopePart;
  /** Rows in ranges that are dropped. */
  dropped: number;
  /** Rows that are deleted one by one, or entries that follow. */
  others: number;
  /** Whether some of its ranges are not dropped. */
  hasRest: boolean;
}

/** What deletes a scope. */
export interface DeletionPlan {
  readonly parts: readonly PlannedPart[];
  readonly drops: readonly RangeDrop[];
}

const keysOnly: Filter = {
  kind: 'chain',
  filters: [{ kind: 'cellsPerRow', count: 1 }, { kind: 'stripValue' }],
};

/** Reads the keys of all parts. */
export async function planDeletion(
  parts: readonly ScopePart[],
  signal: AbortSignal | undefined,
): Promise<DeletionPlan> {
  const planned = parts.map((part) => ({ part, dropped: 0, others: 0, hasRest: false }));
  const drops: RangeDrop[] = [];
  const alone = planned.filter(({ part }) => part.isAlone);
  for (const table of new Set(alone.map(({ part }) => part.table))) {
    const here = alone.filter(({ part }) => part.table === table);
    const { context } = here[0].part.repository;
    const stored = here.map(({ part }) => part as StoredPart);
    const survey = await surveyTable(stored, context.modelsOf(table), signal);
    drops.push(...survey.drops);
    for (const plan of here) {
      const part = plan.part as StoredPart;
      for (const { rows } of survey.drops) plan.dropped += rows.get(part) ?? 0;
      plan.others = survey.rest.get(part) ?? 0;
      plan.hasRest = survey.rest.has(part);
    }
  }
  for (const plan of planned) {
    if (plan.part.isAlone) continue;
    plan.hasRest = true;
    plan.others = await count(plan.part, parts, signal);
  }
  return { parts: planned, drops };
}

/** Number of rows of a part that is not deleted by itself. */
async function count(
  part: ScopePart,
  parts: readonly ScopePart[],
  signal: AbortSignal | undefined,
): Promise<number> {
  if (isStored(part)) {
    if (part.kind === 'rows') return queryOf(part).signal(signal).count();
    let found = 0;
    for await (const rows of pagesIn(part, signal)) found += rows.length;
    return found;
  }
  if (part.kind !== 'index') return 0;
  const { model } = part.repository;
  const rows = parts.find(({ kind, entity }) => kind === 'rows' && entity === part.entity);
  const counts = await countEntries(guardOf(rows as StoredPart), rows as StoredPart, signal);
  return counts.get(model.indexes.find(({ name }) => name === part.name)!.id) ?? 0;
}

/** Whether the rows of a part are in ranges of the scope. */
export function isStored(part: ScopePart): part is StoredPart {
  return part.inScope !== undefined;
}

/** All rows of an entity in the scope, read and deleted like rows of a repository. */
export function queryOf({ repository, inScope }: StoredPart): EntityQuery {
  const scope = new ScopeGuard(inScope, inScope.key.scope!.ranges);
  const engine = storagePath(repository.context.engine, { scope });
  return EntityQuery.root({ ...repository.context, engine }, inScope);
}

/** An engine that serves the part alone. */
export function guardOf({ repository, inScope }: StoredPart): Engine {
  const scope = new ScopeGuard(inScope, inScope.key.scope!.ranges);
  return storagePath(repository.derivedEngine, { scope });
}

/** The rows of a part, as far as their keys belong to the part. */
export async function* pagesIn(
  part: StoredPart,
  signal: AbortSignal | undefined,
): AsyncGenerator<readonly Row[]> {
  const decode = part.inScope.key.decoder();
  for await (const rows of pagesOf(guardOf(part), part.inScope, keysOnly, { signal }))
    yield rows.filter(({ key }) => decode(key, 0, key.length, {}));
}

/** What a plan says of a part. */
export function reportOf({ part, dropped, others, hasRest }: PlannedPart): DeletedRowsOf {
  const { entity, kind, name, table } = part;
  const how = methodOf({ part, dropped, others, hasRest });
  const rows = dropped + others;
  return Object.freeze(
    name === undefined
      ? { entity, kind, table, how, rows }
      : { entity, kind, name, table, how, rows },
  );
}

function methodOf({ part, dropped, others, hasRest }: PlannedPart): DeletionMethod {
  if (!isStored(part)) return 'follows';
  if (dropped > 0 && others > 0) return 'both';
  if (dropped > 0 || !hasRest) return 'ranges';
  return 'rows';
}
