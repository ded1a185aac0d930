/** Builds models from declarations. All faults of all entities are collected before it throws. */
import {
  errorMessage,
  noBytes,
  RowsmithError,
  toHex,
  valueText,
  type FaultTexts,
} from '../../../base/index.js';
import { buildColumns, type PlannedColumn } from './build-columns.js';
import { reporter, type BuildContext, type Report } from './shared/build-context.js';
import { columnsWithEarlierNames } from './build-reading.js';
import { noIndexes, withIndexes } from './derived/build-indexes.js';
import { linkSources, withCopies } from './derived/build-copies.js';
import { buildKey } from './build-key.js';
import { buildExpiry, checkCellTimestamp } from './build-cell-times.js';
import { buildHooks, buildManaged, checkRequiredAges } from './build-managed.js';
import { buildPatterns } from './build-patterns.js';
import { buildSchema } from './shared/build-schema.js';
import { withRollups } from './derived/build-rollups.js';
import { checkMessageNames, keepShapes } from './build-message.js';
import { buildTable, knownFamilies, sharedTable } from './shared/build-table.js';
import { buildView } from './build-view.js';
import { checkLint } from './check-lint.js';
import { checkDistinctNames, checkEntityName } from './check-names.js';
import { checkEntityOptions } from './shared/check-options.js';
import { checkRollupNames, checkSharedTables } from './check-tables.js';
import { storedModels } from '../stored-models.js';
import { declarationOf } from '../declaration/class-record.js';
import { entityName } from '../declaration/entity-name.js';
import type { ClassDeclaration, Constructor, EntityOptions } from '../declaration/declaration.js';
import { isOptions } from '../declaration/given-options.js';
import { isRowKeyDeclaration } from '../declaration/keys/row-key.js';
import { messagesOf } from '../messages-of.js';
import type { EntityModel, TableModel } from '../model.js';

/** Models of earlier builds. */
const builtModels = new WeakMap<Constructor, EntityModel>();

/** The model of an entity class, built once. Throws INVALID_DECLARATION with all faults. */
export function buildModel<E extends object>(entityClass: Constructor<E>): EntityModel<E> {
  return buildModels([entityClass])[0] as unknown as EntityModel<E>;
}

/**
 * The models of entity classes that are used together: each with the copies in other entities of
 * its values. Throws a single INVALID_DECLARATION with the
 * faults of all of them.
 */
export function buildModels(entityClasses: readonly Constructor[]): readonly EntityModel[] {
  const context: BuildContext = { faults: [], shapes: new Map() };
  const built: EntityModel[] = [];
  for (const [i, entityClass] of [...new Set(entityClasses)].entries()) {
    if (typeof entityClass !== 'function') {
      reportNoClass(entityClass, i, context);
      continue;
    }
    const model = builtModels.get(entityClass) ?? buildClass(entityClass, context);
    if (model === undefined) continue;
    built.push(model);
    for (const shape of messagesOf(model))
      context.shapes.set(shape.messageClass as Constructor, shape);
  }
  const modelOf = (entityClass: Constructor): EntityModel | undefined =>
    built.find((model) => model.entityClass === entityClass) ??
    builtModels.get(entityClass) ??
    buildEntity(entityClass, context);
  const whole = built.map((model) => withCopies(model, modelOf, context));
  const models = linkSources(whole, context);
  checkMessageNames(context);
  checkDistinctNames(models, context);
  const distinct = checkRollupNames(models, context);
  checkSharedTables(distinct ? storedModels(models) : models, context);
  if (context.faults.length > 0)
    throw new RowsmithError('INVALID_DECLARATION', {
      faults: Object.freeze(context.faults.map((fault) => Object.freeze(fault))),
    });
  keepShapes(context);
  // Without copies in other entities, which depend on the classes.
  for (const model of whole) builtModels.set(model.entityClass, model);
  return Object.freeze(models);
}

/** The model of an entity, or of a view of one. */
function buildClass(entityClass: Constructor, context: BuildContext): EntityModel | undefined {
  const { view } = declarationOf(entityClass);
  if (view === undefined) return buildEntity(entityClass, context);
  if (typeof view.of !== 'function') {
    reporter(context, entityClass.name)(undefined, faults.notAClass(view.of, 'pass an entity'));
    return undefined;
  }
  const source = builtModels.get(view.of) ?? buildClass(view.of, context);
  if (source === undefined) return undefined;
  const report = reporter(context, `${source.name}.${String(view.name)}`);
  return buildView(entityClass, view, source, report);
}

