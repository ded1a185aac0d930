/** Authorized views of tables: the five calls of BigtableTableAdmin that manage them. */
import { randomBytes } from 'node:crypto';
import { RowsmithError, type FaultTexts } from '../../base/index.js';
import { TableSubset, type SubsetView, type TableSchema } from '../../data/store/index.js';
import {
  applyMask,
  AuthorizedView,
  checkId,
  CreateAuthorizedViewMetadata,
  CreateAuthorizedViewRequest,
  decodeSubsetView,
  DeleteAuthorizedViewRequest,
  Empty,
  GetAuthorizedViewRequest,
  ListAuthorizedViewsRequest,
  ListAuthorizedViewsResponse,
  LongOperation,
  parseResource,
  parseView,
  requestError,
  responseView,
  UpdateAuthorizedViewMetadata,
  UpdateAuthorizedViewRequest,
  type ContentOf,
} from '../../engines/protocol/index.js';
import type { Methods, Service } from '../rpc.js';
import {
  alreadyExistsError,
  etagError,
  notFoundError,
  preconditionError,
} from '../resources/resource-error.js';
import { removeView, storedView, viewsOf, type ViewContent } from '../resources/stored-views.js';
import type { ResourceStore } from '../resources/resource-store.js';
import type { TaskQueue } from '../resources/task-queue.js';
import type { Operations } from './operations.js';
import { onePage } from './paging.js';

/** What a mask may name; the etag is compared whether or not it is named. */
const mutableFields = ['subset_view', 'deletion_protection', 'etag'];

/**
 * The methods about views. `schemaOf` returns a table, or throws its NOT_FOUND; `changes` is the
 * queue in which tables are deleted, so that no view outlives one.
 */
export function viewMethods(
  service: Service,
  store: ResourceStore,
  schemaOf: (table: string) => Promise<TableSchema>,
  operations: Operations,
  changes: TaskQueue,
): Methods {
  const admin = new ViewAdmin(store, schemaOf, operations);
  const tableOf = ({ parent }: { readonly parent?: string }): string | undefined => parent;
  return {
    CreateAuthorizedView: service.unary(
      'CreateAuthorizedView',
      CreateAuthorizedViewRequest,
      LongOperation,
      (request) => changes.run(() => admin.create(request)),
      tableOf,
    ),
    ListAuthorizedViews: service.unary(
      'ListAuthorizedViews',
      ListAuthorizedViewsRequest,
      ListAuthorizedViewsResponse,
      (request) => admin.list(request),
      tableOf,
    ),
    GetAuthorizedView: service.unary(
      'GetAuthorizedView',
      GetAuthorizedViewRequest,
      AuthorizedView,
      (request) => admin.get(request),
    ),
    UpdateAuthorizedView: service.unary(
      'UpdateAuthorizedView',
      UpdateAuthorizedViewRequest,
      LongOperation,
      (request) => changes.run(() => admin.update(request)),
    ),
    DeleteAuthorizedView: service.unary(
      'DeleteAuthorizedView',
      DeleteAuthorizedViewRequest,
      Empty,
      (request) => changes.run(() => admin.delete(request)),
    ),
  };
}

class ViewAdmin {
  readonly #store: ResourceStore;
  readonly #schemaOf: (table: string) => Promise<TableSchema>;
  readonly #operations: Operations;

  constructor(
    store: ResourceStore,
    schemaOf: (table: string) => Promise<TableSchema>,
    operations: Operations,
  ) {
    this.#store = store;
    this.#schemaOf = schemaOf;
    this.#operations = operations;
  }

