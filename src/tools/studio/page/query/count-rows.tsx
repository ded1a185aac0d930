/** The number of rows that a query finds: their keys are read, and no row is kept. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { JSX } from 'preact';
import type { StudioFailure } from '../../protocol/failure.js';
import type { StudioQuery } from '../../protocol/query.js';
import { counted, grouped } from '../format/numbers.js';
import { failureOf, lines } from '../net/client.js';
import { Working } from '../parts/elements.js';

export function CountRows({ query }: { readonly query: StudioQuery }): JSX.Element {
  const found = useSignal<number | undefined>(undefined);
  const done = useSignal<number | undefined>(undefined);
  const failure = useSignal<StudioFailure | undefined>(undefined);
  const running = useSignal<AbortController | undefined>(undefined);
  useEffect(() => () => running.peek()?.abort(), []);
  const count = async (scanAll: boolean): Promise<void> => {
    const cancel = new AbortController();
    running.value = cancel;
    failure.value = undefined;
    try {
      const asked = scanAll ? { ...query, scanAll } : query;
      for await (const line of lines('count', { query: asked }, cancel.signal)) {
        if (line.type === 'end') found.value = line.rows;
        else done.value = line.done;
      }
    } catch (error) {
      failure.value = failureOf(error);
    } finally {
      running.value = undefined;
    }
  };
  if (running.value !== undefined)
    return <Working done={done.value ?? 0} unit="keys" onStop={() => running.value?.abort()} />;
  if (found.value !== undefined)
    return <span role="status">{counted(found.value, 'rows')} in all</span>;
  const scan = failure.value?.scan;
  const about =
    scan === undefined ? '' : ` all ${scan.estimated ? '~' : ''}${grouped(scan.rows)} keys`;
  return (
    <>
      {failure.value !== undefined && scan === undefined && (
        <span class="problem">{failure.value.message}</span>
      )}
      <button type="button" onClick={() => void count(scan !== undefined)}>
        Count{about}
      </button>
    </>
  );
}