function reportNoClass(value: unknown, index: number, context: BuildContext): void {
  let fix = 'pass entity classes';
  if (value === undefined)
    fix =
      'the class is not initialised yet: break the circular import, ' +
      'or open the database after all modules are loaded';
  const report = reporter(context, `entities[${index}]`);
  report(undefined, faults.notAClass(value, fix));
}

function buildEntity(entityClass: Constructor, context: BuildContext): EntityModel | undefined {
  const before = context.faults.length;
  const declaration = declarationOf(entityClass);
  const name = entityName(entityClass, declaration.entity);
  const report = reporter(context, name);
  for (const { property, decorator, on } of declaration.misplaced)
    report(property, faults.decoratorElsewhere(decorator, on));
  for (const { property, problem, fix } of declaration.malformed)
    report(property, { problem, fix });
  const options = declaration.entity;
  if (options === undefined) {
    reportNoEntity(entityClass, declaration, report);
    return undefined;
  }
  if (hasNoProperties(declaration)) {
    report(undefined, faults.mixedDecorators);
    return undefined;
  }
  checkConstructor(entityClass, report);
  checkEntityOptions(options, report);
  if (!isOptions(options)) return undefined;
  checkEntityName(entityClass, options, report);
  checkLint(declaration, report);
  const table = buildTable(options, report);
  const key = buildKey(entityClass, name, declaration, report);
  const declaredColumns = columnsWithEarlierNames(declaration, report);
  const columns = buildColumns(declaredColumns, table, context, report);
  const marker = buildMarker(options, declaration, table, report);
  checkProperties(declaration, report);
  checkQualifiers(columns, marker, report);
  checkHasCells(declaration, options, report);
  const segments = key?.segments ?? [];
  checkCellTimestamp(declaration, options, segments, report);
  const expiresAt = buildExpiry({ declaration, options, segments, table, marker }, report);
  const managed = buildManaged(declaration.columns, table, report);
  checkRequiredAges(declaration.columns, table, report);
  const hooks = buildHooks(entityClass, report);
  if (options.mustExist !== undefined && typeof options.mustExist !== 'boolean')
    report(undefined, faults.wrongMustExist(valueText(options.mustExist)));
  const schema = buildSchema(options.schema, (fault) => report(undefined, fault));
  if (key === undefined) return undefined;
  const properties = declaration.columns.map((column) => column.property);
  const patterns = buildPatterns(entityClass, key.segments, properties, report);
  if (context.faults.length > before) return undefined;
  const plain: EntityModel = {
    name,
    entityClass,
    table,
    segments: key.segments,
    key: key.key,
    columns: Object.freeze(columns.map((column) => column.finish())),
    patterns,
    indexes: noIndexes,
    cellTimestamp: options.cellTimestamp,
    expiresAt,
    marker,
    managed,
    mustExist: options.mustExist === true ? true : undefined,
    hooks,
    schema,
    rollups: [],
  };
  const model = withIndexes(withRollups(entityClass, plain, report), report);
  if (context.faults.length > before) return undefined;
  return Object.freeze(model);
}

function reportNoEntity(
  { key }: Constructor & { readonly key?: unknown },
  declaration: ClassDeclaration,
  report: Report,
): void {
  if (isRowKeyDeclaration(key) && hasNoProperties(declaration))
    report(undefined, faults.decoratorsNotRun);
  else report(undefined, faults.noEntity);
}

/** Reads create instances, and only then set their properties. */
function checkConstructor(entityClass: Constructor, report: Report): void {
  try {
    new entityClass();
  } catch (error) {
    report(undefined, faults.failingConstructor(error));
  }
}

function hasNoProperties({
  segments,
  columns,
  fields,
  misplaced,
  malformed,
}: ClassDeclaration): boolean {
  return ![segments, columns, fields, misplaced, malformed].some((parts) => parts.length > 0);
}

function checkProperties(declaration: ClassDeclaration, report: Report): void {
  const segments = new Set(declaration.segments.map((segment) => segment.property));
  const seen = new Set<string>();
  for (const { property } of declaration.columns) {
    if (segments.has(property)) report(property, faults.segmentAndColumn);
    if (seen.has(property)) report(property, faults.twoColumns);
    seen.add(property);
  }
  for (const { property } of declaration.fields) report(property, faults.fieldInEntity);
}

