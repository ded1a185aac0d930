/** Declarations -> models. Every fault of every entity is found before anything is thrown. */
import { RowsmithError } from '../../errors.js';
import { toHex, noBytes } from '../../bytes/index.js';
import { buildColumns, type PlannedColumn } from './build-columns.js';
import { reporter, type BuildContext, type Report } from './build-context.js';
import { columnsWithEarlierNames } from './build-reading.js';
import { buildKey } from './build-key.js';
import { buildPatterns } from './build-patterns.js';
import { checkMessageNames, keepShapes } from './build-message.js';
import { buildTable, knownFamilies } from './build-table.js';
import { checkTables } from './check-tables.js';
import { declarationOf } from '../declaration/class-record.js';
import type { ClassDeclaration, Constructor, EntityOptions } from '../declaration/declaration.js';
import { messagesOf } from '../messages-of.js';
import type { EntityModel, SegmentModel, TableModel } from '../model.js';

const built = new WeakMap<Constructor, EntityModel>();

/** The model of an entity class, checked once. Throws INVALID_DECLARATION with every fault. */
export function buildModel<E extends object>(entityClass: Constructor<E>): EntityModel<E> {
  return buildModels([entityClass])[0] as unknown as EntityModel<E>;
}

/**
 * The models of entity classes that are used together. Throws one INVALID_DECLARATION with every
 * fault of all of them.
 */
export function buildModels(entityClasses: readonly Constructor[]): readonly EntityModel[] {
  const context: BuildContext = { faults: [], shapes: new Map() };
  const models: EntityModel[] = [];
  for (const [i, entityClass] of [...new Set(entityClasses)].entries()) {
    const model =
      typeof entityClass === 'function'
        ? (built.get(entityClass) ?? buildEntity(entityClass, context))
        : notAClass(entityClass, i, context);
    if (model === undefined) continue;
    models.push(model);
    for (const shape of messagesOf(model))
      context.shapes.set(shape.messageClass as Constructor, shape);
  }
  checkMessageNames(context);
  checkTables(models, context);
  if (context.faults.length > 0)
    throw new RowsmithError('INVALID_DECLARATION', {
      faults: Object.freeze(context.faults.map((fault) => Object.freeze(fault))),
    });
  keepShapes(context);
  for (const model of models) built.set(model.entityClass, model);
  return Object.freeze(models);
}

function notAClass(value: unknown, position: number, context: BuildContext): undefined {
  reporter(context, `entities[${position}]`)(
    undefined,
    `${String(value)} is not a class`,
    value === undefined
      ? 'the class was not there yet: break the circular import, or open the database after all modules are loaded'
      : 'give entity classes',
  );
}

function buildEntity(entityClass: Constructor, context: BuildContext): EntityModel | undefined {
  const before = context.faults.length;
  const said = declarationOf(entityClass);
  const report = reporter(context, entityClass.name);
  for (const { property, decorator, on } of said.misplaced)
    report(property, `${decorator} is on ${on}`, 'put it on a public instance property');
  const options = said.entity;
  if (options === undefined) {
    report(
      undefined,
      'the class has no @Entity',
      "add @Entity({ table: 'name', families: { m: {} } }), which is not inherited, or call defineEntity",
    );
    return undefined;
  }
  if (
    said.segments.length + said.columns.length + said.fields.length + said.misplaced.length ===
    0
  ) {
    report(
      undefined,
      '@Entity was recorded, but no decorator of a property',
      'write decorators with parentheses, @Segment(), and compile the whole file with one dialect of decorators',
    );
    return undefined;
  }
  const table = buildTable(options, report);
  const key = buildKey(entityClass, said, report);
  const columns = buildColumns(columnsWithEarlierNames(said, report), table, context, report);
  const marker = buildMarker(options, said, table, report);
  checkProperties(said, options, columns, marker, report);
  checkCellTimestamp(said, options, key?.segments ?? [], report);
  const patterns =
    key === undefined
      ? []
      : buildPatterns(
          entityClass,
          key.segments,
          said.columns.map((column) => column.property),
          report,
        );
  if (key === undefined || context.faults.length > before) return undefined;
  return Object.freeze({
    name: entityClass.name,
    entityClass,
    table,
    segments: key.segments,
    key: key.key,
    columns: Object.freeze(columns.map((column) => column.finish())),
    patterns,
    ...(options.cellTimestamp === undefined ? {} : { cellTimestamp: options.cellTimestamp }),
    ...(marker === undefined ? {} : { marker }),
  });
}

