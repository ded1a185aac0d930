/** Import of a file into an entity. */
import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import type { JSX } from 'preact';
import type { StudioFailure } from '../../protocol/failure.js';
import type { FileFormat } from '../../protocol/transfer.js';
import { bytesText } from '../format/numbers.js';
import { call, failureOf } from '../net/client.js';
import { Empty, PlaceLink } from '../parts/elements.js';
import { FailureBox } from '../parts/failure-box.js';
import { firstRows } from '../state/route.js';
import { session } from '../state/studio.js';
import { Following, FormatChoice } from './following.js';

export function Import({ entity }: { readonly entity: string }): JSX.Element {
  const write = session.value?.write;
  if (write !== undefined && !write.allowed)
    return (
      <Empty isView title={`Nothing can be imported. ${write.reason}`}>
        {write.fix}
      </Empty>
    );
  return <ImportForm entity={entity} />;
}

interface Running {
  readonly id: string;
  readonly dryRun: boolean;
}

function ImportForm({ entity }: { readonly entity: string }): JSX.Element {
  const format = useSignal<FileFormat>('jsonl');
  const file = useSignal<File | undefined>(undefined);
  const running = useSignal<Running | undefined>(undefined);
  const failure = useSignal<StudioFailure | undefined>(undefined);
  const input = useRef<HTMLInputElement>(null);
  const begin = async (dryRun: boolean): Promise<void> => {
    const chosen = file.value;
    if (chosen === undefined) return;
    failure.value = undefined;
    running.value = undefined;
    try {
      const transfer = await call('import', { entity, format: format.value, dryRun });
      running.value = { id: transfer.id, dryRun };
      // How it ends is in the progress: a cancelled upload is cut off.
      await fetch(transfer.href, { method: 'PUT', body: chosen }).catch(() => undefined);
    } catch (error) {
      failure.value = failureOf(error);
    }
  };
  const chosen = file.value;
  return (
    <section class="page" aria-label={`Import of ${entity}`}>
      <h1>Import {entity}</h1>
      <p class="quiet">
        One row a line, as Export writes it. Cells keep the timestamps in the file, so that a newer
        value that is stored stays; cells without one are written as of now.
      </p>
      <div class="bar">
        <input
          ref={input}
          type="file"
          aria-label="File to import"
          onChange={() => {
            file.value = input.current?.files?.[0];
            if (file.value?.name.endsWith('.csv') === true) format.value = 'csv';
          }}
        />
        <FormatChoice format={format} />
        <button type="button" disabled={chosen === undefined} onClick={() => void begin(true)}>
          Check the file
        </button>
        <button
          type="button"
          class="is-primary"
          disabled={chosen === undefined}
          onClick={() => void begin(false)}
        >
          Import{chosen !== undefined && ` ${bytesText(chosen.size)}`}
        </button>
      </div>
      {failure.value !== undefined && <FailureBox failure={failure.value} />}
      {running.value !== undefined && (
        <Following key={running.value.id} id={running.value.id} done="imported" />
      )}
      <p>
        <PlaceLink to={firstRows({ kind: 'entity', entity })}>Rows of {entity}</PlaceLink>
      </p>
    </section>
  );
}
