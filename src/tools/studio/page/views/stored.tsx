/** Stored rows of a table, whether an entity decodes them or not. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { JSX } from 'preact';
import type { StudioFailure } from '../../protocol/failure.js';
import type { Base64 } from '../../protocol/json.js';
import type { RowName, TableRow } from '../../protocol/row.js';
import { base64Of, bytesOf, bytesOfPrintable, printableBytes } from '../format/bytes.js';
import { counted, grouped } from '../format/numbers.js';
import { clipped, visible } from '../format/value.js';
import { failureOf, lines } from '../net/client.js';
import { Empty, PlaceLink, Working } from '../parts/elements.js';
import { FailureBox } from '../parts/failure-box.js';
import { RowPanel } from '../row/row-panel.js';
import { go, type Route } from '../state/route.js';

type StoredRoute = Extract<Route, { view: 'stored' }>;

const rowsOfPage = 200;

export function Stored({ place }: { readonly place: StoredRoute }): JSX.Element {
  const { table, prefix, undecodable, row } = place;
  return (
    <div class={row === undefined ? 'query-view' : 'query-view has-row'}>
      <section class="query-main page" aria-label={`Stored rows of ${table}`}>
        <h1>Stored rows of {table}</h1>
        <Filter place={place} />
        <StoredRows key={JSON.stringify([table, prefix, undecodable])} place={place} />
      </section>
      {row !== undefined && (
        <RowPanel key={row.key} row={row} onClose={() => go({ ...place, row: undefined }, true)} />
      )}
    </div>
  );
}

function Filter({ place }: { readonly place: StoredRoute }): JSX.Element {
  const prefix = useSignal(place.prefix);
  return (
    <form
      class="bar"
      aria-label="Which rows"
      onSubmit={(event) => {
        event.preventDefault();
        go({ ...place, prefix: prefix.value, row: undefined });
      }}
    >
      <label class="option">
        <span class="option-name">key begins with</span>
        <input
          type="text"
          placeholder="text, \x00 for bytes"
          spellcheck={false}
          value={prefix.value}
          onInput={(event) => {
            prefix.value = event.currentTarget.value;
          }}
        />
      </label>
      <label class="option">
        <input
          type="checkbox"
          checked={place.undecodable}
          onChange={(event) => go({ ...place, undecodable: event.currentTarget.checked })}
        />
        only rows that no entity decodes
      </label>
      <button type="submit" class="is-primary">
        Show
      </button>
    </form>
  );
}

function useStoredRows({ table, prefix, undecodable }: StoredRoute) {
  const rows = useSignal<readonly TableRow[]>([]);
  const next = useSignal<Base64 | undefined>(undefined);
  const read = useSignal<number | undefined>(0);
  const failure = useSignal<StudioFailure | undefined>(undefined);
  const cancel = useSignal(new AbortController());
  const after = useSignal<Base64 | undefined>(undefined);
  const load = async (from: Base64 | undefined): Promise<void> => {
    after.value = from;
    read.value = 0;
    failure.value = undefined;
    rows.value = [];
    const bytes = prefix === '' ? undefined : base64Of(bytesOfPrintable(prefix));
    const request = { table, prefix: bytes, after: from, size: rowsOfPage, undecodable };
    try {
      for await (const line of lines('tableRows', request, cancel.peek().signal)) {
        if (line.type === 'rows') rows.value = [...rows.value, ...line.rows];
        else if (line.type === 'progress') read.value = line.read;
        else next.value = line.next;
      }
    } catch (error) {
      failure.value = failureOf(error);
    } finally {
      read.value = undefined;
    }
  };
  const stop = (): void => {
    cancel.value.abort();
    cancel.value = new AbortController();
  };
  useEffect(() => {
    void load(undefined);
    return stop;
  }, []);
  return { rows, after, next, read, failure, load, stop };
}

function NextStep({ place }: { readonly place: StoredRoute }): JSX.Element {
  if (place.prefix !== '') return <>Try a shorter beginning of the key.</>;
  const all = { ...place, undecodable: false };
  if (place.undecodable) return <PlaceLink to={all}>Show all rows</PlaceLink>;
  return <>Insert a row, import a file, or run the application.</>;
}

function StoredRows({ place }: { readonly place: StoredRoute }): JSX.Element {
  const { rows, after, next, read, failure, load, stop } = useStoredRows(place);
  const found = rows.value;
  return (
    <div class="stored">
      {failure.value !== undefined && <FailureBox failure={failure.value} />}
      {read.value !== undefined && (
        <Working done={Math.max(read.value, found.length)} unit="rows read" onStop={stop} />
      )}
      {found.length === 0 && read.value === undefined && failure.value === undefined ? (
        <Empty title={place.undecodable ? 'Every row is decoded.' : 'No rows.'}>
          <NextStep place={place} />
        </Empty>
      ) : (
        <div class="table-box is-tall" tabIndex={0} role="group" aria-label="Stored rows">
          <table class="small-table is-wide">
            <thead>
              <tr>
                <th scope="col">key</th>
                <th scope="col">entity</th>
                <th scope="col">cells</th>
              </tr>
            </thead>
            <tbody>
              {found.map((row) => (
                <StoredRow key={row.key} row={row} place={place} />
              ))}
            </tbody>
          </table>
        </div>
      )}
      <p class="bar">
        <span class="count">{counted(found.length, 'rows')}</span>
        {next.value !== undefined && (
          <button type="button" onClick={() => void load(next.value)}>
            Next {grouped(rowsOfPage)}
          </button>
        )}
        {after.value !== undefined && (
          <button type="button" onClick={() => void load(undefined)}>
            First
          </button>
        )}
      </p>
    </div>
  );
}

function StoredRow({ row, place }: { readonly row: TableRow; place: StoredRoute }): JSX.Element {
  const name: RowName = { table: place.table, key: row.key };
  const isOpen = place.row?.key === row.key;
  return (
    <tr class={isOpen ? 'is-open' : ''}>
      <th scope="row">
        <PlaceLink to={{ ...place, row: name }} current={isOpen}>
          <code>{row.printable === '' ? '(empty)' : row.printable}</code>
        </PlaceLink>
      </th>
      <td class={row.entity === undefined ? '' : 'is-name'}>
        {row.entity ?? (
          <>
            <span class="mark is-warning">not decoded</span>
            {row.reasons?.map(({ entity, reason }) => (
              <p key={entity} class="quiet">
                {entity}: {visible(reason)}
              </p>
            ))}
          </>
        )}
      </td>
      <td class="stored-cells">
        {row.cells.slice(0, 6).map(({ family, name: column, value, decoded }) => (
          <span key={`${family}:${column}`} class="stored-cell">
            <span class="quiet">
              {family}:{column}
            </span>{' '}
            {clipped(
              decoded === undefined
                ? printableBytes(bytesOf(value) ?? new Uint8Array())
                : visible(typeof decoded === 'string' ? decoded : JSON.stringify(decoded)),
              40,
            )}
          </span>
        ))}
        {row.columns > 6 && <span class="quiet">{grouped(row.columns)} columns</span>}
      </td>
    </tr>
  );
}
