/** What the results of a query are: their columns, and how a row becomes a line. */
import { isBytes, isDate } from '../../../../base/index.js';
import { segmentTextForms } from '../../../../data/text/index.js';
import type { EntityModel } from '../../../../entities/model/index.js';
import type { JsonValue } from '../../protocol/json.js';
import type { RowView } from '../../protocol/query.js';
import type { ColumnInfo } from '../../protocol/schema.js';
import type { ParsedQuery } from './parse-query.js';
import { columnInfo, segmentColumn } from '../schema-info.js';
import {
  columnShower,
  rowLimits,
  segmentShower,
  ShownRow,
  type ShowValue,
} from '../shown-values.js';

/** The results of a query. */
export interface Results {
  /** The table of the rows that the keys name. */
  readonly table: string;
  readonly columns: readonly ColumnInfo[];
  view(row: object): RowView;
}

type Values = Readonly<Record<string, unknown>>;

/** A column, and how its values are shown. */
interface ShownColumn {
  readonly info: ColumnInfo;
  readonly show: ShowValue;
}

/** The results of a query. */
export function resultsOf(query: ParsedQuery): Results {
  const { source, select } = query;
  switch (source.kind) {
    case 'collection':
      return collectionResults(source.members);
    case 'rollup':
      return rollupResults(source.rollup);
    case 'index':
      if (source.covered) {
        const { segments, covered } = source.index;
        return entityResults(source.model, select ?? [...segments, ...covered]);
      }
      return entityResults(source.model, select);
    case 'pattern':
      return entityResults(source.model, select ?? source.pattern.select);
    case 'entity':
      return entityResults(source.model, select);
  }
}

function entityResults(model: EntityModel, select: readonly string[] | undefined): Results {
  const columns = shownColumns(model, select);
  return {
    table: model.table.name,
    columns: columns.map(({ info }) => info),
    view: (row) => viewOf(model, columns, row as Values),
  };
}

/** The segments, then the columns; of `select` only those. */
function shownColumns(
  model: EntityModel,
  select: readonly string[] | undefined,
): readonly ShownColumn[] {
  const isShown = (name: string): boolean => select === undefined || select.includes(name);
  return [
    ...model.segments.map((segment) => ({
      info: segmentColumn(segment),
      show: segmentShower(segment),
    })),
    ...model.columns
      .filter(({ property }) => isShown(property))
      .map((column) => ({ info: columnInfo(model, column), show: columnShower(column) })),
  ];
}

function viewOf(model: EntityModel, columns: readonly ShownColumn[], row: Values): RowView {
  const shown = new ShownRow(rowLimits);
  const values = columns.map(({ info, show }) => show(row[info.name], shown));
  const key = Buffer.from(model.key.encode(row)).toString('base64');
  return shown.cuts.length === 0 ? { key, values } : { key, values, cuts: shown.cuts };
}

function collectionResults(members: readonly EntityModel[]): Results {
  const byName = new Map(members.map((model) => [model.name, entityResults(model, undefined)]));
  return {
    table: members[0].table.name,
    columns: [],
    view(row) {
      const { kind, entity } = row as { readonly kind: string; readonly entity: object };
      return { ...byName.get(kind)!.view(entity), entity: kind };
    },
  };
}

type RollupModel = Extract<ParsedQuery['source'], { readonly kind: 'rollup' }>['rollup'];

function rollupResults({ rows, results }: RollupModel): Results {
  const values = results.map(({ name, kind }): ShownColumn => ({
    info: {
      name,
      role: 'column',
      kind,
      required: false,
      editable: false,
      comparable: false,
      tests: [],
    },
    show: plainValue,
  }));
  const columns = [
    ...rows.segments.map((segment) => ({
      info: segmentColumn(segment),
      show: segmentShower(segment),
    })),
    ...values,
  ];
  return {
    table: rows.table.name,
    columns: columns.map(({ info }) => info),
    view: (row) => viewOf(rows, columns, row as Values),
  };
}

/** A value of a kind that only its content tells. */
function plainValue(value: unknown, row: ShownRow): JsonValue {
  if (value === undefined || value === null) return null;
  if (typeof value === 'bigint') return String(value);
  if (typeof value === 'number') return segmentTextForms.float.format(value) as JsonValue;
  if (isDate(value)) return value.toISOString();
  if (isBytes(value)) return row.bytes(value, []);
  return value as JsonValue;
}
