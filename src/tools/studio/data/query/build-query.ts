/** Parsed queries as queries of the library, with what their results are. */
import type { EntityModel } from '../../../../entities/model/index.js';
import type { Database } from '../../../../entities/repository/index.js';
import { conditionQuery, repositoryOf, type UntypedQuery } from '../../../rows/index.js';
import type { FaultTexts } from '../../../../base/index.js';
import { badRequest } from '../../request-fields.js';
import type { ParsedQuery } from './parse-query.js';

/** The query, ready to read. Throws BAD_REQUEST, and as the methods of queries do. */
export function buildQuery(db: Database, query: ParsedQuery): UntypedQuery {
  let result = startOf(db, query);
  const { where, select, reverse, limit, asOf, versions } = query;
  if (Object.keys(where).length > 0) result = result.where(where);
  if (select !== undefined) {
    const { key } = query.source.model;
    const columns = select.filter((name) => !key.names.includes(name));
    result = columns.length === 0 ? result.keysOnly() : result.select(...columns);
  }
  if (asOf !== undefined) result = result.asOf(asOf);
  if (versions !== undefined) result = result.versions(versions);
  if (reverse) result = result.reverse();
  if (limit !== undefined) result = result.limit(limit);
  return result;
}

function startOf(db: Database, query: ParsedQuery): UntypedQuery {
  const { source } = query;
  switch (source.kind) {
    case 'entity':
      return conditionQuery(repositoryOf(db, source.model), source.keyed, query);
    case 'pattern':
      return repositoryOf(db, source.model).patterns[source.pattern.name](patternValues(query));
    case 'index': {
      const index = repositoryOf(db, source.model).index(source.index.name);
      return conditionQuery(source.covered ? index.covered() : index, source.keyed, query);
    }
    case 'rollup': {
      const rollup = repositoryOf(db, source.model).rollup(source.rollup.name);
      return conditionQuery(rollup, source.keyed, query);
    }
    case 'collection':
      return conditionQuery(collectionOf(db, source.members), source.keyed, query);
  }
}

/** A collection with the names of its entities. */
function collectionOf(db: Database, members: readonly EntityModel[]): UntypedQuery {
  const classes = Object.fromEntries(members.map((each) => [each.name, each.entityClass]));
  return db.collection(classes as never) as unknown as UntypedQuery;
}

/** The argument of an access pattern. Throws BAD_REQUEST for other values than it takes. */
export function patternValues({ source, fixed, bound }: ParsedQuery): Record<string, unknown> {
  if (source.kind !== 'pattern') return {};
  const { pattern, model } = source;
  const isExact =
    fixed.map(({ segment }) => segment).join() === pattern.prefix.join() &&
    fixed.every(({ values }) => values.length === 1) &&
    bound?.kind === pattern.bound?.kind;
  if (!isExact)
    throw badRequest('query.fixed', faults.patternValues(pattern.name, model.name, pattern.prefix));
  const values: Record<string, unknown> = {};
  for (const { segment, values: given } of fixed) values[segment] = given[0];
  if (bound?.kind === 'between') values[bound.segment] = { from: bound.from, to: bound.to };
  else if (bound !== undefined) values[bound.segment] = bound.value;
  return values;
}

/** Whether nothing narrows the rows that are read. */
export function isFullScan({ source, fixed, bound }: ParsedQuery): boolean {
  if (source.kind === 'pattern') return source.pattern.scanAll;
  return fixed.length === 0 && bound === undefined;
}

const faults = {
  patternValues: (pattern: string, entity: string, prefix: readonly string[]) => ({
    problem: `the access pattern '${pattern}' of ${entity} takes other values`,
    fix: `give one value for each of ${prefix.join(', ') || 'no segment'}, and its bound`,
  }),
} satisfies FaultTexts;
