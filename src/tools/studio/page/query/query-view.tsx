/** The view of a query: its form, its code, its results, and a row beside them. */
import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import type { JSX } from 'preact';
import type { StudioQuery, StudioSource } from '../../protocol/query.js';
import type { RowName } from '../../protocol/row.js';
import type { EntityInfo } from '../../protocol/schema.js';
import { Empty, PlaceLink } from '../parts/elements.js';
import { RowPanel } from '../row/row-panel.js';
import { firstRows, go } from '../state/route.js';
import { zone } from '../state/settings.js';
import { schema, writable } from '../state/studio.js';
import { type Draft, draftOf, isComplete, readDraft, readQuery } from './draft.js';
import { Conditions, Options } from './options.js';
import { QueryCode } from './query-code.js';
import { Results } from './results.js';
import { KeyInputs } from './segment-inputs.js';
import { entityOf, formOf, type SourceForm, sourceLabel, sourcesOf } from './source-form.js';

interface QueryViewProps {
  readonly query: StudioQuery;
  readonly row: RowName | undefined;
}

export function QueryView({ query, row }: QueryViewProps): JSX.Element {
  const declared = schema.value;
  const source = JSON.stringify(query.source);
  const form = useMemo(
    () => (declared === undefined ? undefined : formOf(query.source, declared)),
    [source, declared],
  );
  if (form === undefined)
    return (
      <Empty isView title="The project declares nothing of this name.">
        <PlaceLink to={{ view: 'home' }}>See its tables and entities</PlaceLink>
      </Empty>
    );
  return <FormView key={source} form={form} query={query} row={row} />;
}

function FormView({
  form,
  query,
  row,
}: QueryViewProps & { readonly form: SourceForm }): JSX.Element {
  const asked = JSON.stringify(query);
  const draft = useSignal<Draft>(draftOf(query, form, zone.peek()));
  useEffect(() => {
    draft.value = draftOf(query, form, zone.value);
  }, [asked, zone.value]);
  const read = readDraft(draft.value, form, zone.value);
  const complete = isComplete(read, form);
  const run = (): void => {
    if (complete) go({ view: 'query', query: read.query });
  };
  const isAsked = JSON.stringify(read.query) === JSON.stringify(withoutConsent(query));
  const change = (next: Draft): void => {
    draft.value = next;
  };
  const inputs = { form, draft: draft.value, read, onChange: change };
  const asks = readQuery(query, form);
  return (
    <div class={row === undefined ? 'query-view' : 'query-view has-row'}>
      <div class="query-main">
        <Title form={form} />
        <div class="query-top">
          <form
            class="query-form"
            aria-label={`Query of ${form.title}`}
            onSubmit={(event) => {
              event.preventDefault();
              run();
            }}
          >
            <KeyInputs {...inputs} />
            <Options {...inputs} />
            <div class="bar">
              <Conditions {...inputs} />
              <span class="space" />
              <button type="submit" class="is-primary" disabled={!complete || isAsked}>
                Run
              </button>
            </div>
          </form>
          <QueryCode query={read.query} valid={complete} />
        </div>
        {isComplete(asks, form) ? (
          <Results key={asked} query={query} form={form} row={row} />
        ) : (
          <NotReady form={form} problems={asks.problems} />
        )}
      </div>
      {row !== undefined && (
        <RowPanel
          key={`${row.table}/${row.key}`}
          row={row}
          onClose={() => go({ view: 'query', query }, true)}
        />
      )}
    </div>
  );
}

interface NotReadyProps {
  readonly form: SourceForm;
  readonly problems: Readonly<Record<string, string>>;
}

function NotReady({ form, problems }: NotReadyProps): JSX.Element {
  const [wrong] = Object.entries(problems);
  if (wrong === undefined)
    return (
      <Empty title="This form needs values.">
        Fill in {form.needed.join(', ')}, then press Enter.
      </Empty>
    );
  return (
    <Empty title="This query cannot be run as it is.">
      {wrong[0].replace(/^where\.\d+$/, 'The condition')}: {wrong[1]}, then press Enter.
    </Empty>
  );
}

const withoutConsent = (query: StudioQuery): StudioQuery => ({ ...query, scanAll: undefined });

/** The name of the source, and the other ready forms of its entity. */
function Title({ form }: { readonly form: SourceForm }): JSX.Element {
  const declared = schema.value;
  const entity = declared?.entities.find(({ name }) => name === entityOf(form.source));
  if (declared === undefined || entity === undefined) return <h1>{form.title}</h1>;
  const asked = JSON.stringify(form.source);
  const sources = sourcesOf(entity, declared);
  return (
    <header class="title">
      <h1>{entity.name}</h1>
      {sources.length > 1 && (
        <nav class="sources" aria-label={`Forms of ${entity.name}`}>
          {sources.map((source) => (
            <PlaceLink
              key={JSON.stringify(source)}
              to={firstRows(source)}
              class="source"
              current={JSON.stringify(source) === asked.replace(',"covered":true', '')}
            >
              <span class="source-kind">{source.kind === 'entity' ? '' : source.kind}</span>
              {sourceLabel(source)}
            </PlaceLink>
          ))}
        </nav>
      )}
      <span class="title-links">
        <PlaceLink to={{ view: 'schema', entity: entity.name }}>Schema</PlaceLink>
        <PlaceLink to={{ view: 'stored', table: entity.table, prefix: '', undecodable: false }}>
          Stored rows
        </PlaceLink>
        {writable.value && (
          <>
            <PlaceLink to={{ view: 'insert', entity: entity.name }}>Insert</PlaceLink>
            <PlaceLink to={{ view: 'import', entity: entity.name }}>Import</PlaceLink>
          </>
        )}
      </span>
      {form.about !== undefined && <p class="quiet about">{form.about}</p>}
      {form.source.kind === 'index' && <Covered source={form.source} entity={entity} />}
    </header>
  );
}

interface CoveredProps {
  readonly source: Extract<StudioSource, { kind: 'index' }>;
  readonly entity: EntityInfo;
}

/** Whether the entries of an index are read alone. */
function Covered({ source, entity }: CoveredProps): JSX.Element | null {
  const index = entity.indexes.find(({ name }) => name === source.index);
  if (index === undefined) return null;
  const other = { ...source, covered: source.covered === true ? undefined : true };
  return (
    <label class="option">
      <input
        type="checkbox"
        checked={source.covered === true}
        onChange={() => go(firstRows(other))}
      />
      only its entries: {['the keys', ...index.covered].join(', ')}
    </label>
  );
}
