/** The rows that `rowsmith export` is to write: --prefix, --where and --limit as a query. */
import { suggestionText, type FaultTexts } from '../../../base/index.js';
import type { EntityModel } from '../../../entities/model/index.js';
import type { Database } from '../../../entities/repository/index.js';
import { segmentTextForms } from '../../../data/text/index.js';
import type { ExportableQuery } from '../../../tools/transfer/index.js';
import { UsageError } from '../../command.js';
import { conditionsOf, parsedOption } from '../rows/input/where.js';

/** The options, as they were given. */
export interface QueryOptions {
  readonly prefix?: readonly string[];
  readonly where?: readonly string[];
  readonly limit?: number | undefined;
}

/** Methods of queries: their types need an entity class. */
interface Query extends ExportableQuery {
  prefix(segments: object): Query;
  scanAll(): Query;
  where(conditions: object): Query;
  limit(rows: number): Query;
}

/** The query of the options; undefined without any. Throws UsageError, and as queries do. */
export function exportQuery(
  db: Database,
  model: EntityModel,
  { prefix = [], where = [], limit }: QueryOptions,
): ExportableQuery | undefined {
  if (prefix.length === 0 && where.length === 0 && limit === undefined) return undefined;
  const root = db.repository(model.entityClass as never) as unknown as Query;
  let query = prefix.length === 0 ? root.scanAll() : root.prefix(segmentsOf(model, prefix));
  if (where.length > 0) query = query.where(conditionsOf(model, where));
  if (limit !== undefined) query = query.limit(limit);
  return query;
}

function segmentsOf(model: EntityModel, given: readonly string[]): object {
  const segments: Record<string, unknown> = {};
  for (const each of given) {
    const [, name, text] = /^([^=]+)=(.*)$/s.exec(each) ?? [];
    if (name === undefined) throw new UsageError(faults.prefixWithoutValue(exampleOf(model)));
    const segment = model.segments.find(({ property }) => property === name);
    if (segment === undefined)
      throw new UsageError(faults.unknownSegment(name, model.name, model.key.names));
    if (name in segments) throw new UsageError(faults.prefixTwice(name));
    segments[name] = parsedOption('--prefix', each, () =>
      segmentTextForms[segment.type.kind].parse(text),
    );
  }
  return segments;
}

function exampleOf(model: EntityModel): string {
  return `--prefix ${model.key.names[0]}=value`;
}

const faults = {
  prefixWithoutValue: (exampleOfText: string) => ({
    problem: `--prefix takes SEGMENT=VALUE, such as ${exampleOfText}`,
  }),
  unknownSegment: (name: string, modelName: string, names: readonly string[]) => ({
    problem: `'${name}' is not a segment of the key of ${modelName}`,
    fix: suggestionText(name, names, 'its segments are'),
  }),
  prefixTwice: (name: string) => ({ problem: `--prefix gives '${name}' twice` }),
} satisfies FaultTexts;
