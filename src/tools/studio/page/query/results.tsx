/** What a query found: the table, its plan, what it cost, and ways to take it along. */
import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import type { JSX } from 'preact';
import type { StudioQuery } from '../../protocol/query.js';
import type { RowName } from '../../protocol/row.js';
import { Explain } from '../explain/explain.js';
import { counted, grouped, durationText, bytesText } from '../format/numbers.js';
import { type GridColumn, gridColumns } from '../grid/columns.js';
import { CollectionGrid } from '../grid/collection-columns.js';
import { Grid, keyOfItem } from '../grid/grid.js';
import { type GridItem, Pager } from '../grid/pager.js';
import { Empty, Working } from '../parts/elements.js';
import { FailureBox } from '../parts/failure-box.js';
import { ScanQuestionBox } from '../parts/scan-question.js';
import { Tabs } from '../parts/tabs.js';
import { go } from '../state/route.js';
import { Export } from '../transfer/export.js';
import { CountRows } from './count-rows.js';
import type { SourceForm } from './source-form.js';

interface ResultsProps {
  readonly query: StudioQuery;
  readonly form: SourceForm;
  readonly row: RowName | undefined;
}

type Shown = 'rows' | 'plan' | 'export';

const tabs: readonly { readonly name: Shown; readonly title: string }[] = [
  { name: 'rows', title: 'Rows' },
  { name: 'plan', title: 'Plan' },
  { name: 'export', title: 'Export' },
];

export function Results(props: ResultsProps): JSX.Element {
  const { query } = props;
  const shown = useSignal<Shown>('rows');
  const pager = useMemo(() => new Pager(query), []);
  useEffect(() => () => pager.stop(), []);
  return (
    <section class="results" aria-label="Results">
      <Tabs
        label="Results"
        tabs={tabs}
        chosen={shown.value}
        onChoose={(name) => {
          shown.value = name;
        }}
      >
        {shown.value === 'rows' && <FoundRows {...props} pager={pager} />}
        {shown.value === 'plan' && <Explain query={query} />}
        {shown.value === 'export' && <Export query={query} />}
      </Tabs>
    </section>
  );
}

interface FoundProps extends ResultsProps {
  readonly pager: Pager;
}

function FoundRows({ pager, query, form, row }: FoundProps): JSX.Element {
  const unfold = useSignal(true);
  const found = pager.columns.value;
  const messages = form.entity?.messages ?? [];
  const columns = useMemo(
    () => gridColumns(found, messages, unfold.value),
    [found, messages, unfold.value],
  );
  const onOpen = (item: GridItem): void => {
    const table = item.kind === 'row' ? pager.table : item.leftOut.table;
    go({ view: 'query', query, row: { table, key: keyOfItem(item) } }, row !== undefined);
  };
  const grid = { pager, label: `Rows of ${form.title}`, open: row?.key, onOpen };
  return (
    <div class="found">
      <FoundBar pager={pager} unfold={unfold} canUnfold={messages.length > 0} />
      <FailedRead pager={pager} query={query} />
      <FoundTable grid={grid} columns={columns} query={query} pager={pager} />
    </div>
  );
}

interface TableProps {
  readonly grid: Omit<Parameters<typeof Grid>[0], 'columns'>;
  readonly columns: readonly GridColumn[];
  readonly query: StudioQuery;
  readonly pager: Pager;
}

function FoundTable({ grid, columns, query, pager }: TableProps): JSX.Element {
  const isEmpty = pager.complete.value && pager.known.value === 0;
  if (isEmpty) return <NothingFound query={query} />;
  if (pager.failure.value !== undefined && pager.known.value === 0) return <></>;
  if (query.source.kind === 'collection') return <CollectionGrid {...grid} />;
  return <Grid {...grid} columns={columns} />;
}

function NothingFound({ query }: { readonly query: StudioQuery }): JSX.Element {
  const narrowed = query.fixed !== undefined || query.bound !== undefined;
  const filtered = query.where !== undefined || query.asOf !== undefined;
  let next = 'Nothing is stored here yet: insert a row, import a file, or run the application.';
  if (narrowed) next = 'Leave out the last value of the key, or choose one of the suggestions.';
  if (filtered) next = 'Take away a condition, or the time.';
  return <Empty title="No rows.">{next}</Empty>;
}

function FailedRead({ pager, query }: { readonly pager: Pager; query: StudioQuery }): JSX.Element {
  const failure = pager.failure.value;
  if (failure === undefined) return <></>;
  if (failure.scan !== undefined)
    return (
      <ScanQuestionBox
        scan={failure.scan}
        onConsent={() => go({ view: 'query', query: { ...query, scanAll: true } }, true)}
      />
    );
  return (
    <FailureBox failure={failure}>
      <button type="button" onClick={() => void pager.more()}>
        Try again
      </button>
    </FailureBox>
  );
}

interface BarProps {
  readonly pager: Pager;
  readonly unfold: { value: boolean };
  readonly canUnfold: boolean;
}

function FoundBar({ pager, unfold, canUnfold }: BarProps): JSX.Element {
  const { known, complete, reading, looked, cost, failure } = pager;
  const spent = cost.value;
  const more = complete.value ? '' : ' so far';
  return (
    <div class="bar found-bar">
      <span class="count" data-rows={known.value}>
        {counted(known.value, 'rows')}
        {more}
      </span>
      {spent !== undefined && (
        <span class="quiet">
          {counted(spent.requests, 'requests')}, {durationText(spent.ms)},{' '}
          {bytesText(spent.bytesRead)} read
          {spent.rowsRead > known.value && `, ${grouped(spent.rowsRead)} rows read`}
        </span>
      )}
      {reading.value && (
        <Working
          done={looked.value ?? known.value}
          unit={looked.value === undefined ? 'rows so far' : 'rows read, none found yet'}
          onStop={() => pager.stop()}
        />
      )}
      <span class="space" />
      {canUnfold && (
        <label class="option">
          <input
            type="checkbox"
            checked={unfold.value}
            onChange={(event) => {
              unfold.value = event.currentTarget.checked;
            }}
          />
          unfold messages
        </label>
      )}
      {!complete.value && !reading.value && failure.value === undefined && (
        <>
          <CountRows query={pager.query} />
          <button type="button" onClick={() => void pager.readToEnd()}>
            Read to the end
          </button>
        </>
      )}
    </div>
  );
}
