/** The stages of repositories of authorized views, on embedded engines and on live ones. */
import {
  equalBytes,
  invalidArgument,
  noBytes,
  RowsmithError,
  type FaultTexts,
} from '../../base/index.js';
import { type EntityModel, qualifiersOf, readOnlyView } from '../model/index.js';
import {
  type OutsideWrite,
  type Stage,
  TableSubset,
  type TableView,
  viewStage,
} from '../../data/store/index.js';

/** What the path of a view needs besides the stages of any entity. */
export interface ViewStages {
  /** Refuses writes that are not of the view; on embedded engines it filters reads as well. */
  readonly view: Stage;
  /** On live engines, requests name the view instead of its table. */
  readonly named: Stage | undefined;
}

/** The stages for the views among the models; undefined if there are none. */
export function viewStages(
  models: readonly EntityModel[],
  isLive: boolean,
): ViewStages | undefined {
  const views = new Map<string, TableView>();
  for (const model of models)
    if (model.view !== undefined) views.set(model.table.name, tableView(model));
  if (views.size === 0) return undefined;
  const stage = viewStage((table) => {
    const view = views.get(table);
    if (view === undefined) throw invalidArgument('table', faults.noView(table), { table });
    return view;
  });
  const write: Stage['write'] = (request, send) => {
    const model = models.find(({ table }) => table.name === request.table);
    const error = model && readOnlyView(model);
    if (error !== undefined) return Promise.reject(error);
    return stage.write!(request, send);
  };
  if (!isLive) return { view: { ...stage, write }, named: undefined };
  const names = new Map(models.map((model) => [model.table.name, storedName(model, true)]));
  return { view: { write }, named: namingStage((table) => names.get(table) ?? table) };
}

/** The name by which an engine knows what the model is stored in. */
export function storedName({ table, view }: EntityModel, isLive: boolean): string {
  if (view === undefined || !isLive) return table.name;
  return `${table.name}/authorizedViews/${view.name}`;
}

/** The view of a model that has one. */
function tableView(model: EntityModel): TableView {
  const { rowPrefixes, families } = model.view!;
  const subset = new TableSubset(
    {
      rowPrefixes,
      families: new Map(
        [...families].map(([family, qualifiers]) => [
          family,
          qualifiers === 'all'
            ? { qualifiers: [], qualifierPrefixes: [noBytes] }
            : { qualifiers, qualifierPrefixes: [] },
        ]),
      ),
    },
    model.table.families.keys(),
  );
  return { subset, refused: (write) => refused(model, subset, write) };
}

function refused(model: EntityModel, subset: TableSubset, write: OutsideWrite): RowsmithError {
  const { name, view } = model;
  const source = view!.of.name;
  if (!subset.hasKey(write.key))
    return new RowsmithError('PERMISSION_DENIED', {
      entity: name,
      property: model.key.names[0],
      ...faults.otherRow(view!.name, source),
    });
  const { family, qualifier } = write;
  if (family === undefined || qualifier === undefined)
    return new RowsmithError('PERMISSION_DENIED', {
      entity: name,
      ...faults.wholeRow(view!.name, source),
    });
  const hidden = view!.of.columns.find(
    (column) =>
      column.family === family && qualifiersOf(column).some((each) => equalBytes(each, qualifier)),
  );
  return new RowsmithError('PERMISSION_DENIED', {
    entity: name,
    property: hidden?.property,
    ...faults.otherColumn(view!.name, source),
  });
}

/** Requests for rows go to another name than the table. */
function namingStage(nameOf: (table: string) => string): Stage {
  return {
    read: (request, send) =>
      send({ ...request, plan: { ...request.plan, table: nameOf(request.plan.table) } }),
    write: (request, send) => send({ ...request, table: nameOf(request.table) }),
    admin: (request, send) => {
      if (request.kind !== 'sampleRowKeys') return send(request);
      return send({ ...request, table: nameOf(request.table) });
    },
  };
}

/** Of a database that was opened with `view`: tables are neither changed nor inspected. */
export const noAdmin: Stage = {
  admin: (request, send) => {
    if (request.kind === 'sampleRowKeys' || request.kind === 'close') return send(request);
    return Promise.reject(new RowsmithError('PERMISSION_DENIED', faults.administration));
  },
};

const faults = {
  noView: (table: string) => ({
    problem: `the database was opened through a view, and table '${table}' has none here`,
    fix: 'open it without view, or use a table of its entities',
  }),
  otherRow: (view: string, source: string) => ({
    problem: `the row is outside of view '${view}'`,
    fix: `write it through the table: db.repository(${source})`,
  }),
  wholeRow: (view: string, source: string) => ({
    problem: `view '${view}' shows a part of the row, and the write deletes all of it`,
    fix: `patch the columns to null, or delete it through the table: db.repository(${source})`,
  }),
  otherColumn: (view: string, source: string) => ({
    problem: `view '${view}' does not show the column`,
    fix: `write it through the table: db.repository(${source})`,
  }),
  administration: {
    problem: 'the database was opened through a view, which administers no tables',
    fix: 'open it without view',
  },
} satisfies FaultTexts;
