/** Checks the copies of entities, and links the entities that have the values. */
import {
  nearestName,
  quotedList,
  quotedName,
  valueText,
  type FaultText,
  type FaultTexts,
} from '../../../../base/index.js';
import type { ScalarKind } from '../../../../data/cell/index.js';
import { type CopyDeclaration, isCopies } from '../../declaration/derived/copies.js';
import { scalarDesignTypes, segmentDesignTypes } from '../../declaration/design-type.js';
import type { Constructor } from '../../declaration/declaration.js';
import type { ColumnModel, CopyModel, EntityModel, IndexModel } from '../../model.js';
import { type BuildContext, reporter } from '../shared/build-context.js';
import { isAlwaysPresent } from './build-indexes.js';
import { sourceModel } from './build-marks.js';

const copiesExample =
  "static readonly copies = copies({ authorName: copyOf(() => Author, 'name', { id: 'authorId' }) })";

type ReportProblem = (fault: FaultText) => void;

/** The model of a class without its copies; undefined if it has faults, which were reported. */
type ModelOf = (entityClass: Constructor) => EntityModel | undefined;

/** One copy before copies from the same row are put together. */
interface BuiltCopy extends Omit<CopyModel, 'columns'> {
  readonly from: ColumnModel;
  readonly to: ColumnModel;
}

/** The model with its copies; the model itself if it has none. */
export function withCopies(
  model: EntityModel,
  modelOf: ModelOf,
  context: BuildContext,
): EntityModel {
  const { copies } = model.entityClass as { readonly copies?: unknown };
  if (copies === undefined || model.copies !== undefined) return model;
  const report = reporter(context, model.name);
  if (!isCopies(copies)) {
    report('copies', faults.notCopies);
    return model;
  }
  const built = Object.entries(copies).flatMap(([property, declared]) => {
    const reportProblem: ReportProblem = (fault) => report(property, fault);
    return buildCopy(model, property, declared, modelOf, reportProblem) ?? [];
  });
  if (built.length === 0) return model;
  return Object.freeze({ ...model, copies: Object.freeze(grouped(built)) });
}

/** Copies from the same row are read together. */
function grouped(copies: readonly BuiltCopy[]): CopyModel[] {
  const groups = new Map<string, { first: BuiltCopy; columns: CopyModel['columns'][number][] }>();
  for (const copy of copies) {
    const { from, to } = copy;
    const id = JSON.stringify([copy.source.name, copy.source.table.name, ...copy.by]);
    const group = groups.get(id) ?? { first: copy, columns: [] };
    group.columns.push(Object.freeze({ from, to }));
    groups.set(id, group);
  }
  return [...groups.values()].map(({ first: { source, by, index }, columns }) =>
    Object.freeze({ source, by, index, columns: Object.freeze(columns) }),
  );
}

function buildCopy(
  model: EntityModel,
  property: string,
  declared: unknown,
  modelOf: ModelOf,
  report: ReportProblem,
): BuiltCopy | undefined {
  const to = plainColumn(model, property, report);
  const source = sourceOf(declared, modelOf, report);
  if (to === undefined || source === undefined) return undefined;
  const { property: name, by } = declared as CopyDeclaration;
  const from = plainColumn(source, name, report);
  if (from === undefined) return undefined;
  if ('default' in from && from.default !== undefined)
    report(faults.sourceWithDefault(name, source.name));
  const { copies: theirs } = source.entityClass as { readonly copies?: object };
  if (theirs !== undefined && Object.hasOwn(theirs, name))
    report(faults.copyOfCopy(name, source.name));
  if (from.codec.kind !== to.codec.kind)
    report(faults.otherKind(to.codec.kind, name, source.name, from.codec.kind));
  checkTarget(model, property, report);
  if (hasRules(to)) report(faults.copyWithRules(source.name, name));
  const properties = checkedBy(model, source, by, report);
  if (properties === undefined) return undefined;
  if (model.marker === undefined && !properties.some((each) => isStored(model, each)))
    report(faults.rowsOfCopyOnly);
  if (model.indexes.some(({ unique, segments }) => unique && segments.includes(property)))
    report(faults.copyInUniqueIndex);
  const index = model.indexes.findIndex(
    (each) => beginsWith(each.segments, properties) && findsAll(model, each, properties),
  );
  if (index >= 0) return { source, by: new Map(Object.entries(by)), index, from, to };
  const names = properties.map((each) => `'${each}'`).join(', ');
  const sparse = model.indexes.find(({ segments }) => beginsWith(segments, properties));
  report(
    sparse === undefined
      ? faults.noIndex(properties, source.name, names)
      : faults.sparseIndex(properties, sparse.name, source.name, names),
  );
  return undefined;
}

