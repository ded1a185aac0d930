/** The progress of an import or export, and how it ended. */
import { type Signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { JSX } from 'preact';
import type { StudioFailure, WorkProgress } from '../../protocol/failure.js';
import type { FileFormat, TransferReport } from '../../protocol/transfer.js';
import { bytesText, counted, grouped } from '../format/numbers.js';
import { visible } from '../format/value.js';
import { failureOf, lines } from '../net/client.js';
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
  if (report.value === undefined) {
    const now = progress.value;
    return <Working done={now?.done} total={now?.total} unit={now?.unit ?? 'rows'} />;
  }
  return <Report report={report.value} done={done} />;
}

const Report = (props: { readonly report: TransferReport; done: string }): JSX.Element => {
  const { rows, bytes, failed, failures } = props.report;
  return (
    <div class="report" role="status">
      <p>
        {counted(rows, 'rows')} {props.done}, {bytesText(bytes)}
        {failed > 0 && `; ${counted(failed, 'rows')} failed`}.
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
    </div>
  );
};

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
