/** Asks before all rows are read. */
import type { JSX } from 'preact';
import type { ScanQuestion } from '../../protocol/failure.js';
import { bytesText, grouped } from '../format/numbers.js';

interface QuestionProps {
  readonly scan: ScanQuestion;
  readonly onConsent: () => void;
}

export function ScanQuestionBox({ scan, onConsent }: QuestionProps): JSX.Element {
  const rows = `${scan.estimated ? 'about ' : ''}${grouped(scan.rows)} rows`;
  const bytes = scan.bytes === undefined ? '' : ` (${bytesText(scan.bytes)})`;
  return (
    <div class="failure is-question" role="alert">
      <p>
        <strong>This reads every row.</strong> There are {rows} in the table{' '}
        <code>{scan.table}</code>
        {bytes}. A value for the first segment of the key narrows it.
      </p>
      <div class="actions">
        <button type="button" onClick={onConsent}>
          Read {rows}
        </button>
      </div>
    </div>
  );
}
