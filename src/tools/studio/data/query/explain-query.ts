/** The call `explain`: the plan of a query, with its place among the keys of the table. */
import { fromHex, isRowsmithError } from '../../../../base/index.js';
import type { Explanation } from '../../../../entities/query/index.js';
import type { CollectionExplanation } from '../../../../entities/repository/index.js';
import type { CallOf } from '../../context.js';
import type { ExplainedQuery, PlannedRange } from '../../protocol/query.js';
import type { RequestFields } from '../../request-fields.js';
import { buildQuery } from './build-query.js';
import { keySpace, placeOfRange, type TableSpace } from '../../state/key-spaces.js';
import { parseQuery } from './parse-query.js';

/** Ranges that are sent. */
const maxRanges = 1_000;

/** Explains a query. Only the sizes of the table are read. */
export async function explainQuery({
  context,
  request,
}: CallOf<RequestFields>): Promise<ExplainedQuery> {
  const query = buildQuery(context.db, parseQuery(context.models, request.object('query')));
  const plan = query.explain() as Explanation | CollectionExplanation;
  return explained(plan, await spaceOf(context, plan.table));
}

/** Undefined if the back end does not tell sizes: a plan needs none. */
async function spaceOf(
  { keySpaces }: CallOf<unknown>['context'],
  table: string,
): Promise<TableSpace | undefined> {
  try {
    return await keySpaces.of(table);
  } catch (error) {
    if (isRowsmithError(error)) return undefined;
    throw error;
  }
}

function explained(
  plan: Explanation | CollectionExplanation,
  space: TableSpace | undefined,
): ExplainedQuery {
  const places = plan.ranges.map(({ startHex, endHex }) =>
    space === undefined
      ? undefined
      : placeOfRange(space, {
          start: fromHex(startHex)!,
          end: endHex === undefined ? undefined : fromHex(endHex),
        }),
  );
  const ranges = plan.ranges.slice(0, maxRanges).map(({ shard, start, end }, i): PlannedRange => {
    return { shard, start, end, ...places[i] };
  });
  const own = 'members' in plan ? ofCollection(plan) : ofEntity(plan);
  const placed = places.flatMap((place) => place ?? []);
  return {
    ...own,
    table: plan.table,
    conditions: plan.conditions,
    ranges,
    moreRanges: plan.ranges.length - ranges.length,
    fanOut: plan.fanOut,
    filters: plan.filters,
    limit: plan.limit,
    space: space && keySpace(space, placed),
    text: plan.toString(),
  };
}

type OwnParts = Pick<
  ExplainedQuery,
  | 'fullScan'
  | 'order'
  | 'families'
  | 'properties'
  | 'whereAtServer'
  | 'whereAtClient'
  | 'hidden'
  | 'others'
  | 'index'
>;

function ofEntity(plan: Explanation): OwnParts {
  const { fullScan, order, families, properties, whereAtServer, whereAtClient } = plan;
  const { hidden, others, index } = plan;
  return {
    fullScan,
    order,
    families,
    properties,
    whereAtServer,
    whereAtClient,
    hidden,
    others,
    index: index && {
      name: index.name,
      covered: index.covered,
      // The ranges of its rows are known once the entries are read.
      rows: index.rows && explained(index.rows, undefined),
      notes: index.notes,
    },
  };
}

function ofCollection({ members, conditions, reversed }: CollectionExplanation): OwnParts {
  const all = Object.values(members);
  return {
    fullScan: conditions.length === 0,
    order: [reversed ? 'key descending' : 'key ascending'],
    families: [],
    properties: all.flatMap(({ entity, properties }) =>
      properties.map((name) => `${entity}.${name}`),
    ),
    whereAtServer: [],
    whereAtClient: [],
    hidden: [],
    others: [],
  };
}
