/** What a query of an index reads: the entries, and the rows that they lead to. */
import {
  invalidArgument,
  nearestName,
  pointRange,
  quotedList,
  RowsmithError,
  valueText,
  wrongObject,
  type FaultTexts,
} from '../../../../base/index.js';
import { whenReady } from '../../../derived/index.js';
import type { KeyRanges } from '../../../../data/key/index.js';
import {
  type ColumnModel,
  type EntityModel,
  type IndexModel,
  scopedModel,
} from '../../../model/index.js';
import {
  type ColumnSelection,
  columnSelectionOf,
  fullScan,
  type QueryPlan,
  type QuerySpec,
} from '../../../query/index.js';
import type { ReaderContext } from '../../read/rows/entity-pages.js';
import { ScopeGuard } from '../../scope/scope-guard.js';
import { storagePath } from '../../storage-path.js';

/** One index, as a repository reads it. */
export interface IndexTarget {
  readonly index: IndexModel;
  /** The entity, in the scope of the repository. */
  readonly model: EntityModel;
  /** Reads its rows. */
  readonly context: ReaderContext;
  /** The entries as users see them: without the column that holds the row's key. */
  readonly entry: EntityModel;
  /** Reads the entries. */
  readonly entryContext: ReaderContext;
  /** The column that holds the row's key; undefined if the segments of the entry do. */
  readonly holder: ColumnModel | undefined;
  /** What is read of entries to find rows: one object, because readers are compiled for each. */
  readonly rowKeys: ColumnSelection;
  /** What is read of entries alone, if they are not tested. */
  readonly covered: ColumnSelection;
}

/** The repository of the index that is read. */
export interface IndexReader {
  readonly model: EntityModel;
  readonly context: ReaderContext;
  /** The same without a scope: its guard serves no other table. */
  readonly unscoped: { readonly model: EntityModel; readonly context: ReaderContext };
}

/** Throws INVALID_ARGUMENT if the entity has no index of this name that the scope can use. */
export function indexTarget({ model, context, unscoped }: IndexReader, name: unknown): IndexTarget {
  const index = indexOf(model, name);
  const isHolder = ({ family, kind }: ColumnModel): boolean =>
    kind === 'column' && family === index.own.holder.family;
  const holder = index.entry.columns.find(isHolder);
  const columns = index.entry.columns.filter((column) => column !== holder);
  const shown = holder === undefined ? index.entry : { ...index.entry, columns };
  const entry = entryInScope(model, shown);
  const { indexStates } = context;
  const engine = storagePath(unscoped.context.engine, {
    ready: indexStates && whenReady(() => indexStates.assertReady(unscoped.model, index)),
    scope: entry.key.scope && new ScopeGuard(entry, entry.key.scope.ranges),
  });
  const entryContext = { ...unscoped.context, engine };
  return { index, model, context, entry, entryContext, holder, ...selectionsOf(entry, holder) };
}

function selectionsOf(
  entry: EntityModel,
  holder: ColumnModel | undefined,
): Pick<IndexTarget, 'rowKeys' | 'covered'> {
  const stored = withHolder(entry, holder);
  const keysOnly = { ...fullScan, keysOnly: true };
  const rowKeys = holder === undefined ? keysOnly : { ...fullScan, select: [holder.property] };
  return {
    rowKeys: columnSelectionOf(stored, rowKeys),
    covered: columnSelectionOf(stored, coveredSpec(stored, fullScan)),
  };
}

/** The entry with all columns that are stored. */
export function withHolder(entry: EntityModel, holder: ColumnModel | undefined): EntityModel {
  if (holder === undefined) return entry;
  return { ...entry, columns: [...entry.columns, holder] };
}

/** The plan as it is explained: with the segments of the row key for the column that holds it. */
export function explainedPlan({ entry, model, holder }: IndexTarget, plan: QueryPlan): QueryPlan {
  const { selection } = plan;
  const others = model.key.names.filter((name) => !entry.key.names.includes(name));
  const columns = selection.columns.flatMap((column) =>
    column === holder ? others.map((property) => ({ ...column, property })) : [column],
  );
  return { ...plan, selection: { ...selection, columns } };
}

