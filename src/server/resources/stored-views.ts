/** Authorized views as the server stores them: AuthorizedView messages under their full names. */
import { RowsmithError, type FaultTexts } from '../../base/index.js';
import { AuthorizedView, type ContentOf } from '../../engines/protocol/index.js';
import type { ResourceStore } from './resource-store.js';

/** Contents of google.bigtable.admin.v2.AuthorizedView. */
export type ViewContent = ContentOf<typeof AuthorizedView>;

/** The view; undefined if there is none of this name. */
export function storedView(store: ResourceStore, name: string): ViewContent | undefined {
  const bytes = store.get('view', name);
  return bytes && AuthorizedView.decode(bytes);
}

/** The views of a table, sorted by name. */
export function viewsOf(store: ResourceStore, table: string): ViewContent[] {
  return store
    .list('view', `${table}/authorizedViews/`)
    .map(([, bytes]) => AuthorizedView.decode(bytes));
}

/** A protected view keeps its table and its instance (table.proto, deletion_protection). */
export function assertNoProtectedView(store: ResourceStore, table: string): void {
  const found = viewsOf(store, table).find(({ deletionProtection }) => deletionProtection === true);
  if (found === undefined) return;
  throw new RowsmithError('FAILED_PRECONDITION', faults.protectedView(table, found.name!));
}

/** Removes a view and its access policy. */
export async function removeView(store: ResourceStore, name: string): Promise<void> {
  await store.remove('view', name);
  await store.remove('policy', name);
}

/** Removes the views of a table. */
export async function removeViews(store: ResourceStore, table: string): Promise<void> {
  for (const { name } of viewsOf(store, table)) await removeView(store, name!);
}

const faults = {
  protectedView: (table: string, view: string) => ({
    problem: `Table ${table} cannot be deleted: authorized view ${view} is protected from deletion.`,
  }),
} satisfies FaultTexts;
