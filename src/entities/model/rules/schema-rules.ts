/** What the Standard Schemas of an entity say of its values, compiled once for each model. */
import {
  errorMessage,
  isDate,
  isMap,
  RowsmithError,
  type FaultText,
  type FaultTexts,
  type Values,
  isThenable,
} from '../../../base/index.js';
import { indexPath, joinPath } from '../../../data/cell/index.js';
import type { ColumnModel, EntityModel, SchemaModel } from '../model.js';
import type { Version } from '../declaration/version.js';
import type { Issues, ValidationIssue } from './declared-rules.js';
import { byProperty } from './issues-by-property.js';
import { changedPart } from './schema-output.js';

/** The issues, or a promise of them if a schema is asynchronous. */
export type Verdict = Issues | Promise<Issues>;

/** The schemas of an entity. All throw or reject with HOOK_FAILED for a schema that fails. */
export interface SchemaRules {
  /** Judges an entity that is written whole. */
  readonly entity: (values: Values) => Verdict;
  /** Judges the columns that a patch writes; the schema of the entity is not asked. */
  readonly changes: (changes: Values) => Verdict;
  /** As `entity`, for a call that cannot await: HOOK_FAILED for a promise. */
  readonly entityNow: (values: Values, call: string) => Issues;
}

/** A value and the schema that judges it. `property` is undefined for the entity. */
interface Judged {
  readonly model: EntityModel;
  readonly property: string | undefined;
  readonly schema: SchemaModel;
  readonly path: string;
  readonly value: unknown;
}

const compiled = new WeakMap<EntityModel, SchemaRules | null>();

/** The schemas of a model; undefined if it declares none. */
export function schemaRules(model: EntityModel): SchemaRules | undefined {
  let rules = compiled.get(model);
  if (rules === undefined) compiled.set(model, (rules = compile(model) ?? null));
  return rules ?? undefined;
}

function compile(model: EntityModel): SchemaRules | undefined {
  const columns = model.columns.filter(({ schema }) => schema !== undefined);
  if (columns.length === 0 && model.schema === undefined) return undefined;
  const wholeOf = wholeReader(model);
  const ofColumns = (values: Values): Judged[] =>
    columns.flatMap((column) =>
      elementsOf(column, values[column.property]).map(([path, value]) => {
        const { property, schema } = column;
        return { model, property, schema: schema!, path, value };
      }),
    );
  const ofEntity = (values: Values): Judged[] => {
    const judged = ofColumns(values);
    const { schema } = model;
    if (schema !== undefined)
      judged.push({ model, property: undefined, schema, path: '', value: wholeOf(values) });
    return judged;
  };
  return {
    entity: (values) => verdictOn(model, ofEntity(values)),
    changes: (changes) => verdictOn(model, ofColumns(changes)),
    entityNow: (values, call) =>
      byProperty(
        model,
        ofEntity(values).map((judged) => issuesNow(judged, judge(judged), call)),
      ),
  };
}

/** The values of a column by path. Absent values, and values of other types, are not judged. */
function elementsOf({ property, kind }: ColumnModel, value: unknown): [string, unknown][] {
  if (value === undefined || value === null) return [];
  if (kind === 'columnMap') {
    if (!isMap(value)) return [];
    return present([...value].map(([key, entry]) => [property + keyPath(key), entry]));
  }
  if (kind === 'versions') {
    if (!Array.isArray(value)) return [];
    return present(
      (value as readonly (Version<unknown> | null | undefined)[]).map((version, i) => [
        `${property}[${i}].value`,
        version?.value,
      ]),
    );
  }
  return [[property, value]];
}

function present(elements: [string, unknown][]): [string, unknown][] {
  return elements.filter(([, value]) => value !== undefined && value !== null);
}

function keyPath(key: unknown): string {
  return indexPath(isDate(key) ? key.toISOString() : key);
}

/** What the schema of the entity gets: what a write stores of it. */
function wholeReader({ segments, columns, managed }: EntityModel): (values: Values) => Values {
  const ofLibrary: readonly unknown[] = Object.values(managed ?? {});
  const judged = columns.filter(
    (column) => !('aggregate' in column && column.aggregate) && column.kind !== 'counter',
  );
  const names = judged.map(({ property }) => property).filter((each) => !ofLibrary.includes(each));
  return (values) => {
    const whole: Record<string, unknown> = {};
    for (const { property } of segments)
      if (values[property] !== undefined) whole[property] = values[property];
    for (const name of names) {
      const value = values[name];
      if (value !== undefined && value !== null) whole[name] = value;
    }
    return whole;
  };
}

