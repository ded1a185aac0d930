/** Export of what a query finds: a file that the browser downloads, with its progress. */
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import type { StudioFailure } from '../../protocol/failure.js';
import type { StudioQuery } from '../../protocol/query.js';
import type { FileFormat } from '../../protocol/transfer.js';
import { grouped } from '../format/numbers.js';
import { call, failureOf } from '../net/client.js';
import { FailureBox } from '../parts/failure-box.js';
import { Following, FormatChoice } from './following.js';

export function Export({ query }: { readonly query: StudioQuery }): JSX.Element {
  const format = useSignal<FileFormat>('jsonl');
  const id = useSignal<string | undefined>(undefined);
  const failure = useSignal<StudioFailure | undefined>(undefined);
  const begin = async (scanAll: boolean): Promise<void> => {
    failure.value = undefined;
    id.value = undefined;
    try {
      const asked = scanAll ? { ...query, scanAll } : query;
      const transfer = await call('export', { query: asked, format: format.value });
      download(transfer.href, transfer.name);
      id.value = transfer.id;
    } catch (error) {
      failure.value = failureOf(error);
    }
  };
  const scan = failure.value?.scan;
  return (
    <div class="transfer">
      <div class="bar">
        <FormatChoice format={format} />
        <button type="button" class="is-primary" onClick={() => void begin(false)}>
          Export
        </button>
        <span class="quiet">what the query finds, as a file of your browser</span>
      </div>
      {failure.value !== undefined && (
        <FailureBox failure={failure.value}>
          {scan !== undefined && (
            <button type="button" onClick={() => void begin(true)}>
              Export {scan.estimated ? 'about ' : ''}
              {grouped(scan.rows)} rows
            </button>
          )}
        </FailureBox>
      )}
      {id.value !== undefined && <Following key={id.value} id={id.value} done="exported" />}
    </div>
  );
}

/** A download that leaves this page where it is. */
function download(href: string, name: string): void {
  const link = document.createElement('a');
  link.href = href;
  link.download = name;
  link.click();
}