/** Reports columns that would write or read the same qualifier. */
function checkQualifiers(
  columns: readonly PlannedColumn[],
  marker: EntityModel['marker'],
  report: Report,
): void {
  const owners = new Map<string, string>();
  if (marker !== undefined) owners.set(`${marker.family}:`, 'the marker');
  for (const { property, family, qualifier, alsoReads } of columns) {
    if (qualifier === undefined) continue;
    for (const each of [qualifier, ...alsoReads]) {
      const column = `${family}:${toHex(each)}`;
      const owner = owners.get(column);
      // A property with two columns, or that repeats its own qualifier, was reported already.
      if (owner !== undefined && owner !== `'${property}'`)
        report(property, faults.duplicateQualifier(owner, family));
      owners.set(column, `'${property}'`);
    }
  }
}

/** Reports an entity without columns and without a marker: Bigtable does not store empty rows. */
function checkHasCells(
  { columns, malformed }: ClassDeclaration,
  { marker = false }: EntityOptions,
  report: Report,
): void {
  if (columns.length + malformed.length > 0 || marker !== false) return;
  report(undefined, faults.noColumn);
}

function buildMarker(
  options: EntityOptions,
  declaration: ClassDeclaration,
  table: TableModel,
  report: Report,
): EntityModel['marker'] {
  const { marker = false } = options;
  if (marker === false) return undefined;
  if (typeof marker === 'string' && !table.families.has(marker)) {
    report(undefined, faults.unknownMarkerFamily(marker, knownFamilies(table)));
    return undefined;
  }
  // In the order of declaration; the families of the model are sorted.
  const declared = sharedTable(options)?.families ?? options.families ?? {};
  const candidates = typeof marker === 'string' ? [marker] : Object.keys(declared);
  const family = candidates.find((each) => canHoldMarker(each, declaration, table));
  if (family !== undefined) return Object.freeze({ family, qualifier: noBytes });
  if (table.families.size > 0) report(undefined, faults.unfitMarkerFamily);
  return undefined;
}

function canHoldMarker(family: string, declaration: ClassDeclaration, table: TableModel): boolean {
  if (table.families.get(family)?.aggregate !== undefined) return false;
  return !declaration.columns.some(
    (column) => column.kind === 'columnMap' && column.family === family,
  );
}

const faults = {
  notAClass: (value: unknown, fix: string) => ({
    problem: `${valueText(value)} is not a class`,
    fix,
  }),
  decoratorElsewhere: (decorator: string, on: string) => ({
    problem: `${decorator} is on ${on}`,
    fix: 'put it on a public instance property',
  }),
  mixedDecorators: {
    problem: '@Entity was recorded, but no decorator of a property',
    fix:
      'write decorators with parentheses, @Segment(), ' +
      'and compile the whole file either with legacy or with standard decorators',
  },
  wrongMustExist: (given: string) => ({
    problem: `mustExist is ${given}`,
    fix: 'write mustExist: true, or leave it out',
  }),
  decoratorsNotRun: {
    problem: 'the class has a row key, and no decorator of it was run',
    fix:
      'add @Entity({ table, families }) and the decorators of its properties; if they are there, the ' +
      'compiler has left them out: set "experimentalDecorators": true in compilerOptions of tsconfig.json',
  },
  noEntity: {
    problem: 'the class has no @Entity',
    fix: "add @Entity({ table: 'name', families: { m: {} } }), which is not inherited, or call defineEntity",
  },
  failingConstructor: (error: unknown) => ({
    problem: `its constructor fails without arguments: ${errorMessage(error)}`,
    fix: 'read rows are created without arguments: give the parameters defaults, or use a static factory method',
  }),
  segmentAndColumn: {
    problem: 'the property is a segment and a column',
    fix: 'keep it in the key, or make it a column',
  },
  twoColumns: { problem: 'the property has two columns', fix: 'keep one column decorator on it' },
  fieldInEntity: {
    problem: '@Field is in an entity',
    fix: 'use @Column, or move the field to a message class that @Packed stores',
  },
  duplicateQualifier: (owner: string, family: string) => ({
    problem: `it has the qualifier of ${owner} in family '${family}'`,
    fix: "give one of them another: { qualifier: 'name' }",
  }),
  noColumn: {
    problem: 'the entity has no column, and Bigtable does not store empty rows',
    fix: 'add a column, or marker: true to write one empty cell',
  },
  unknownMarkerFamily: (marker: string, knownFamiliesText: string) => ({
    problem: `marker names family '${marker}', which is not declared`,
    fix: knownFamiliesText,
  }),
  unfitMarkerFamily: {
    problem:
      'the marker needs a family that is neither an aggregate family nor the family of a @ColumnMap',
    fix: "add a plain family and name it: marker: 'm'",
  },
} satisfies FaultTexts;
