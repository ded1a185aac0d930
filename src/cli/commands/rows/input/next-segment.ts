/** The values of the segment after the given ones. */
import type { FaultTexts } from '../../../../base/index.js';
import type { EntityModel } from '../../../../entities/model/index.js';
import type { Database } from '../../../../entities/repository/index.js';
import { UsageError } from '../../../command.js';
import { keyConditions } from './key-conditions.js';
import { type ReadCall, rejectPattern } from './read-call.js';
import {
  conditionQuery,
  type UntypedQuery as Query,
  repositoryOf,
} from '../../../../tools/rows/index.js';
import { keyPlace } from './read-query.js';

/** A query of the values of one segment. */
export interface NextSegment {
  readonly segment: string;
  /** Its results hold the segments up to this one, each combination once. */
  readonly query: Query;
  /** The rows with the segments of a result; undefined if each result is a row. */
  readonly rowsOf: ((values: Readonly<Record<string, unknown>>) => Query) | undefined;
}

/** The query of the next segment. Throws UsageError if all have values. */
export function nextSegmentQuery(db: Database, model: EntityModel, call: ReadCall): NextSegment {
  rejectPattern(model, call);
  const place = keyPlace(model, { index: undefined });
  const { fixed, bound } = keyConditions(place, call.terms);
  if (bound !== undefined) throw new UsageError(faults.rangeInLs(bound.segment));
  const { names } = model.key;
  if (fixed.length === names.length || call.json !== undefined)
    throw new UsageError(faults.noSegmentLeft);
  const segment = names[fixed.length];
  const root = repositoryOf(db, model);
  const isLast = fixed.length === names.length - 1;
  let query = conditionQuery(root, place.model, { fixed, bound });
  query = isLast ? query.keysOnly() : query.distinct(segment);
  if (call.reverse) query = query.reverse();
  if (isLast) return { segment, query, rowsOf: undefined };
  const upTo = names.slice(0, fixed.length + 1);
  const rowsOf = (values: Readonly<Record<string, unknown>>): Query =>
    root.prefix(Object.fromEntries(upTo.map((name) => [name, values[name]])));
  return { segment, query, rowsOf };
}

const faults = {
  rangeInLs: (segment: string) => ({
    problem: 'ls lists all values of a segment',
    fix: `read a range of '${segment}' with rowsmith scan`,
  }),
  noSegmentLeft: { problem: 'every segment has a value', fix: 'read the row with rowsmith get' },
} satisfies FaultTexts;