  async create(
    request: ContentOf<typeof CreateAuthorizedViewRequest>,
  ): Promise<ContentOf<typeof LongOperation>> {
    const requestTime = new Date();
    const { parent, authorizedViewId, authorizedView: view } = request;
    parseResource(parent, 'tables');
    const name = `${parent}/authorizedViews/${checkId(authorizedViewId, 'authorizedViews')}`;
    const schema = await this.#schemaOf(parent!);
    if (view === undefined) throw requestError('authorized_view', faults.missingView);
    if ((view.name ?? '') !== '' && view.name !== name)
      throw requestError('authorized_view.name', faults.wrongName(view.name!, name));
    assertFamilies(checkedSubset(view), schema);
    if (storedView(this.#store, name) !== undefined)
      throw alreadyExistsError('AuthorizedView', name);
    const created = await this.#put({ ...view, name });
    const metadata = { originalRequest: request, requestTime, finishTime: new Date() };
    return this.#operations.finished(
      name,
      [AuthorizedView, created],
      [CreateAuthorizedViewMetadata, metadata],
    );
  }

  async get({ name, view }: ContentOf<typeof GetAuthorizedViewRequest>): Promise<ViewContent> {
    // Not BASIC, as the proto says: Google's Go client asks for no view, and takes the subset.
    return shown(await this.#found(name), view, responseView.full);
  }

  async list({
    parent = '',
    pageSize,
    pageToken,
    view,
  }: ContentOf<typeof ListAuthorizedViewsRequest>): Promise<
    ContentOf<typeof ListAuthorizedViewsResponse>
  > {
    parseResource(parent, 'tables');
    await this.#schemaOf(parent);
    const views = viewsOf(this.#store, parent).map((each) =>
      shown(each, view, responseView.nameOnly),
    );
    const { items, nextPageToken } = onePage(views, ({ name }) => name!, pageSize, pageToken);
    return { authorizedViews: [...items], nextPageToken };
  }

  async update(
    request: ContentOf<typeof UpdateAuthorizedViewRequest>,
  ): Promise<ContentOf<typeof LongOperation>> {
    const requestTime = new Date();
    const { authorizedView: view, updateMask, ignoreWarnings } = request;
    if (view === undefined) throw requestError('authorized_view', faults.missingView);
    const current = await this.#found(view.name);
    const name = view.name!;
    assertEtag(view.etag, current);
    const paths = updatedPaths(view, updateMask?.paths);
    const changed = applyMask(AuthorizedView.shape, current, view, paths, mutableFields);
    const subset = checkedSubset(changed);
    if (paths.some((path) => path.startsWith('subset_view'))) {
      assertFamilies(subset, await this.#schemaOf(parseView(name).table));
      if (ignoreWarnings !== true && !includes(subset, checkedSubset(current)))
        throw preconditionError(faults.narrowerView(name).problem);
    }
    const stored = await this.#put(changed);
    const metadata = { originalRequest: request, requestTime, finishTime: new Date() };
    return this.#operations.finished(
      name,
      [AuthorizedView, stored],
      [UpdateAuthorizedViewMetadata, metadata],
    );
  }

  async delete({ name, etag }: ContentOf<typeof DeleteAuthorizedViewRequest>): Promise<object> {
    const view = await this.#found(name);
    assertEtag(etag, view);
    if (view.deletionProtection === true)
      throw preconditionError(faults.protectedView(name!).problem);
    await removeView(this.#store, name!);
    return {};
  }

  async #put(view: ViewContent): Promise<ViewContent> {
    const stored = { ...view, etag: randomBytes(8).toString('hex') };
    await this.#store.put('view', view.name!, AuthorizedView.encode(stored));
    return stored;
  }

  /** A view of a table that exists. */
  async #found(name: string | undefined): Promise<ViewContent> {
    const { table } = parseView(name);
    const view = storedView(this.#store, name!);
    if (view === undefined) throw notFoundError('AuthorizedView', name!);
    try {
      await this.#schemaOf(table);
    } catch {
      throw notFoundError('AuthorizedView', name!);
    }
    return view;
  }
}

/** The fields of a response; `otherwise` is the default of the method. */
function shown(view: ViewContent, requested: number | undefined, otherwise: number): ViewContent {
  const { name, etag, deletionProtection } = view;
  switch (requested === undefined || requested === 0 ? otherwise : requested) {
    case responseView.nameOnly:
      return { name };
    case responseView.basic:
      return { name, etag, deletionProtection };
    case responseView.full:
      return view;
    default:
      throw requestError('view', faults.unknownResponseView(requested!));
  }
}

/** The fields that an update changes (UpdateAuthorizedViewRequest.update_mask). */
function updatedPaths(view: ViewContent, paths: readonly string[] = []): readonly string[] {
  if (paths.includes('*')) return ['subset_view', 'deletion_protection'];
  if (paths.length > 0) return paths;
  const set = [];
  if (view.subsetView !== undefined) set.push('subset_view');
  if (view.deletionProtection !== undefined) set.push('deletion_protection');
  if (set.length === 0) throw requestError('update_mask', faults.nothingToUpdate);
  return set;
}

function checkedSubset({ subsetView }: ViewContent): SubsetView {
  if (subsetView === undefined) throw requestError('authorized_view', faults.missingSubset);
  return decodeSubsetView(subsetView);
}

function assertFamilies({ families }: SubsetView, schema: TableSchema): void {
  for (const family of families.keys())
    if (!schema.families.has(family)) throw new RowsmithError('FAMILY_NOT_FOUND', { family });
}

function assertEtag(given: string | undefined, { etag, name }: ViewContent): void {
  if ((given ?? '') !== '' && given !== etag) throw etagError('AuthorizedView', name!);
}

/** True if `view` shows all that `other` shows. */
function includes(view: SubsetView, other: SubsetView): boolean {
  const families = [...view.families.keys(), ...other.families.keys()];
  return new TableSubset(view, families).includes(new TableSubset(other, families));
}

const faults = {
  missingView: { problem: 'The authorized view must be specified' },
  missingSubset: { problem: 'subset_view must be specified' },
  wrongName: (given: string, name: string) => ({ problem: `'${given}' is not ${name}` }),
  nothingToUpdate: { problem: 'The update changes no field' },
  narrowerView: (name: string) => ({
    problem: `The update makes ${name} more restrictive. Set ignore_warnings to update it all the same.`,
  }),
  protectedView: (name: string) => ({
    problem: `Authorized view ${name} is protected from deletion.`,
  }),
  unknownResponseView: (view: number) => ({ problem: `There is no ResponseView ${view}` }),
} satisfies FaultTexts;
