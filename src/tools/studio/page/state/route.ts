/** Where the page is: the fragment of its address, which can be kept and sent to others. */
import { computed, signal } from '@preact/signals';
import type { Base64 } from '../../protocol/json.js';
import type { StudioQuery, StudioSource } from '../../protocol/query.js';
import type { RowName } from '../../protocol/row.js';

/** A place of the page. */
export type Route =
  | { readonly view: 'home' }
  | { readonly view: 'query'; readonly query: StudioQuery; readonly row?: RowName | undefined }
  | { readonly view: 'row'; readonly row: RowName }
  | {
      readonly view: 'stored';
      readonly table: string;
      readonly prefix: string;
      readonly undecodable: boolean;
      readonly row?: RowName | undefined;
    }
  | { readonly view: 'schema'; readonly entity?: string | undefined }
  | { readonly view: 'findings' }
  | { readonly view: 'garbage'; readonly table?: string | undefined }
  | { readonly view: 'derived' }
  | { readonly view: 'heat' }
  | { readonly view: 'simulate'; readonly workload?: string | undefined }
  | { readonly view: 'insert'; readonly entity: string }
  | { readonly view: 'import'; readonly entity: string };

const fragment = signal(location.hash);
addEventListener('hashchange', () => {
  fragment.value = location.hash;
});

/** The place where the page is. */
export const route = computed(() => routeOf(fragment.value));

/** The address of a place. */
export function addressOf(place: Route): string {
  switch (place.view) {
    case 'home':
      return '#/';
    case 'query':
      return `#/query?${parameters({ q: JSON.stringify(place.query), ...rowParameters(place.row) })}`;
    case 'row':
      return `#/row?${parameters(rowParameters(place.row))}`;
    case 'stored': {
      const { table, prefix } = place;
      const undecodable = place.undecodable ? 'yes' : '';
      return `#/stored?${parameters({ of: table, prefix, undecodable, ...rowParameters(place.row) })}`;
    }
    case 'schema':
      return `#/schema?${parameters({ entity: place.entity ?? '' })}`;
    case 'garbage':
      return `#/garbage?${parameters({ of: place.table ?? '' })}`;
    case 'simulate':
      return `#/simulate?${parameters({ of: place.workload ?? '' })}`;
    case 'insert':
    case 'import':
      return `#/${place.view}?${parameters({ entity: place.entity })}`;
    default:
      return `#/${place.view}`;
  }
}

/** Goes to a place; with `replace` the one before is not kept in the history. */
export function go(place: Route, replace = false): void {
  const address = addressOf(place);
  if (replace) history.replaceState(undefined, '', address);
  else history.pushState(undefined, '', address);
  fragment.value = address;
}

/** The query that shows the first rows of a source. */
export const firstRows = (source: StudioSource): Route => ({ view: 'query', query: { source } });

function routeOf(text: string): Route {
  const [path, rest = ''] = text.replace(/^#\/?/, '').split('?', 2) as [string, string?];
  const given = new URLSearchParams(rest);
  const value = (name: string): string => given.get(name) ?? '';
  const row = rowOf(value('table'), value('key'));
  switch (path) {
    case 'query': {
      const query = queryFrom(value('q'));
      return query === undefined ? { view: 'home' } : { view: 'query', query, row };
    }
    case 'row':
      return row === undefined ? { view: 'home' } : { view: 'row', row };
    case 'stored': {
      const undecodable = value('undecodable') !== '';
      return { view: 'stored', table: value('of'), prefix: value('prefix'), undecodable, row };
    }
    case 'schema':
      return { view: 'schema', entity: value('entity') || undefined };
    case 'garbage':
      return { view: 'garbage', table: value('of') || undefined };
    case 'simulate':
      return { view: 'simulate', workload: value('of') || undefined };
    case 'insert':
    case 'import':
      return { view: path, entity: value('entity') };
    case 'findings':
    case 'derived':
    case 'heat':
      return { view: path };
    default:
      return { view: 'home' };
  }
}

function queryFrom(text: string): StudioQuery | undefined {
  try {
    const query = JSON.parse(text) as StudioQuery | null;
    return typeof query?.source?.kind === 'string' ? query : undefined;
  } catch {
    return undefined;
  }
}

function rowOf(table: string, key: Base64): RowName | undefined {
  return table === '' || key === '' ? undefined : { table, key };
}

const rowParameters = (row: RowName | undefined): Record<string, string> =>
  row === undefined ? {} : { table: row.table, key: row.key };

function parameters(values: Readonly<Record<string, string>>): string {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) if (value !== '') given.set(name, value);
  return given.toString();
}
