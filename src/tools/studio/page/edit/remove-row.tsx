/** Deleting a row, if it is still as it was shown. */
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import type { StudioFailure } from '../../protocol/failure.js';
import type { RowDetail, RowName } from '../../protocol/row.js';
import { call, failureOf } from '../net/client.js';
import { FailureBox } from '../parts/failure-box.js';
import { announce } from '../state/notice.js';
import { entityNamed } from '../state/studio.js';
import { visible } from '../format/value.js';

interface RemoveProps {
  readonly row: RowName;
  readonly detail: RowDetail;
  readonly onChanged: () => void;
}

export function RemoveRow({ row, detail, onChanged }: RemoveProps): JSX.Element {
  const failure = useSignal<StudioFailure | undefined>(undefined);
  const conflict = useSignal<readonly string[] | undefined>(undefined);
  const remove = async (): Promise<void> => {
    failure.value = undefined;
    const { entity = '', values = {} } = detail;
    const columns = entityNamed(entity)?.columns.filter(({ comparable }) => comparable) ?? [];
    const shown = Object.fromEntries(columns.map(({ name }) => [name, values[name] ?? null]));
    try {
      const changed = await call('remove', { ...row, entity, shown });
      if (changed.outcome === 'conflict') conflict.value = changed.changed;
      else {
        announce('Deleted the row');
        onChanged();
      }
    } catch (error) {
      failure.value = failureOf(error);
    }
  };
  return (
    <div class="remove">
      <p>
        Deletes all cells of <code>{visible(detail.key.printable)}</code>, with its index entries.
        It is deleted only if it is still as shown.
      </p>
      {conflict.value !== undefined && (
        <p class="note is-warning" role="alert">
          The row was changed meanwhile ({conflict.value.join(', ')}). Nothing was deleted.
        </p>
      )}
      {failure.value !== undefined && <FailureBox failure={failure.value} />}
      <div class="bar">
        <button type="button" class="is-danger" onClick={() => void remove()}>
          Delete this row
        </button>
        {conflict.value !== undefined && (
          <button type="button" onClick={onChanged}>
            Show what is stored
          </button>
        )}
      </div>
    </div>
  );
}