function checkProperties(
  said: ClassDeclaration,
  options: EntityOptions,
  columns: readonly PlannedColumn[],
  marker: EntityModel['marker'],
  report: Report,
): void {
  const segments = new Set(said.segments.map((segment) => segment.property));
  const places = new Map<string, string>();
  const seen = new Set<string>();
  for (const { property } of said.columns) {
    if (segments.has(property))
      report(
        property,
        'the property is a segment and a column',
        'keep it in the key, or make it a column',
      );
    if (seen.has(property))
      report(property, 'the property has two columns', 'keep one column decorator on it');
    seen.add(property);
  }
  for (const { property } of said.fields)
    report(
      property,
      '@Field is in an entity',
      'use @Column, or move the field to a message class that @Packed stores',
    );
  if (marker !== undefined) places.set(`${marker.family}:`, 'the marker');
  for (const { property, family, qualifier, alsoReads } of columns) {
    if (qualifier === undefined) continue;
    for (const each of [qualifier, ...alsoReads]) {
      const place = `${family}:${toHex(each)}`;
      const other = places.get(place);
      // A property with two columns, or that names its own qualifier again, has its fault already.
      if (other !== undefined && other !== `'${property}'`)
        report(
          property,
          `it has the qualifier of ${other} in family '${family}'`,
          "give one of them another: { qualifier: 'name' }",
        );
      places.set(place, `'${property}'`);
    }
  }
  if (said.columns.length === 0 && options.marker === undefined) {
    report(
      undefined,
      'the entity has no column, and Bigtable keeps no empty rows',
      'add a column, or marker: true to write one empty cell',
    );
  }
}

function buildMarker(
  { marker }: EntityOptions,
  said: ClassDeclaration,
  table: TableModel,
  report: Report,
): EntityModel['marker'] {
  if (marker === undefined || marker === false) {
    if (marker === false && said.columns.length === 0)
      report(
        undefined,
        'the entity has no column, and Bigtable keeps no empty rows',
        'add a column, or marker: true to write one empty cell',
      );
    return undefined;
  }
  const free = (family: string): boolean =>
    table.families.get(family)?.aggregate === undefined &&
    !said.columns.some((column) => column.kind === 'columnMap' && column.family === family);
  if (typeof marker === 'string' && !table.families.has(marker)) {
    report(
      undefined,
      `marker names family '${marker}', which is not declared`,
      knownFamilies(table),
    );
    return undefined;
  }
  const declared = Object.keys(
    (typeof said.entity?.table === 'object' ? said.entity.table.families : said.entity?.families) ??
      {},
  );
  const family =
    typeof marker === 'string' ? (free(marker) ? marker : undefined) : declared.find(free);
  if (family !== undefined) return Object.freeze({ family, qualifier: noBytes });
  if (table.families.size > 0)
    report(
      undefined,
      'the marker has no family: it can stand neither in an aggregate family nor in that of a @ColumnMap',
      "add a plain family and name it: marker: 'm'",
    );
  return undefined;
}

function checkCellTimestamp(
  said: ClassDeclaration,
  { cellTimestamp }: EntityOptions,
  segments: readonly SegmentModel[],
  report: Report,
): void {
  if (cellTimestamp === undefined) return;
  const segment = segments.find((each) => each.property === cellTimestamp);
  const column = said.columns.find((each) => each.property === cellTimestamp);
  const scalar =
    column?.kind === 'column' &&
    (column.type.kind === 'scalar'
      ? column.type.scalar
      : column.type.kind === 'inferred' && column.designType() === Date
        ? 'timestamp'
        : undefined);
  const declared = said.segments.some((each) => each.property === cellTimestamp);
  // A segment whose own declaration is faulty has its fault already.
  if (segment === undefined && declared) return;
  const dates =
    segment === undefined
      ? scalar === 'timestamp'
      : segment.type.kind === 'timestamp' || segment.type.kind === 'isoDate';
  if (!dates)
    report(
      cellTimestamp,
      'cellTimestamp names a property that is no moment',
      "name a Date: @Segment('timestamp'), @Segment('isoDate') or @Column(family, 'timestamp')",
    );
}
