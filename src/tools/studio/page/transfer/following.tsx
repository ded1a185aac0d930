/** The progress of an import or export, and how it ended. */
import { type Signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { JSX } from 'preact';
import type { StudioFailure, WorkProgress } from '../../protocol/failure.js';
import type { FileFormat, TransferReport } from '../../protocol/transfer.js';
import { bytesText, counted, grouped } from '../format/numbers.js';
import { visible } from '../format/value.js';
import { call, failureOf, lines } from '../net/client.js';
import { Working } from '../parts/elements.js';
import { FailureBox } from '../parts/failure-box.js';

interface FollowingProps {
  readonly id: string;
  /** What was done with rows: `imported`. */
  readonly done: string;
  readonly onDone?: ((report: TransferReport) => void) | undefined;
}

export function Following({ id, done, onDone }: FollowingProps): JSX.Element {
  const progress = useSignal<WorkProgress | undefined>(undefined);
  const report = useSignal<TransferReport | undefined>(undefined);
  const failure = useSignal<StudioFailure | undefined>(undefined);
  useEffect(() => {
    const cancel = new AbortController();
    const follow = async (): Promise<void> => {
      try {
        for await (const line of lines('progress', { id }, cancel.signal)) {
          if (line.type === 'progress') progress.value = line;
          else report.value = line.report;
        }
        if (report.value !== undefined) onDone?.(report.value);
      } catch (error) {
        failure.value = failureOf(error);
      }
    };
    void follow();
    return () => cancel.abort();
  }, []);
  if (failure.value !== undefined) return <FailureBox failure={failure.value} />;
  const stop = (): void => {
    call('cancel', { id }).catch((error: unknown) => {
      failure.value = failureOf(error);
    });
  };
  if (report.value === undefined) {
    const now = progress.value;
    const unit = now?.unit ?? 'rows';
    return <Working done={now?.done} total={now?.total} unit={unit} onStop={stop} />;
  }
  return <Report report={report.value} done={done} />;
}

const Report = (props: { readonly report: TransferReport; done: string }): JSX.Element => {
  const { failed, failures, badLines = [] } = props.report;
  return (
    <div class="report" role="status">
      <p>
        {outcome(props.report, props.done)}
        {failed > 0 && ` ${counted(failed, 'lines')} failed:`}
      </p>
      {failures.length > 0 && (
        <ul>
          {failures.map(({ problem, rows: count }) => (
            <li key={problem}>
              {grouped(count)}: {visible(problem)}
            </li>
          ))}
        </ul>
      )}
      {badLines.length > 0 && (
        <details>
          <summary>
            {badLines.length < failed && 'The first '}
            {counted(badLines.length, 'bad lines')}
          </summary>
          <ul>
            {badLines.map(({ line, problem }) => (
              <li key={line}>
                line {grouped(line)}: {visible(problem)}
              </li>
            ))}
          </ul>
        </details>
      )}
    </div>
  );
};

function outcome(report: TransferReport, done: string): string {
  const { rows, bytes, dryRun, expired, cancelled } = report;
  const size = bytes === 0 ? '' : `, ${bytesText(bytes)}`;
  const old = expired === undefined ? '' : ` ${grouped(expired)} of them are too old to be read.`;
  if (cancelled) return `Cancelled: at least ${counted(rows, 'rows')} ${done}.`;
  if (dryRun === undefined) return `${counted(rows, 'rows')} ${done}${size}.${old}`;
  const { existing } = dryRun;
  const parts = `${grouped(rows - existing)} new, ${grouped(existing)} that exist`;
  return `Nothing was written. An import would write ${counted(rows, 'rows')}: ${parts}.${old}`;
}

const formats: readonly (readonly [FileFormat, string])[] = [
  ['jsonl', 'JSON Lines'],
  ['csv', 'CSV'],
];

export const FormatChoice = ({ format }: { readonly format: Signal<FileFormat> }): JSX.Element => (
  <select
    aria-label="Format of the file"
    value={format.value}
    onChange={(event) => {
      format.value = event.currentTarget.value as FileFormat;
    }}
  >
    {formats.map(([name, title]) => (
      <option key={name} value={name}>
        {title}
      </option>
    ))}
  </select>
);
