/** Tables with their entities, and the views of the whole database. */
import type { JSX } from 'preact';
import type { EntityInfo } from '../../protocol/schema.js';
import { rowsText } from '../format/numbers.js';
import { PlaceLink } from '../parts/elements.js';
import { firstRows, type Route, route } from '../state/route.js';
import { schema, tables } from '../state/studio.js';

const views: readonly (readonly [Route, string])[] = [
  [{ view: 'home' }, 'Tables'],
  [{ view: 'schema' }, 'Schema'],
  [{ view: 'findings' }, 'Findings'],
  [{ view: 'garbage' }, 'Garbage collection'],
  [{ view: 'derived' }, 'Derived rows'],
  [{ view: 'heat' }, 'Heat map'],
  [{ view: 'simulate' }, 'Simulation'],
];

export function Sidebar(): JSX.Element {
  const declared = schema.value?.entities ?? [];
  const names = [...new Set(declared.map(({ table }) => table))];
  const others = tables.value.filter(({ name }) => !names.includes(name));
  return (
    <nav class="sidebar" aria-label="Database">
      {names.map((table) => (
        <section key={table}>
          <h2 class="side-title">{table}</h2>
          <ul>
            {declared
              .filter((each) => each.table === table)
              .map((entity) => (
                <Entity key={entity.name} entity={entity} />
              ))}
          </ul>
        </section>
      ))}
      {others.length > 0 && (
        <section>
          <h2 class="side-title">other tables</h2>
          <ul>
            {others.map(({ name, derived }) => (
              <li key={name}>
                <PlaceLink
                  to={{ view: 'stored', table: name, prefix: '', undecodable: false }}
                  current={route.value.view === 'stored' && route.value.table === name}
                >
                  <span class="side-name">{name}</span>
                  <span class="side-count">{derived}</span>
                </PlaceLink>
              </li>
            ))}
          </ul>
        </section>
      )}
      <section>
        <h2 class="side-title">database</h2>
        <ul>
          {views.map(([to, title]) => (
            <li key={title}>
              <PlaceLink to={to} current={route.value.view === to.view}>
                <span class="side-name">{title}</span>
              </PlaceLink>
            </li>
          ))}
        </ul>
      </section>
    </nav>
  );
}

function Entity({ entity: { name, table } }: { readonly entity: EntityInfo }): JSX.Element {
  const stored = tables.value.find((each) => each.name === table);
  const rows = stored?.entities.find((each) => each.name === name)?.rows;
  const place = route.value;
  const isCurrent =
    place.view === 'query' &&
    place.query.source.kind !== 'collection' &&
    place.query.source.entity === name;
  return (
    <li>
      <PlaceLink to={firstRows({ kind: 'entity', entity: name })} current={isCurrent}>
        <span class="side-name">{name}</span>
        <span class="side-count">{rows === undefined ? '' : rowsText(rows)}</span>
      </PlaceLink>
    </li>
  );
}
