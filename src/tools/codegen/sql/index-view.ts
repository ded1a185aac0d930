/**
 * The query of an asynchronous secondary index for each index: a continuous materialized view with
 * ORDER BY. Nothing here can run it. Google's rules: every ordered column is selected, the row key
 * of the source is one of them and unmodified, and all are ascending. Row keys of views have the
 * types STRING, BYTES, INT64 and TIMESTAMP.
 */
import type { FaultTexts, ProblemText } from '../../../base/index.js';
import type {
  ColumnModel,
  EntityModel,
  IndexModel,
  SegmentModel,
} from '../../../entities/model/index.js';
import { commentLine } from '../comment-line.js';
import { UniqueNames } from '../unique-names.js';
import { type MaterializedView, viewComments } from './materialized-view.js';
import { sqlColumns } from './sql-column.js';
import { sqlName } from './sql-literal.js';
import { type ViewKey, viewKey } from './sql-view.js';

/** An ordered column, or why the index cannot be a view. */
type Ordered = { readonly expression: string } | { readonly reason: string };

const floorMillis = { hour: 3_600_000, day: 86_400_000 } as const;

/** The views of all indexes, in the order of the entities. */
export function indexViews(models: readonly EntityModel[]): readonly MaterializedView[] {
  return models.flatMap((model) => {
    const sharing = models.filter((other) => other.table.name === model.table.name);
    return model.indexes.map((index) => indexView(model, index, sharing));
  });
}

function indexView(
  model: EntityModel,
  index: IndexModel,
  sharing: readonly EntityModel[],
): MaterializedView {
  const name = `${model.name}.${index.name}`;
  const id = indexViewId(model, index);
  const key = viewKey(model, sharing);
  const ordered = index.segments.map((property) => {
    const segment = index.entry.segments.find((each) => each.property === property)!;
    return { property, ...orderedColumn(model, segment, key) };
  });
  const reasons = ordered.flatMap((column) => ('reason' in column ? [column.reason] : []));
  if (index.unique)
    reasons.unshift('it is unique, and views are written after the row: they reject nothing');
  if (reasons.length > 0) {
    const title = `Index ${name} cannot be an asynchronous secondary index:`;
    const lines = [title, ...reasons.map((reason) => `- ${reason}`)];
    return {
      id,
      query: undefined,
      text: `${lines.map((line) => commentLine('--', line)).join('\n')}\n`,
    };
  }
  const columns = ordered.flatMap((column) => ('reason' in column ? [] : [column]));
  const query = viewQuery(model, index, key, columns);
  return { id, query, text: query };
}

function viewQuery(
  model: EntityModel,
  index: IndexModel,
  key: ViewKey,
  ordered: readonly { readonly property: string; readonly expression: string }[],
): string {
  const names = new UniqueNames();
  const order = ordered.map(({ property, expression }) => ({
    alias: names.take(property),
    expression,
  }));
  // Aliased as in Google's examples: the view has another key than the table.
  const source = { alias: names.take('source_key'), expression: '_key' };
  const comments: string[] = [];
  const covered = index.covered.flatMap((property) => {
    const column = model.columns.find((each) => each.property === property)!;
    const expression = coveredExpression(model, column);
    if (expression !== undefined) return [{ alias: names.take(property), expression }];
    comments.push(commentLine('--', `Views have no maps and messages: '${property}' is left out.`));
    return [];
  });
  const selected = [...order, source, ...covered];
  const fromColumns = ordered.filter(({ property }) => isColumn(model, property));
  const conditions = [
    ...key.conditions,
    // Rows without a value have no entry.
    ...fromColumns.map(({ expression }) => `${expression} IS NOT NULL`),
  ];
  const lines = [
    commentLine('--', `Index ${model.name}.${index.name} as an asynchronous secondary index:`),
    `--   gcloud bigtable materialized-views create ${indexViewId(model, index)} --instance=INSTANCE --query="..."`,
    ...viewComments,
    ...key.comments,
    ...comments,
    'SELECT',
    ...selected.map(
      ({ alias, expression }, i) =>
        `  ${expression} AS ${sqlName(alias)}${i === selected.length - 1 ? '' : ','}`,
    ),
    `FROM ${sqlName(model.table.name)}`,
  ];
  if (conditions.length > 0) lines.push(`WHERE ${conditions.join('\n  AND ')}`);
  lines.push(`ORDER BY ${[...order, source].map(({ alias }) => sqlName(alias)).join(', ')}`);
  return `${lines.join('\n')}\n`;
}

