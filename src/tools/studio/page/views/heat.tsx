/** The heat map of `rowsmith heatmap`, live while an application records. */
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { JSX } from 'preact';
import type { StudioFailure } from '../../protocol/failure.js';
import { failureOf, lines } from '../net/client.js';
import { Empty, Working } from '../parts/elements.js';
import { FailureBox } from '../parts/failure-box.js';
import { visible } from '../format/value.js';
import { session } from '../state/studio.js';
import type { HeatView } from './heat-parts.js';

const everyMs = 5_000;

export function Heat(): JSX.Element {
  if (session.value?.heat !== true)
    return (
      <Empty isView title="No recording.">
        Record with <code>recordAccess({'{ file }'})</code> in the application, then start{' '}
        <code>rowsmith studio --recording FILE</code>.
      </Empty>
    );
  return <Live />;
}

function Live(): JSX.Element {
  const host = useRef<HTMLDivElement>(null);
  const failure = useSignal<StudioFailure | undefined>(undefined);
  const warning = useSignal<string | undefined>(undefined);
  const loaded = useSignal(false);
  useEffect(() => {
    const cancel = new AbortController();
    let view: HeatView | undefined;
    const follow = async (): Promise<void> => {
      const { mountHeat } = await import('./heat-parts.js');
      for await (const line of lines('heat', { everyMs }, cancel.signal)) {
        warning.value = line.warning;
        if (host.current === null) return;
        view ??= mountHeat(host.current);
        view.show({ source: line.source, maps: line.maps });
        loaded.value = true;
      }
    };
    follow().catch((error: unknown) => {
      failure.value = failureOf(error);
    });
    return () => {
      cancel.abort();
      view?.remove();
    };
  }, []);
  return (
    <section class="page" aria-label="Heat map">
      <h1>Heat map</h1>
      {failure.value !== undefined && <FailureBox failure={failure.value} />}
      {warning.value !== undefined && <p class="note is-warning">{visible(warning.value)}</p>}
      {!loaded.value && failure.value === undefined && (
        <Working done={undefined} unit="recording" />
      )}
      <div ref={host} class="heat" />
    </section>
  );
}
