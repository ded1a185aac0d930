/**
 * The query of a continuous materialized view for each rollup: what the library keeps in rows of
 * its own, kept by Bigtable. Nothing here can run it. It has Google's pattern for such views: one
 * table, WHERE and GROUP BY, without subqueries.
 */
import type { EntityModel, RollupModel, RollupResult } from '../../../entities/model/index.js';
import { commentLine } from '../comment-line.js';
import { blankLine, hclText, type HclItem } from '../tables/hcl.js';
import type { NamedInstance } from '../tables/instance.js';
import { sqlColumns } from './sql-column.js';
import { sqlName } from './sql-literal.js';
import { type ViewKey, viewKey } from './sql-view.js';

/** A view and what makes it. */
export interface MaterializedView {
  /** Its id: letters, digits, `_`, `-` and `.`. */
  readonly id: string;
  /** Undefined if the declaration cannot be a view. */
  readonly query: string | undefined;
  /** The query, or comments that say why there is none. */
  readonly text: string;
}

/** What every query says of itself. */
export const viewComments: readonly string[] = [
  "-- Written from Google's documentation, and not run by Rowsmith: test it on an instance first.",
  '-- It cannot be changed once the view is created, and the view is older than its table for a while.',
];

/** The views of all rollups, in the order of the entities. */
export function materializedViews(models: readonly EntityModel[]): readonly MaterializedView[] {
  return models.flatMap((model) => {
    const sharing = models.filter((other) => other.table.name === model.table.name);
    return model.rollups.map((rollup) => rollupView(model, rollup, sharing));
  });
}

function rollupView(
  model: EntityModel,
  rollup: RollupModel,
  sharing: readonly EntityModel[],
): MaterializedView {
  const id = rollup.rows.name.replace(/[^\w.-]/g, '_');
  const key = viewKey(model, sharing);
  const unreadable = rollup.by.filter((name) => key.columns.every(({ alias }) => alias !== name));
  if (unreadable.length > 0) {
    const lines = [
      `Rollup ${rollup.rows.name} cannot be a continuous materialized view:`,
      ...unreadable.map(
        (name) =>
          `- '${name}' cannot be read from the row key without an array or a row_key_schema`,
      ),
    ];
    const text = lines.map((line) => commentLine('--', line)).join('\n');
    return { id, query: undefined, text: `${text}\n` };
  }
  const query = viewQuery(model, rollup, key);
  return { id, query, text: query };
}

function viewQuery(model: EntityModel, rollup: RollupModel, key: ViewKey): string {
  const expressions = new Map(
    [...key.columns, ...model.columns.flatMap((column) => sqlColumns(model, column))].map(
      ({ alias, expression }) => [alias, expression],
    ),
  );
  const comments = [
    commentLine('--', `Rollup ${rollup.rows.name} as a continuous materialized view:`),
    `--   gcloud bigtable materialized-views create ${rollup.rows.name.replace(/[^\w.-]/g, '_')} --instance=INSTANCE --query="..."`,
    ...viewComments,
    ...key.comments,
  ];
  const groups = rollup.by.map((name) => {
    const expression = expressions.get(name) ?? 'NULL';
    if (name !== rollup.time) return `${expression} AS ${sqlName(name)}`;
    const millis = `UNIX_MILLIS(${expression})`;
    return `TIMESTAMP_MILLIS(${millis} - MOD(${millis}, ${rollup.width})) AS ${sqlName(name)}`;
  });
  const values = rollup.results.flatMap((result) => {
    const value = valueOf(model, result, expressions);
    if (value === undefined)
      comments.push(
        commentLine('--', `Views have no ${result.kind}: '${result.name}' is left out.`),
      );
    return value === undefined ? [] : [`${value} AS ${sqlName(result.name)}`];
  });
  const selected = [...groups, ...values];
  const lines = [
    ...comments,
    'SELECT',
    ...selected.map((line, i) => `  ${line}${i === selected.length - 1 ? '' : ','}`),
    `FROM ${sqlName(model.table.name)}`,
  ];
  if (key.conditions.length > 0) lines.push(`WHERE ${key.conditions.join('\n  AND ')}`);
  lines.push(`GROUP BY ${rollup.by.map(sqlName).join(', ')}`);
  return `${lines.join('\n')}\n`;
}

function valueOf(
  model: EntityModel,
  { kind, property }: RollupResult,
  expressions: ReadonlyMap<string, string>,
): string | undefined {
  if (property === undefined) return 'COUNT(*)';
  if (kind === 'first' || kind === 'last') return undefined;
  const expression = expressions.get(property) ?? 'NULL';
  if (kind === 'count') return `COUNT(${expression})`;
  const stored = model.columns.find((column) => column.property === property)?.codec.kind;
  // Decimal text is added and compared as a number.
  const number = stored === 'string' ? `SAFE_CAST(${expression} AS FLOAT64)` : expression;
  return `${kind.toUpperCase()}(${number})`;
}

/** google_bigtable_materialized_view for each view. */
export function materializedViewsTerraform(
  views: readonly MaterializedView[],
  { instance }: NamedInstance,
): string {
  const blocks = views.flatMap(({ id, query, text }): HclItem[] => {
    if (query === undefined) return [blankLine, ...reasonsOf(text)];
    return [
      blankLine,
      {
        block: 'resource',
        labels: ['google_bigtable_materialized_view', id.replace(/[^\w-]/g, '_')],
        body: [
          { name: 'materialized_view_id', value: id },
          {
            name: 'instance',
            value: instance ?? { expression: 'var.instance_name' },
          },
          { name: 'deletion_protection', value: true },
          { name: 'query', value: query },
        ],
      },
    ];
  });
  return hclText([
    {
      comment:
        'Continuous materialized views of the rollups and indexes, for the google provider. ' +
        'Written by rowsmith generate: change the entities, not this file.',
    },
    ...blocks,
  ]);
}

/** The comments of SQL as comments of Terraform. */
function reasonsOf(text: string): readonly HclItem[] {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => ({ comment: line.replace(/^-- /, '') }));
}
