/** The rows that `rowsmith export` is to write: --prefix, --where and --limit as a query. */
import { suggestionText, type FaultTexts } from '../../../base/index.js';
import { CodecError } from '../../../data/cell/index.js';
import type { EntityModel } from '../../../entities/model/index.js';
import type { Database } from '../../../entities/repository/index.js';
import { cellTextForm, segmentTextForms } from '../../../data/text/index.js';
import type { ExportableQuery } from '../../../tools/transfer/index.js';
import { UsageError } from '../../command.js';

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
    segments[name] = parsed('--prefix', each, () =>
      segmentTextForms[segment.type.kind].parse(text),
    );
  }
  return segments;
}

function exampleOf(model: EntityModel): string {
  return `--prefix ${model.key.names[0]}=value`;
}

/** A property, and what it is compared with; `!property` is absent, `property` present. */
const conditionForm = /^(!?)([\p{ID_Start}$_][\p{ID_Continue}$]*)(?:(=|!=|>=|<=|>|<|\^=)(.*))?$/su;

const lists: Readonly<Record<string, string>> = { '=': 'oneOf', '!=': 'noneOf' };
const comparisons: Readonly<Record<string, string>> = {
  '>': 'above',
  '>=': 'atLeast',
  '<': 'below',
  '<=': 'atMost',
  '^=': 'startsWith',
};

/** Conditions of `--where` as conditions of queries. Throws UsageError. */
export function conditionsOf(model: EntityModel, given: readonly string[]): object {
  const conditions: Record<string, unknown> = {};
  for (const each of given) {
    const [, absent, name, operator, text] = conditionForm.exec(each) ?? [];
    if (name === undefined || (absent === '!' && operator !== undefined))
      throw new UsageError(faults.notACondition(each));
    const parse = parserOf(model, name);
    const tests = (conditions[name] ?? {}) as Tests;
    if (absent === '!') conditions[name] = null;
    else if (operator === undefined) conditions[name] = { ...tests, not: null };
    else
      conditions[name] = compared(
        tests,
        operator,
        parsed('--where', each, () => parse(text)),
      );
  }
  return conditions;
}

type Tests = Readonly<Record<string, unknown>>;

/** Values of several `=` are alternatives, all other terms must hold together. */
function compared(tests: Tests, operator: string, value: unknown): Tests {
  const list = lists[operator];
  if (list === undefined) return { ...tests, [comparisons[operator]]: value };
  return { ...tests, [list]: [...((tests[list] ?? []) as readonly unknown[]), value] };
}

function parserOf(model: EntityModel, name: string): (text: string) => unknown {
  const segment = model.segments.find(({ property }) => property === name);
  if (segment !== undefined) return segmentTextForms[segment.type.kind].parse;
  const column = model.columns.find(({ property }) => property === name);
  if (column !== undefined) return cellTextForm(column).parse;
  const known = [...model.key.names, ...model.columns.map(({ property }) => property)];
  throw new UsageError(faults.unknownProperty(model.name, name, known));
}

function parsed(option: string, given: string, parse: () => unknown): unknown {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof CodecError)) throw error;
    const { problem, fix, shell } = error;
    throw new UsageError(
      faults.malformedOption(option, given, shell?.problem ?? problem, shell?.fix ?? fix),
    );
  }
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
  notACondition: (each: string) => ({
    problem: `'${each}' is not a condition`,
    fix: 'write NAME=VALUE, or one of != > >= < <= ^= (starts with); NAME alone: has a value; !NAME: has none',
  }),
  unknownProperty: (modelName: string, name: string, known: readonly string[]) => ({
    problem: `${modelName} has no property '${name}'`,
    fix: suggestionText(name, known, 'its properties are'),
  }),
  malformedOption: (option: string, given: string, problem: string, fix: string) => ({
    problem: `${option} ${given}: ${problem}`,
    fix,
  }),
} satisfies FaultTexts;