function verdictOn(model: EntityModel, all: readonly Judged[]): Verdict {
  const verdicts: Verdict[] = [];
  try {
    for (const judged of all) verdicts.push(judge(judged));
  } catch (error) {
    // The other schemas may still reject, which must not end the process.
    for (const verdict of verdicts) ignoreRejection(verdict);
    throw error;
  }
  if (!verdicts.some((verdict) => verdict instanceof Promise))
    return byProperty(model, verdicts as Issues[]);
  return Promise.all(verdicts as Promise<Issues>[]).then((lists) => byProperty(model, lists));
}

function ignoreRejection(verdict: Verdict): void {
  if (verdict instanceof Promise) verdict.catch(() => undefined);
}

function issuesNow({ model, property }: Judged, verdict: Verdict, call: string): Issues {
  if (!(verdict instanceof Promise)) return verdict;
  ignoreRejection(verdict);
  throw schemaError(model, property, faults.promiseWithoutWrite(call, model.name));
}

/** Calls a schema. Whatever it does becomes issues, or an error that names the property. */
function judge(judged: Judged): Verdict {
  const { schema, value } = judged;
  return guarded(judged, () => {
    const result = schema.validate(value);
    if (!isThenable(result)) return issuesOf(judged, result);
    return Promise.resolve(result).then(
      (awaited) => guarded(judged, () => issuesOf(judged, awaited)),
      (error: unknown) => {
        throw failed(judged, error);
      },
    );
  });
}

function guarded<T>(judged: Judged, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof WrongResult
      ? schemaError(judged.model, judged.property, error.fault)
      : failed(judged, error);
  }
}

function failed({ model, property }: Judged, cause: unknown): RowsmithError {
  return schemaError(model, property, faults.failingSchema(errorMessage(cause)), cause);
}

/** The result of a schema is not of the form that Standard Schema demands. */
class WrongResult extends Error {
  constructor(readonly fault: FaultText) {
    super();
  }
}

function issuesOf({ schema, path, value }: Judged, result: unknown): Issues {
  if (result !== Object(result)) throw new WrongResult(faults.noResult(schema.vendor));
  const { issues } = result as { readonly issues?: unknown };
  if (issues === undefined || issues === null) {
    if (!('value' in (result as object))) throw new WrongResult(faults.noResult(schema.vendor));
    const part = changedPart(value, (result as { readonly value: unknown }).value, path);
    if (part === undefined) return undefined;
    return [{ path: part.path, rule: 'schema', message: faults.changedValue(part.text).problem }];
  }
  if (!Array.isArray(issues)) throw new WrongResult(faults.noResult(schema.vendor));
  if (issues.length === 0) return [{ path, rule: 'schema', message: faults.noMessage.problem }];
  return (issues as readonly unknown[]).map((issue) => issueOf(path, issue));
}

/** One issue. A value without a message is refused all the same. */
function issueOf(parent: string, issue: unknown): ValidationIssue {
  const { message, path } = (issue ?? {}) as {
    readonly message?: unknown;
    readonly path?: unknown;
  };
  let at = parent;
  if (Array.isArray(path)) for (const part of path as readonly unknown[]) at = withPart(at, part);
  const isText = typeof message === 'string' && message !== '';
  return { path: at, rule: 'schema', message: isText ? message : faults.noMessage.problem };
}

/** The path with a part of an issue: a property key, or an object with one. */
function withPart(parent: string, part: unknown): string {
  const key = part === Object(part) && !isDate(part) ? (part as { key?: unknown }).key : part;
  if (typeof key !== 'string') return parent + keyPath(key);
  if (!/^[\p{L}_$][\p{L}\p{N}_$]*$/u.test(key)) return parent + indexPath(key);
  return parent === '' ? key : joinPath(parent, key);
}

function schemaError(
  { name: entity }: EntityModel,
  property: string | undefined,
  fault: FaultText,
  cause?: unknown,
): RowsmithError {
  const options = cause === undefined ? undefined : { cause };
  return new RowsmithError('HOOK_FAILED', { entity, property, ...fault }, options);
}

const faults = {
  promiseWithoutWrite: (call: string, entity: string) => ({
    problem: `the schema is asynchronous, and ${call} cannot await it`,
    fix: `assign the values to new ${entity}() and write it: writes await the schema`,
  }),
  failingSchema: (message: string) => ({
    problem: `the schema failed: ${message}`,
    fix: 'correct the schema: it returns issues, and throws nothing; nothing was written',
  }),
  noResult: (vendor: string) => ({
    problem: `the schema (${vendor}) returned neither a value nor a list of issues`,
    fix: 'correct the schema: Standard Schema demands { value } or { issues }; nothing was written',
  }),
  changedValue: (text: string) => ({
    problem: `the schema would change it to ${text}, and schemas only judge`,
  }),
  noMessage: { problem: 'the schema refuses it without a message' },
} satisfies FaultTexts;
