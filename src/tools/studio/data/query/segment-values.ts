/** The call `values`: values of the next segment, as suggestions. */
import {
  type FaultTexts,
  intersectRanges,
  nextKey,
  rangeFrom,
  unionRanges,
} from '../../../../base/index.js';
import { collectRows, type Engine, type Filter } from '../../../../data/store/index.js';
import type { EntityModel } from '../../../../entities/model/index.js';
import {
  conditionQuery,
  type KeyTerms,
  repositoryOf,
  type UntypedQuery,
} from '../../../rows/index.js';
import type { CallOf } from '../../context.js';
import type { ValuesFound } from '../../protocol/query.js';
import { badRequest, type RequestFields } from '../../request-fields.js';
import { parseSource, parseTerms, type ParsedSource } from './parse-query.js';
import { segmentShower, ShownRow, rowLimits } from '../shown-values.js';

/** Reads the values of the segment after the given ones: rows between them are skipped. */
export async function nextValues({
  context,
  request,
  signal,
}: CallOf<RequestFields>): Promise<ValuesFound> {
  const source = parseSource(context.models, request.object('source'));
  const { fixed } = parseTerms(source, request);
  const { keyed } = source;
  if (source.kind === 'collection' || fixed.length >= keyed.segments.length)
    throw badRequest('fixed', faults.noNextSegment);
  const segment = keyed.segments[fixed.length];
  const name = segment.property;
  const limit = request.count('limit', { max: 1_000, fallback: 50 });
  const show = (values: readonly unknown[], more: boolean): ValuesFound => {
    const form = segmentShower(segment);
    return {
      segment: name,
      values: values.map((value) => form(value, new ShownRow(rowLimits))),
      more,
    };
  };
  const text = request.optionalText('startsWith') ?? '';
  if (text !== '') {
    const found = await valuesWith(context.db.engine, {
      keyed,
      fixed,
      text,
      limit: limit + 1,
      signal,
    });
    return show(found.slice(0, limit), found.length > limit);
  }
  const root = rootOf(context.db, source);
  const isLast = fixed.length === keyed.segments.length - 1;
  let query = conditionQuery(root, keyed, { fixed, bound: undefined });
  if (!isLast) query = query.distinct(name);
  else if (source.kind !== 'rollup') query = query.keysOnly();
  const { rows, next } = await query.signal(signal).page({ size: limit });
  return show(
    rows.map((row) => (row as Record<string, unknown>)[name]),
    next !== undefined,
  );
}

interface BoundedValues {
  readonly keyed: EntityModel;
  readonly fixed: KeyTerms['fixed'];
  /** What the values begin with. */
  readonly text: string;
  readonly limit: number;
  readonly signal: AbortSignal;
}

/** Reads that look for a value, of which some may find keys of other entities. */
const readsPerValue = 4;

/**
 * The values of a text segment that begin so. `distinct` takes no bound on its own segment, so each
 * value is read alone, and its other rows are skipped.
 */
async function valuesWith(engine: Engine, call: BoundedValues): Promise<readonly unknown[]> {
  const { keyed, fixed, text, limit, signal } = call;
  const { property: segment } = keyed.segments[fixed.length];
  const leading = Object.fromEntries(fixed.map((each) => [each.segment, each.values[0]]));
  const bound = { kind: 'startsWith', segment, text } as const;
  let ranges = unionRanges(keyed.key.ranges({ fixed: leading, bound }).perShard.flat());
  const skip = keyed.key.prefixSkip(segment);
  const decode = keyed.key.decoder();
  const found = new Set<unknown>();
  for (let reads = 0; ranges.length > 0 && found.size < limit; reads++) {
    if (reads > limit * readsPerValue) break;
    const plan = { table: keyed.table.name, ranges, reversed: false, limit: 1, filter: keysAlone };
    const [row] = await collectRows(engine.readRows(plan, { signal }));
    if (row === undefined) break;
    const values: Record<string, unknown> = {};
    const isOwn = decode(row.key, 0, row.key.length, values);
    if (isOwn) found.add(values[segment]);
    const start = isOwn ? skip(row.key, 0, row.key.length, false) : nextKey(row.key);
    ranges = ranges.flatMap((range) => intersectRanges(range, rangeFrom(start, undefined)) ?? []);
  }
  return [...found];
}

const keysAlone: Filter = {
  kind: 'chain',
  filters: [{ kind: 'cellsPerRow', count: 1 }, { kind: 'stripValue' }],
};

/** Of an index, its entries alone: rows are not needed. */
function rootOf(db: CallOf<unknown>['context']['db'], source: ParsedSource): UntypedQuery {
  const repository = repositoryOf(db, source.model);
  if (source.kind === 'index') return repository.index(source.index.name).covered();
  if (source.kind === 'rollup') return repository.rollup(source.rollup.name);
  return repository;
}

const faults = {
  noNextSegment: { problem: 'every segment has a value', fix: 'read the row' },
} satisfies FaultTexts;
