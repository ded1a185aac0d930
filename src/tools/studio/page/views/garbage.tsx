/** What garbage collection will remove from a table. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { JSX } from 'preact';
import type { StudioFailure, WorkProgress } from '../../protocol/failure.js';
import type { GcAmount, GcNumber, GcReport } from '../../protocol/insight.js';
import { bytesText, counted, grouped } from '../format/numbers.js';
import { failureOf, lines } from '../net/client.js';
import { Empty, PlaceLink, Working } from '../parts/elements.js';
import { FailureBox } from '../parts/failure-box.js';
import { tables } from '../state/studio.js';

export function Garbage({ table }: { readonly table: string | undefined }): JSX.Element {
  const stored = tables.value.filter((each) => each.stored);
  return (
    <section class="page" aria-label="Garbage collection">
      <h1>Garbage collection</h1>
      <nav class="sources" aria-label="Tables">
        {stored.map(({ name }) => (
          <PlaceLink
            key={name}
            class="source"
            to={{ view: 'garbage', table: name }}
            current={name === table}
          >
            {name}
          </PlaceLink>
        ))}
      </nav>
      {table === undefined ? (
        <Empty title="Choose a table.">It is read, or a sample of it if it is large.</Empty>
      ) : (
        <TableGarbage key={table} table={table} />
      )}
    </section>
  );
}

function TableGarbage({ table }: { readonly table: string }): JSX.Element {
  const report = useSignal<GcReport | undefined>(undefined);
  const progress = useSignal<WorkProgress | undefined>(undefined);
  const failure = useSignal<StudioFailure | undefined>(undefined);
  const running = useSignal(new AbortController());
  useEffect(() => {
    const run = async (): Promise<void> => {
      try {
        for await (const line of lines('gc', { table }, running.peek().signal)) {
          if (line.type === 'progress') progress.value = line;
          else report.value = line.report;
        }
      } catch (error) {
        failure.value = failureOf(error);
      }
    };
    void run();
    return () => running.peek().abort();
  }, []);
  if (failure.value !== undefined) return <FailureBox failure={failure.value} />;
  if (report.value !== undefined) return <Report report={report.value} />;
  const now = progress.value;
  return (
    <Working
      done={now?.done}
      total={now?.total}
      unit={now?.unit ?? 'rows'}
      onStop={() => running.value.abort()}
    />
  );
}

const times = ['now', 'day', 'week', 'month'] as const;

function Report({ report }: { readonly report: GcReport }): JSX.Element {
  const { rows, share, families, removal } = report;
  return (
    <>
      <p>
        {counted(rows, 'rows')} read
        {share < 1 && `, ${(share * 100).toFixed(1)} % of the table: numbers are estimates`}.{' '}
        {removal}
      </p>
      <div class="table-box" tabIndex={0} role="group" aria-label="What is due">
        <table class="small-table is-wide">
          <thead>
            <tr>
              <th scope="col">family</th>
              <th scope="col">rule</th>
              <th scope="col" class="is-number">
                stored
              </th>
              {times.map((time) => (
                <th key={time} scope="col" class="is-number">
                  {time === 'now' ? 'due now' : `in a ${time}`}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {families.map(({ family, rule, stored, due }) => (
              <tr key={family}>
                <th scope="row">{family}</th>
                <td>{rule}</td>
                <Amount amount={stored} />
                {times.map((time) => (
                  <Amount key={time} amount={due[time]} />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

const Amount = ({ amount: { cells, bytes } }: { readonly amount: GcAmount }): JSX.Element =>
  cells.value === 0 ? (
    <td class="is-number quiet">nothing</td>
  ) : (
    <td class="is-number">
      {spread(cells, grouped)} cells
      <br />
      <span class="quiet">{spread(bytes, bytesText)}</span>
    </td>
  );

function spread({ value, low, high }: GcNumber, text: (value: number) => string): string {
  if (low === value && high === value) return text(value);
  return `~${text(Math.round(value))} (${text(Math.round(low))} to ${text(Math.round(high))})`;
}
