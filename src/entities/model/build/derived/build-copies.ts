/** Checks the copies of entities, and links the entities that have the values. */
import { nearestName, quotedList, quotedName, valueText } from '../../../../base/index.js';
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

type ReportProblem = (problem: string, fix: string) => void;

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
    report('copies', 'the copies were not created with copies()', `write ${copiesExample}`);
    return model;
  }
  const built = Object.entries(copies).flatMap(([property, declared]) => {
    const reportProblem: ReportProblem = (problem, fix) => report(property, problem, fix);
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
    report(
      `copies '${name}' of ${source.name}, which has a default, so that a row without a value has one`,
      'leave the default out, and write the value',
    );
  const { copies: theirs } = source.entityClass as { readonly copies?: object };
  if (theirs !== undefined && Object.hasOwn(theirs, name))
    report(
      `copies '${name}' of ${source.name}, which is a copy itself`,
      'copy from the entity that has the value',
    );
  if (from.codec.kind !== to.codec.kind)
    report(
      `holds ${to.codec.kind}, and '${name}' of ${source.name} ${from.codec.kind}`,
      'give both columns the same kind',
    );
  checkTarget(model, property, report);
  const properties = checkedBy(model, source, by, report);
  if (properties === undefined) return undefined;
  if (model.marker === undefined && !properties.some((each) => isStored(model, each)))
    report(
      'is a copy that is found by the row key, so that a row may have no other cell, and would end with it',
      'add marker: true to the options of the entity',
    );
  if (model.indexes.some(({ unique, segments }) => unique && segments.includes(property)))
    report(
      'is a copy, and a segment of a unique index: a change of the source could not be copied',
      'use indexOn() instead of uniqueIndexOn()',
    );
  const index = model.indexes.findIndex(
    (each) => beginsWith(each.segments, properties) && findsAll(model, each, properties),
  );
  if (index >= 0) return { source, by: new Map(Object.entries(by)), index, from, to };
  const names = properties.map((each) => `'${each}'`).join(', ');
  const sparse = model.indexes.find(({ segments }) => beginsWith(segments, properties));
  report(
    sparse === undefined
      ? `is a copy that is found by ${quotedList(properties)}, and no index begins with them`
      : `is a copy that is found by ${quotedList(properties)}, and index '${sparse.name}' ` +
          'leaves out rows without its other segments',
    `add one: static readonly indexes = indexes({ by${source.name}: indexOn(${names}) })`,
  );
  return undefined;
}

/** Reports properties that the library sets or counts. */
function checkTarget(model: EntityModel, property: string, report: ReportProblem): void {
  const { managed = {}, cellTimestamp, rollups } = model;
  if (Object.values(managed).includes(property) || cellTimestamp === property)
    report('is a copy, and is set with each write', 'copy into another column');
  const rollup = rollups.find(({ cells }) =>
    cells.some(({ source }) => source?.property === property),
  );
  if (rollup !== undefined)
    report(
      `is a copy, and rollup '${rollup.name}' counts it, which changes of the source do not reach`,
      'compute the rollup of other columns',
    );
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
    report('was not created with copyOf()', `write ${copiesExample}`);
    return undefined;
  }
  let entityClass: unknown;
  try {
    entityClass = (source as () => unknown)();
  } catch {
    // A class, or a variable that is not initialised yet.
  }
  if (typeof entityClass === 'function') return modelOf(entityClass as Constructor);
  report(
    `copies from ${valueText(entityClass)}, which is not a class`,
    `give a function that returns it: ${copiesExample}`,
  );
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
    report(
      `'${property}' of ${model.name} is not a plain column`,
      'copy a @Column with a single value into another',
    );
    return undefined;
  }
  const known = model.columns.flatMap((each) => (each.kind === 'column' ? each.property : []));
  const nearest = nearestName(property, known);
  report(
    `${quotedName(property)} is not a column of ${model.name}`,
    nearest === undefined ? `use one of ${quotedList(known)}` : `did you mean '${nearest}'?`,
  );
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
    report(
      `is found by a key that ${names.includes(wrong) ? 'lacks' : 'has no'} segment '${wrong}'`,
      `give each segment of ${source.name}'s key its property: { ${pairs} }`,
    );
    return undefined;
  }
  const suits = source.segments.map(({ property, type }) => {
    const name = given[property];
    const found = typeof name === 'string' ? typesOf(model, name) : undefined;
    const allowed = segmentDesignTypes[type.kind];
    if (found !== undefined && found.some((each) => allowed.includes(each))) return true;
    report(
      found === undefined
        ? `is found by ${valueText(name)}, which is not a segment or plain column of the entity`
        : `is found by '${name as string}', which has another type than segment '${property}' of ${source.name}`,
      `name a property that holds the ${property} of ${source.name}`,
    );
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
