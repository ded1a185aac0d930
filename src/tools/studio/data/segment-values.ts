/** The call `values`: values of the next segment, as suggestions. */
import type { FaultTexts } from '../../../base/index.js';
import { conditionQuery, repositoryOf, type UntypedQuery } from '../../rows/index.js';
import type { CallOf } from '../context.js';
import type { ValuesFound } from '../protocol/query.js';
import { badRequest, type RequestFields } from '../request-fields.js';
import { parseSource, parseTerms, type ParsedSource } from './parse-query.js';
import { segmentShower, ShownRow, rowLimits } from './shown-values.js';

/** Reads the values of the segment after the given ones: rows between them are skipped. */
export async function segmentValues({
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
  const start = request.optionalText('startsWith');
  const bound =
    start === undefined || start === ''
      ? undefined
      : ({ kind: 'startsWith', segment: name, value: start } as const);
  const root = rootOf(context.db, source);
  const isLast = fixed.length === keyed.segments.length - 1;
  let query = conditionQuery(root, keyed, { fixed, bound });
  if (!isLast) query = query.distinct(name);
  else if (source.kind !== 'rollup') query = query.keysOnly();
  const { rows, next } = await query.signal(signal).page({ size: limit });
  const show = segmentShower(segment);
  const values = rows.map((row) =>
    show((row as Record<string, unknown>)[name], new ShownRow(rowLimits)),
  );
  return { segment: name, values, more: next !== undefined };
}

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
