/** The first view: tables and entities, with what is in them. */
import type { JSX } from 'preact';
import type { EntityInfo, EstimatedRows, StudioTable } from '../../protocol/schema.js';
import { bytesText, rowsText } from '../format/numbers.js';
import { Empty, PlaceLink } from '../parts/elements.js';
import { FailureBox } from '../parts/failure-box.js';
import { firstRows } from '../state/route.js';
import { measureTables, measuring, schema, tables, tablesFailure } from '../state/studio.js';

export function Home(): JSX.Element {
  const declared = schema.value?.entities ?? [];
  const failure = tablesFailure.value;
  const shown = tables.value.length > 0 ? tables.value : declaredTables(declared);
  return (
    <section class="page" aria-label="Tables">
      <div class="bar">
        <h1>Tables</h1>
        <span class="space" />
        <button type="button" disabled={measuring.value} onClick={() => void measureTables()}>
          {measuring.value ? 'Measuring...' : 'Measure again'}
        </button>
      </div>
      {failure !== undefined && <FailureBox failure={failure} />}
      {shown.length === 0 && !measuring.value && failure === undefined && (
        <Empty title="No tables.">
          Declare entities in the configuration, then run <code>rowsmith schema apply</code>.
        </Empty>
      )}
      <div class="cards">
        {shown.map((table) => (
          <TableCard key={table.name} table={table} declared={declared} />
        ))}
      </div>
    </section>
  );
}

/** A table that was measured, or that is declared. */
type ShownTable = Omit<StudioTable, 'entities'> & {
  readonly entities: readonly { readonly name: string; readonly rows?: EstimatedRows }[];
};

/** Tables before they are measured. */
const declaredTables = (declared: readonly EntityInfo[]): readonly ShownTable[] =>
  [...new Set(declared.map(({ table }) => table))].map((name) => {
    const entities = declared.filter(({ table }) => table === name);
    return { name, stored: true, families: entities[0].families, entities };
  });

interface CardProps {
  readonly table: ShownTable;
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
            <span class="is-number">{rowsOf(rows)}</span>
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

/** `1 row`, `~1,200 rows`; nothing before the table was measured. */
function rowsOf(rows: EstimatedRows | undefined): string {
  if (rows === undefined) return '';
  return `${rowsText(rows)} ${rows.rows === 1 ? 'row' : 'rows'}`;
}

function shapeOf(name: string, declared: readonly EntityInfo[]): string {
  const parts = declared.find((each) => each.name === name)?.key.parts ?? [];
  return parts
    .map((part) => part.replace(/^literal '(.*)'$/, '$1').replace(/: .*/, ''))
    .join(' / ');
}