/** Reports properties that the library sets or counts. */
function checkTarget(model: EntityModel, property: string, report: ReportProblem): void {
  const { managed = {}, cellTimestamp, expiresAt, rollups } = model;
  const times = [cellTimestamp, expiresAt?.property];
  if (Object.values(managed).includes(property) || times.includes(property))
    report(faults.copyWritten);
  const rollup = rollups.find(({ cells }) =>
    cells.some(({ source }) => source?.property === property),
  );
  if (rollup !== undefined) report(faults.copyInRollup(rollup.name));
}

/** Writes of copies check nothing. */
function hasRules(column: ColumnModel): boolean {
  const isRequired = 'required' in column && column.required === true;
  return column.rules !== undefined || column.schema !== undefined || isRequired;
}

/** Whether a row without a value of a property has no copies. */
function isStored(model: EntityModel, property: string): boolean {
  const column = model.columns.find((each) => each.property === property);
  return column !== undefined && !('default' in column && column.default !== undefined);
}

function beginsWith(segments: readonly string[], properties: readonly string[]): boolean {
  const first = segments.slice(0, properties.length);
  return properties.every((property) => first.includes(property));
}

/** Whether each row that has the properties has an entry. */
function findsAll(
  model: EntityModel,
  { entry }: IndexModel,
  properties: readonly string[],
): boolean {
  return entry.segments.every(
    (segment) => properties.includes(segment.property) || isAlwaysPresent(model, segment),
  );
}

function sourceOf(
  declared: unknown,
  modelOf: ModelOf,
  report: ReportProblem,
): EntityModel | undefined {
  const { source } = (declared ?? {}) as Partial<CopyDeclaration>;
  if (typeof source !== 'function') {
    report(faults.notACopy);
    return undefined;
  }
  let entityClass: unknown;
  try {
    entityClass = (source as () => unknown)();
  } catch {
    // A class, or a variable that is not initialised yet.
  }
  if (typeof entityClass === 'function') return modelOf(entityClass as Constructor);
  report(faults.notAClass(entityClass));
  return undefined;
}

function plainColumn(
  model: EntityModel,
  property: string,
  report: ReportProblem,
): ColumnModel | undefined {
  const column = model.columns.find((each) => each.property === property);
  if (column?.kind === 'column') return column;
  if (column !== undefined || model.key.names.includes(property)) {
    report(faults.unfitColumn(property, model.name));
    return undefined;
  }
  const known = model.columns.flatMap((each) => (each.kind === 'column' ? each.property : []));
  const nearest = nearestName(property, known);
  report(faults.unknownColumn(property, model.name, nearest, known));
  return undefined;
}

/** The properties that make the key of the source; undefined if they do not. */
function checkedBy(
  model: EntityModel,
  source: EntityModel,
  by: unknown,
  report: ReportProblem,
): readonly string[] | undefined {
  const given = (typeof by === 'object' && by !== null ? by : {}) as Readonly<
    Record<string, unknown>
  >;
  const { names } = source.key;
  const wrong =
    names.find((name) => !Object.hasOwn(given, name)) ??
    Object.keys(given).find((name) => !names.includes(name));
  if (wrong !== undefined) {
    const pairs = names.map((name) => `${name}: '...'`).join(', ');
    report(faults.missingKeyProperty(names.includes(wrong), wrong, source.name, pairs));
    return undefined;
  }
  const suits = source.segments.map(({ property, type }) => {
    const name = given[property];
    const found = typeof name === 'string' ? typesOf(model, name) : undefined;
    const allowed = segmentDesignTypes[type.kind];
    if (found !== undefined && found.some((each) => allowed.includes(each))) return true;
    const wrong = found === undefined ? faults.notOfEntity : faults.otherTypeOfKey;
    report(wrong(name, property, source.name));
    return false;
  });
  if (suits.includes(false)) return undefined;
  return names.map((name) => given[name] as string);
}

/** The types of a property's values; undefined if it is neither a segment nor a plain column. */
function typesOf(model: EntityModel, property: string): readonly unknown[] | undefined {
  const segment = model.segments.find((each) => each.property === property);
  if (segment !== undefined) return segmentDesignTypes[segment.type.kind];
  const column = model.columns.find((each) => each.property === property);
  if (column?.kind !== 'column' || isCopy(model, property)) return undefined;
  return scalarDesignTypes[column.codec.kind as ScalarKind];
}

function isCopy({ entityClass }: EntityModel, property: string): boolean {
  const { copies } = entityClass as { readonly copies?: unknown };
  return isCopies(copies) && Object.hasOwn(copies, property);
}

