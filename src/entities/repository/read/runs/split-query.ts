/** Splits a query at keys that storage samples. */
import { abortable } from '../../../../base/index.js';
import type { KeyRanges } from '../../../../data/key/index.js';
import type { EntityModel } from '../../../model/index.js';
import { assertSplittable, checkCount, type QuerySpec, splitRanges } from '../../../query/index.js';
import type { ReaderContext } from '../rows/entity-pages.js';

/** Maximum number of parts of a query. */
const maxParts = 10_000;

/** The ranges of at most `parts` parts, in key order. Throws INVALID_QUERY or INVALID_ARGUMENT. */
export async function splitBySamples(
  query: {
    readonly context: ReaderContext;
    readonly model: EntityModel;
    readonly spec: QuerySpec;
    readonly ranges: KeyRanges;
  },
  parts: unknown,
  signal: AbortSignal | undefined,
): Promise<readonly KeyRanges[]> {
  const { context, model, spec, ranges } = query;
  const most = checkCount(model, 'parts', parts, maxParts);
  assertSplittable(model, spec);
  const samples = await abortable(context.engine.sampleRowKeys(model.table.name), signal);
  return splitRanges(ranges, samples, most);
}
