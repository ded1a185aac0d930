/** Marks of source rows with copies that are due: separate rows, described as an entity. */
import type { FaultTexts } from '../../../../base/index.js';
import { scalarCodec } from '../../../../data/cell/index.js';
import { buildKeyCodec, type KeyFormat, type KeyPart } from '../../../../data/key/index.js';
import type { ColumnModel, EntityModel, SourceModel } from '../../model.js';
import { noIndexes, tableOf } from './build-indexes.js';
import { entryColumns, oneVersion, versionFamily } from './entry-columns.js';
import type { Report } from '../shared/build-context.js';
import { maxTableNameLength } from '../shared/build-table.js';
import { deepFreeze } from '../shared/freeze.js';

const family = '_m';
const qualifier = (text: string): Uint8Array => Buffer.from(text);

/** Columns of a mark. */
export const markColumns = Object.freeze({
  /** When it was written. */
  since: Object.freeze({ family, qualifier: qualifier('s') }),
  /** Where its propagation goes on: the entity and the entry that are done. */
  position: Object.freeze({ family, qualifier: qualifier('p') }),
  /** Number of rows that are done. */
  done: Object.freeze({ family, qualifier: qualifier('d') }),
});

/** The last segment of a mark's key: which write it is of. No property has this name. */
export const markToken = '#token';

/** The source with the model of its marks, and with the family of versions in its table. */
export function sourceModel(
  model: EntityModel,
  columns: readonly ColumnModel[],
  targets: readonly EntityModel[],
  report: Report,
): EntityModel {
  const { family: version } = entryColumns.version;
  const isOurs = model.indexes.length + model.rollups.length > 0;
  if (!isOurs && model.table.families.has(version))
    report(undefined, faults.reservedFamily(version));
  const table = `${model.table.name}_copies`;
  if (table.length > maxTableNameLength)
    report(undefined, faults.tableNameTooLong(table, table.length));
  const mark = markModel(model, report);
  if (mark === undefined) return model;
  const families = new Map([
    ...model.table.families,
    [version, deepFreeze(versionFamily)] as const,
  ]);
  const copiedBy: SourceModel = Object.freeze({
    columns: Object.freeze(columns),
    targets: Object.freeze(targets),
    mark,
  });
  return Object.freeze({ ...model, table: tableOf(model.table.name, [...families]), copiedBy });
}

function markModel(model: EntityModel, report: Report): EntityModel | undefined {
  const name = `${model.name}.copies`;
  const format: KeyFormat = model.key.spec.format === 'ordered' ? 'ordered' : 'text';
  const token = { property: markToken, type: { kind: 'string' } } as const;
  const segments = [...model.segments, token];
  // The parts of the source's key, so that a class can be renamed while copies are due.
  const last: KeyPart = { kind: 'segment', name: markToken, type: token.type };
  const parts: readonly KeyPart[] = [...model.key.spec.parts, last];
  const built = buildKeyCodec(deepFreeze({ format, parts }), name);
  if ('faults' in built) {
    for (const { problem, fix } of built.faults) report('key', faults.unfitMarks(problem, fix));
    return undefined;
  }
  const column = (property: keyof typeof markColumns, codec: ColumnModel['codec']): ColumnModel =>
    Object.freeze({ kind: 'column', property, ...markColumns[property], codec });
  return Object.freeze({
    name,
    entityClass: { [name]: class {} }[name],
    table: tableOf(`${model.table.name}_copies`, [[family, deepFreeze(oneVersion)]]),
    segments: deepFreeze(segments),
    key: built.codec,
    // In storage order.
    columns: Object.freeze([
      column('done', scalarCodec('double')),
      column('position', scalarCodec('string')),
      column('since', scalarCodec('timestamp')),
    ]),
    patterns: Object.freeze([]),
    indexes: noIndexes,
    rollups: [],
  });
}

const faults = {
  reservedFamily: (version: string) => ({
    problem: `the table declares family '${version}', which copies use`,
    fix: 'rename the family',
  }),
  tableNameTooLong: (table: string, length: number) => ({
    problem: `the table of marks of its copies, '${table}', has ${length} characters`,
    fix: `give the entity a table of at most ${maxTableNameLength - '_copies'.length} characters`,
  }),
  unfitMarks: (problem: string, fix: string) => ({
    problem: `marks of its copies cannot hold the key: ${problem}`,
    fix,
  }),
} satisfies FaultTexts;
