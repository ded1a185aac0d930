/** The first view: tables and entities, with what is in them. */
import type { JSX } from 'preact';
import type { EntityInfo, StudioTable } from '../../protocol/schema.js';
import { bytesText, rowsText } from '../format/numbers.js';
import { Empty, PlaceLink } from '../parts/elements.js';
import { FailureBox } from '../parts/failure-box.js';
import { firstRows } from '../state/route.js';
import {
  measureTables,
  measuring,
  schema,
  session,
  tables,
  tablesFailure,
} from '../state/studio.js';

export function Home(): JSX.Element {
  const declared = schema.value?.entities ?? [];
  const failure = tablesFailure.value;
  return (
    <section class="page" aria-label="Tables">
      <div class="bar">
        <h1>{session.value?.database.name}</h1>
        <span class="space" />
        <button type="button" disabled={measuring.value} onClick={() => void measureTables()}>
          {measuring.value ? 'Measuring...' : 'Measure again'}
        </button>
      </div>
      {failure !== undefined && <FailureBox failure={failure} />}
      {tables.value.length === 0 && !measuring.value && failure === undefined && (
        <Empty title="No tables.">
          Declare entities in the configuration, then run <code>rowsmith schema apply</code>.
        </Empty>
      )}
      <div class="cards">
        {tables.value.map((table) => (
          <TableCard key={table.name} table={table} declared={declared} />
        ))}
      </div>
    </section>
  );
}

interface CardProps {
  readonly table: StudioTable;
  readonly declared: readonly EntityInfo[];
}

function TableCard({ table, declared }: CardProps): JSX.Element {
  const { name, stored, families, entities, derived, bytes, error } = table;
  return (
    <article class="card" aria-label={`Table ${name}`}>
      <div class="bar">
        <h2>{name}</h2>
        {derived !== undefined && <span class="mark">{derived}</span>}
        {!stored && <span class="mark is-warning">not created</span>}
        <span class="space" />
        {bytes !== undefined && <span class="quiet">{bytesText(bytes)}</span>}
      </div>
      {error !== undefined && <FailureBox failure={error} />}
      {!stored && (
        <p class="quiet">
          Run <code>rowsmith schema apply</code> to create it.
        </p>
      )}
      <ul class="entity-list">
        {entities.map(({ name: entity, rows }) => (
          <li key={entity}>
            <PlaceLink to={firstRows({ kind: 'entity', entity })}>{entity}</PlaceLink>
            <span class="key-shape">{shapeOf(entity, declared)}</span>
            <span class="is-number">{rowsText(rows)} rows</span>
          </li>
        ))}
      </ul>
      <p class="families">
        {families.map(({ name: family, gc, aggregate }) => (
          <span key={family} class="family" title={`garbage collection: ${gc}`}>
            {family} <span class="quiet">{aggregate ?? gc}</span>
          </span>
        ))}
      </p>
      {stored && (
        <p class="bar">
          <PlaceLink to={{ view: 'stored', table: name, prefix: '', undecodable: false }}>
            Stored rows
          </PlaceLink>
          <PlaceLink to={{ view: 'garbage', table: name }}>Garbage collection</PlaceLink>
        </p>
      )}
    </article>
  );
}

function shapeOf(name: string, declared: readonly EntityInfo[]): string {
  const parts = declared.find((each) => each.name === name)?.key.parts ?? [];
  return parts
    .map((part) => part.replace(/^literal '(.*)'$/, '$1').replace(/: .*/, ''))
    .join(' / ');
}
