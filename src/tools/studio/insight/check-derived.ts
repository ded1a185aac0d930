/** The streams `verify`, `repair`, `rebuild` and `propagate`. */
import {
  type DerivedProgress,
  type DerivedReport,
  isClean,
} from '../../../entities/repository/index.js';
import type { CallOf, StudioContext } from '../context.js';
import { entityNamed } from '../state/entity-names.js';
import type { WorkProgress } from '../protocol/failure.js';
import type { DerivedLine } from '../protocol/insight.js';
import type { JsonValue } from '../protocol/json.js';
import type { RequestFields } from '../request-fields.js';
import { withProgress } from '../work-progress.js';
import { assertWritable } from '../writable.js';

/** Findings that are sent. */
const maxFindings = 100;

type Lines = AsyncGenerator<DerivedLine>;

/** Compares rows with what follows from them, and changes nothing. */
export function verifyDerived(call: CallOf<RequestFields>): Lines {
  return check(call, 'verify');
}

/** The same, and writes what is wrong. Throws READ_ONLY. */
export function repairDerived(call: CallOf<RequestFields>): Lines {
  assertWritable(call.context);
  return check(call, 'repair');
}

async function* check(
  { context, request, signal }: CallOf<RequestFields>,
  action: 'verify' | 'repair',
): Lines {
  const { entityClass } = entityNamed(context.models, request.text('entity'));
  const index = request.optionalText('index');
  const after = request.optionalText('after');
  const given = { index, after, maxFindings, signal };
  yield* reported((onProgress) =>
    context.db.derived[action](entityClass as never, definedOf({ ...given, onProgress })),
  );
}

/** Builds an index. Throws READ_ONLY. */
export async function* rebuildIndex({ context, request, signal }: CallOf<RequestFields>): Lines {
  assertWritable(context);
  const { entityClass } = entityNamed(context.models, request.text('entity'));
  const index = request.text('index');
  yield* reported((onProgress) =>
    context.db.derived.rebuild(entityClass as never, index, { maxFindings, signal, onProgress }),
  );
}

/** Writes the copies that are due. Throws READ_ONLY. */
export async function* propagateEntity({ context, request, signal }: CallOf<RequestFields>): Lines {
  assertWritable(context);
  const { entityClass } = entityNamed(context.models, request.text('entity'));
  let done = 0;
  const onProgress = ({ rows }: { readonly rows: number }): void => void (done = rows);
  const options = { signal, onProgress };
  const report = yield* withProgress(propagated(context, entityClass, options), () => ({
    done,
    unit: 'rows',
  }));
  yield { type: 'report', counts: { ...report }, findings: [], clean: true };
}

function propagated(
  { db }: StudioContext,
  entity: unknown,
  options: object,
): ReturnType<StudioContext['db']['derived']['propagate']> {
  return db.derived.propagate(entity as never, options);
}

/** Options that are undefined were not given. */
function definedOf<T extends object>(options: T): T {
  return Object.fromEntries(
    Object.entries(options).filter(([, value]) => value !== undefined),
  ) as T;
}

type Run = (onProgress: (progress: DerivedProgress) => void) => Promise<DerivedReport>;

async function* reported(run: Run): Lines {
  let last: DerivedProgress | undefined;
  const progress = (): WorkProgress & { readonly position?: string | undefined } => ({
    done: (last?.rows ?? 0) + (last?.entries ?? 0),
    unit: 'rows and entries',
    what: last?.index ?? last?.rollup ?? last?.phase,
    position: last?.position,
  });
  const report = yield* withProgress(
    run((each) => void (last = each)),
    progress,
  );
  const { rows, entries, found, repaired, findings, rollups, incomplete, position } = report;
  const isReady = !('ready' in report) || report.ready === true;
  yield {
    type: 'report',
    counts: {
      rows,
      entries,
      repaired,
      ...found,
      rollupsMissing: rollups?.missing ?? 0,
      rollupsWrong: rollups?.wrong ?? 0,
      rollupsOrphan: rollups?.orphan ?? 0,
      incomplete: incomplete?.rows ?? 0,
    },
    findings: [
      ...findings.map(findingJson),
      ...(rollups?.differences ?? []).map(findingJson),
      ...(incomplete?.samples ?? []).map(findingJson),
    ].slice(0, maxFindings),
    clean: isClean(report) && isReady,
    position,
  };
}

/** A finding as JSON: bigints are digits, and an error is its problem. */
function findingJson(finding: object): JsonValue {
  const text = JSON.stringify(finding, (_, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  );
  return JSON.parse(text) as JsonValue;
}