/** The models of entities that are used together, sources with their copies in other entities. */
export function linkSources(
  models: readonly EntityModel[],
  context: BuildContext,
): readonly EntityModel[] {
  return models.map((model) => {
    const targets = models.filter(({ copies }) =>
      copies?.some(({ source }) => source.entityClass === model.entityClass),
    );
    if (targets.length === 0) return model;
    const copied = targets
      .flatMap(({ copies }) => copies!)
      .filter(({ source }) => source.entityClass === model.entityClass)
      .flatMap(({ columns }) => columns.map(({ from }) => from.property));
    const columns = model.columns.filter(({ property }) => copied.includes(property));
    return sourceModel(model, columns, targets, reporter(context, model.name));
  });
}

const faults = {
  copyWithRules: (sourceName: string, name: string) => ({
    problem: `is a copy of '${name}' of ${sourceName}, and has rules, which its source does not know`,
    fix: `declare the rules on '${name}' of ${sourceName}`,
  }),
  notCopies: {
    problem: 'the copies were not created with copies()',
    fix: `write ${copiesExample}`,
  },
  sourceWithDefault: (name: string, sourceName: string) => ({
    problem: `copies '${name}' of ${sourceName}, which has a default, so that a row without a value has one`,
    fix: 'leave the default out, and write the value',
  }),
  copyOfCopy: (name: string, sourceName: string) => ({
    problem: `copies '${name}' of ${sourceName}, which is a copy itself`,
    fix: 'copy from the entity that has the value',
  }),
  otherKind: (codecKind: string, name: string, sourceName: string, codecKind2: string) => ({
    problem: `holds ${codecKind}, and '${name}' of ${sourceName} ${codecKind2}`,
    fix: 'give both columns the same kind',
  }),
  rowsOfCopyOnly: {
    problem:
      'is a copy that is found by the row key, so that a row may have no other cell, and would end with it',
    fix: 'add marker: true to the options of the entity',
  },
  copyInUniqueIndex: {
    problem:
      'is a copy, and a segment of a unique index: a change of the source could not be copied',
    fix: 'use indexOn() instead of uniqueIndexOn()',
  },
  noIndex: (properties: readonly string[], sourceName: string, names: string) => ({
    problem: `is a copy that is found by ${quotedList(properties)}, and no index begins with them`,
    fix: addIndex(sourceName, names),
  }),
  sparseIndex: (
    properties: readonly string[],
    index: string,
    sourceName: string,
    names: string,
  ) => ({
    problem:
      `is a copy that is found by ${quotedList(properties)}, and index '${index}' ` +
      'leaves out rows without its other segments',
    fix: addIndex(sourceName, names),
  }),
  copyWritten: {
    problem: 'is a copy, and is set with each write',
    fix: 'copy into another column',
  },
  copyInRollup: (name: string) => ({
    problem: `is a copy, and rollup '${name}' counts it, which changes of the source do not reach`,
    fix: 'compute the rollup of other columns',
  }),
  notACopy: { problem: 'was not created with copyOf()', fix: `write ${copiesExample}` },
  notAClass: (entityClass: unknown) => ({
    problem: `copies from ${valueText(entityClass)}, which is not a class`,
    fix: `give a function that returns it: ${copiesExample}`,
  }),
  unfitColumn: (property: string, name: string) => ({
    problem: `'${property}' of ${name} is not a plain column`,
    fix: 'copy a @Column with a single value into another',
  }),
  unknownColumn: (
    property: string,
    name: string,
    nearest: undefined | string,
    known: readonly string[],
  ) => ({
    problem: `${quotedName(property)} is not a column of ${name}`,
    fix: nearest === undefined ? `use one of ${quotedList(known)}` : `did you mean '${nearest}'?`,
  }),
  missingKeyProperty: (includes: boolean, wrong: string, name: string, pairs: string) => ({
    problem: `is found by a key that ${includes ? 'lacks' : 'has no'} segment '${wrong}'`,
    fix: `give each segment of ${name}'s key its property: { ${pairs} }`,
  }),
  notOfEntity: (name: unknown, property: string, sourceName: string) => ({
    problem: `is found by ${valueText(name)}, which is not a segment or plain column of the entity`,
    fix: `name a property that holds the ${property} of ${sourceName}`,
  }),
  otherTypeOfKey: (name: unknown, property: string, sourceName: string) => ({
    problem: `is found by '${String(name)}', which has another type than segment '${property}' of ${sourceName}`,
    fix: `name a property that holds the ${property} of ${sourceName}`,
  }),
} satisfies FaultTexts;

function addIndex(sourceName: string, names: string): string {
  return `add one: static readonly indexes = indexes({ by${sourceName}: indexOn(${names}) })`;
}