/** The id of the view; a rollup of the entity may have the same name. */
function indexViewId({ name, rollups }: EntityModel, index: IndexModel): string {
  const id = `${name}.${index.name}`.replace(/[^\w.-]/g, '_');
  const isTaken = rollups.some((rollup) => rollup.name === index.name);
  return isTaken ? `${id}.index` : id;
}

/** A segment of the index that has the same order in the key of a view. */
function orderedColumn(
  model: EntityModel,
  { property, type }: SegmentModel,
  key: ViewKey,
): Ordered {
  const refused = ({ problem }: ProblemText): Ordered => ({ reason: `'${property}' ${problem}` });
  if (type.order === 'desc') return refused(faults.descendingSegment);
  if (type.nullable === true) return refused(faults.nullableSegment);
  if (type.normalize !== undefined) return refused(faults.normalisedSegment);
  const column = model.columns.find((each) => each.property === property);
  let expression = key.columns.find(({ alias }) => alias === property)?.expression;
  if (column !== undefined) expression = sqlColumns(model, column)[0].expression;
  if (expression === undefined) return refused(faults.unreadableSegment);
  switch (type.kind) {
    case 'float':
      return refused(faults.floatKey);
    case 'decimal':
      return refused(faults.decimalText);
    case 'reversedId':
    case 'domain':
      return refused(faults.reversedOrder);
    case 'enum':
      if (type.by === 'ordinal') return refused(faults.declarationOrder);
      return { expression };
    case 'bigint':
      if (column === undefined && type.width === undefined) return refused(faults.variableDigits);
      return { expression };
    case 'bool':
      return { expression: `CAST(${expression} AS INT64)` };
    case 'isoDate':
      if (column === undefined) return { expression };
      return { expression: `CAST(${expression} AS STRING)` };
    case 'string':
      return { expression: type.lower === true ? `LOWER(${expression})` : expression };
    case 'timestamp':
      return { expression: flooredTime(expression, column === undefined ? undefined : type.floor) };
    default:
      return { expression };
  }
}

/** Segments of the row key are floored already. */
function flooredTime(expression: string, floor: 'hour' | 'day' | number | undefined): string {
  if (floor === undefined) return expression;
  const width = typeof floor === 'number' ? floor : floorMillis[floor];
  const millis = `UNIX_MILLIS(${expression})`;
  // MOD has the sign of its first argument, so times before 1970 need two.
  return `TIMESTAMP_MILLIS(${millis} - MOD(MOD(${millis}, ${width}) + ${width}, ${width}))`;
}

function isColumn(model: EntityModel, property: string): boolean {
  return model.columns.some((column) => column.property === property);
}

function coveredExpression(model: EntityModel, column: ColumnModel): string | undefined {
  if (column.kind === 'columnMap' || column.message !== undefined) return undefined;
  const [{ expression }] = sqlColumns(model, column);
  // DATE may not be a column of a view.
  return column.codec.kind === 'date' ? `CAST(${expression} AS STRING)` : expression;
}

const faults = {
  descendingSegment: { problem: 'is descending, and views are ascending' },
  nullableSegment: {
    problem: 'is nullable, and it is not documented whether keys of views may be NULL',
  },
  normalisedSegment: { problem: 'is normalised' },
  unreadableSegment: {
    problem: 'cannot be read from the row key without an array or a row_key_schema',
  },
  floatKey: { problem: 'is a number with a fraction, a type that keys of views do not have' },
  decimalText: { problem: 'is decimal text, which a view would sort as text' },
  reversedOrder: { problem: 'sorts from its end, and a view would sort it from its start' },
  declarationOrder: { problem: 'sorts by declaration, and a view by name' },
  variableDigits: { problem: 'has any number of digits, which a view would sort as text' },
} satisfies FaultTexts;
