/** The frame of the page: its head, the list of entities, and the view of the place. */
import { useEffect } from 'preact/hooks';
import type { JSX } from 'preact';
import { InsertRow } from '../edit/insert-row.js';
import { connected } from '../net/client.js';
import { Empty } from '../parts/elements.js';
import { FailureBox } from '../parts/failure-box.js';
import { QueryView } from '../query/query-view.js';
import { RowView } from '../row/row-panel.js';
import { notice } from '../state/notice.js';
import { type Route, route } from '../state/route.js';
import { schema, session, start, startFailure } from '../state/studio.js';
import { Import } from '../transfer/import.js';
import { Derived } from '../views/derived.js';
import { Findings } from '../views/findings.js';
import { Garbage } from '../views/garbage.js';
import { Heat } from '../views/heat.js';
import { Home } from '../views/home.js';
import { SchemaView } from '../views/schema.js';
import { Simulate } from '../views/simulate.js';
import { Stored } from '../views/stored.js';
import { Head } from './head.js';
import { Palette } from './palette.js';
import { Sidebar } from './sidebar.js';

export function Shell(): JSX.Element {
  const place = route.value;
  useEffect(() => {
    document.title = `${titleOf(place)} - Rowsmith Studio`;
  }, [place]);
  return (
    <>
      <a class="skip" href="#main" onClick={skipToMain}>
        Skip to the content
      </a>
      <Head />
      <Sidebar />
      <main id="main" tabIndex={-1}>
        {!connected.value && startFailure.value === undefined && <Lost />}
        <Content place={place} />
      </main>
      <Palette />
      <div class="notice" role="status" aria-live="polite">
        {notice.value}
      </div>
    </>
  );
}

function skipToMain(event: Event): void {
  event.preventDefault();
  document.getElementById('main')?.focus();
}

const Lost = (): JSX.Element => (
  <div class="failure lost" role="alert">
    <p>
      <strong>The connection to the studio is lost.</strong> What was read stays on this page. The
      studio ends with its terminal: start <code>rowsmith studio</code> again, and open its link.
    </p>
    <div class="actions">
      <button type="button" onClick={() => void start()}>
        Try again
      </button>
    </div>
  </div>
);

function Content({ place }: { readonly place: Route }): JSX.Element {
  const failure = startFailure.value;
  if (failure !== undefined)
    return (
      <section class="page" aria-label="Start">
        <h1>The studio cannot start</h1>
        <FailureBox failure={failure}>
          <button type="button" onClick={() => void start()}>
            Try again
          </button>
        </FailureBox>
      </section>
    );
  if (session.value === undefined || schema.value === undefined)
    return <Empty isView title="Reading the declarations" />;
  return <View place={place} />;
}

function View({ place }: { readonly place: Route }): JSX.Element {
  switch (place.view) {
    case 'home':
      return <Home />;
    case 'query':
      return <QueryView query={place.query} row={place.row} />;
    case 'row':
      return <RowView key={place.row.key} row={place.row} />;
    case 'stored':
      return <Stored place={place} />;
    case 'schema':
      return <SchemaView entity={place.entity} />;
    case 'findings':
      return <Findings />;
    case 'garbage':
      return <Garbage table={place.table} />;
    case 'derived':
      return <Derived />;
    case 'heat':
      return <Heat />;
    case 'simulate':
      return <Simulate workload={place.workload} />;
    case 'insert':
      return <InsertRow entity={place.entity} />;
    case 'import':
      return <Import key={place.entity} entity={place.entity} />;
  }
}

function titleOf(place: Route): string {
  switch (place.view) {
    case 'home':
      return 'Tables';
    case 'query': {
      const { source } = place.query;
      return source.kind === 'collection' ? source.entities.join(' + ') : source.entity;
    }
    case 'stored':
      return `Stored rows of ${place.table}`;
    case 'insert':
      return `Insert ${place.entity}`;
    case 'import':
      return `Import ${place.entity}`;
    default:
      return `${place.view[0].toUpperCase()}${place.view.slice(1)}`;
  }
}