/** The query for whole entries as plain objects. */
export function coveredSpec({ columns }: EntityModel, query: QuerySpec): QuerySpec {
  return { ...query, select: columns.map(({ property }) => property), everyRow: true };
}

function indexOf({ name: entity, indexes }: EntityModel, name: unknown): IndexModel {
  const index = indexes.find((each) => each.name === name);
  if (index !== undefined) return index;
  const names = indexes.map((each) => each.name);
  if (names.length === 0)
    throw invalidArgument('index', faults.entityWithoutIndex(entity), { entity });
  const nearest = nearestName(name, names);
  let fix = `use ${quotedList(names)}; an index that was removed from indexes() cannot be queried`;
  if (nearest !== undefined) fix = `did you mean '${nearest}'? ${entity} has ${quotedList(names)}`;
  const given = typeof name === 'string' ? `'${name}'` : valueText(name);
  throw invalidArgument('index', faults.unknownIndex(entity, given, fix), { entity });
}

/** The entries that lead to rows of the scope. */
function entryInScope({ name, key: { scope } }: EntityModel, entry: EntityModel): EntityModel {
  if (scope === undefined) return entry;
  const { names } = entry.key;
  const other = names.slice(0, scope.names.length).find((each) => !scope.names.includes(each));
  if (other === undefined && names.length > scope.names.length)
    return scopedModel(entry, scope.values());
  const given = quotedList(scope.names);
  let problem = `the scope gives ${given}, which are all segments of the index`;
  if (other !== undefined)
    problem = `the index begins with '${other}', and the scope gives ${given}`;
  throw new RowsmithError('INVALID_ARGUMENT', {
    entity: entry.name,
    property: other ?? names[0],
    ...faults.outsideScope(problem, name, given),
  });
}

/** Throws INVALID_QUERY for a query of all entries that was not started with `scanAll`. */
export function assertCondition({ entry, index }: IndexTarget, query: QuerySpec): void {
  const { key, firstPer } = query;
  const isWhole = key.depth === 0 && key.prefixes.length > 0 && key.bound === undefined;
  if (!isWhole || firstPer !== undefined) return;
  throw new RowsmithError('INVALID_QUERY', {
    entity: entry.name,
    property: entry.key.names[0],
    ...faults.unboundedQuery(index.name, entry.key.names[0]),
  });
}

/** The range of one entry. Throws INVALID_KEY. */
export function entryRange({ entry }: IndexTarget, values: unknown): KeyRanges {
  const wrong = wrongObject(values, true);
  if (wrong === undefined)
    return { perShard: [[pointRange(entry.key.encode(values as Record<string, unknown>))]] };
  const names = entry.key.names;
  throw new RowsmithError('INVALID_KEY', {
    entity: entry.name,
    property: 'key',
    ...faults.wrongValues(
      names.join(', '),
      wrong.given,
      wrong.fix ?? `write { ${names.map((name) => `${name}: ...`).join(', ')} }`,
    ),
  });
}

const faults = {
  entityWithoutIndex: (entity: string) => ({
    problem: `${entity} declares no index`,
    fix: "write static readonly indexes = indexes({ byStatus: indexOn('status') }) beside its key",
  }),
  unknownIndex: (entity: string, given: string, fix: string) => ({
    problem: `${entity} declares no index ${given}`,
    fix,
  }),
  outsideScope: (problem: string, name: string, given: string) => ({
    problem: `${problem}: its entries cannot be read within the scope`,
    fix: `use db.repository(${name}).index(...), or begin the index with ${given}`,
  }),
  unboundedQuery: (indexName: string, name: string) => ({
    problem: `a query of index '${indexName}' needs a prefix or a bound`,
    fix: `call prefix({ ${name}: ... }); to read every entry call scanAll()`,
  }),
  wrongValues: (list: string, given: string, fix: string) => ({
    problem: `the values of an index are an object with ${list}, not ${given}`,
    fix,
  }),
} satisfies FaultTexts;
