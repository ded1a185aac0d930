/** The page of `rowsmith simulate`: what a table would look like with its rows and traffic. */
import { type Signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { JSX } from 'preact';
import type { StudioFailure, WorkProgress } from '../../protocol/failure.js';
import type { WorkloadInfo, Simulation, SimulateRequest } from '../../protocol/simulate.js';
import { grouped } from '../format/numbers.js';
import { failureOf, lines } from '../net/client.js';
import { Empty, PlaceLink, Working } from '../parts/elements.js';
import { FailureBox } from '../parts/failure-box.js';
import { session } from '../state/studio.js';
import { Simulated } from './simulated.js';

export function Simulate({ workload }: { readonly workload: string | undefined }): JSX.Element {
  const workloads = session.value?.workloads ?? [];
  if (workloads.length === 0)
    return (
      <Empty isView title="No workload.">
        Declare one with{' '}
        <code>defineWorkload(Entity, {'{ rows, writesPerSecond, segments }'})</code>, list it in{' '}
        <code>workloads</code> of the config, and start the studio again.
      </Empty>
    );
  const chosen = workloads.find(({ name }) => name === workload) ?? workloads[0];
  return (
    <section class="page" aria-label="Simulation">
      <h1>Simulation</h1>
      {workloads.length > 1 && (
        <nav class="sources" aria-label="Workloads">
          {workloads.map(({ name }) => (
            <PlaceLink
              key={name}
              class="source"
              to={{ view: 'simulate', workload: name }}
              current={name === chosen.name}
            >
              {name}
            </PlaceLink>
          ))}
        </nav>
      )}
      <OneWorkload key={chosen.name} workload={chosen} />
    </section>
  );
}

function OneWorkload({ workload }: { readonly workload: WorkloadInfo }): JSX.Element {
  const { name, entity } = workload;
  const { report, progress, failure, stopped, running, run } = useSimulation();
  const rows = useSignal(String(workload.rows));
  const nodes = useSignal('8');
  const minutes = useSignal('30');
  const storage = useSignal<'ssd' | 'hdd'>('ssd');
  const begin = (event: Event): void => {
    event.preventDefault();
    void run({
      workload: name,
      rows: Number(rows.value),
      nodes: Number(nodes.value),
      minutes: Number(minutes.value),
      storage: storage.value,
    });
  };
  const isRunning = running.value !== undefined;
  return (
    <>
      <p class="quiet">
        Computed from the declared workload of {entity}, with other keys of the same data beside the
        declared one. The database is not read.
      </p>
      <form class="bar" onSubmit={begin}>
        <NumberOption name="rows" value={rows} max={1e12} />
        <NumberOption name="nodes" value={nodes} max={1_000} />
        <NumberOption name="minutes" value={minutes} min={2} max={1_440} />
        <label class="option">
          <span class="option-name">storage</span>
          <select
            value={storage.value}
            onChange={(event) => {
              storage.value = event.currentTarget.value === 'hdd' ? 'hdd' : 'ssd';
            }}
          >
            <option value="ssd">SSD</option>
            <option value="hdd">HDD</option>
          </select>
        </label>
        <button type="submit" class="is-primary" disabled={isRunning}>
          Simulate {grouped(Number(rows.value) || 0)} rows
        </button>
      </form>
      {isRunning && (
        <Working
          done={progress.value?.done}
          total={progress.value?.total}
          unit={progress.value?.unit ?? 'key designs'}
          onStop={() => running.value?.abort()}
        />
      )}
      {stopped.value && <p class="quiet">Stopped.</p>}
      {failure.value !== undefined && <FailureBox failure={failure.value} />}
      {report.value !== undefined && <Simulated key={report.value} simulation={report.value} />}
    </>
  );
}

interface NumberOptionProps {
  readonly name: string;
  readonly value: Signal<string>;
  readonly min?: number;
  readonly max: number;
}

const NumberOption = ({ name, value, min = 1, max }: NumberOptionProps): JSX.Element => (
  <label class="option">
    <span class="option-name">{name}</span>
    <input
      type="number"
      required
      min={min}
      max={max}
      value={value.value}
      onInput={(event) => {
        value.value = event.currentTarget.value;
      }}
    />
  </label>
);

function useSimulation() {
  const report = useSignal<Simulation | undefined>(undefined);
  const progress = useSignal<WorkProgress | undefined>(undefined);
  const failure = useSignal<StudioFailure | undefined>(undefined);
  const stopped = useSignal(false);
  const running = useSignal<AbortController | undefined>(undefined);
  useEffect(() => () => running.peek()?.abort(), []);
  const run = async (request: SimulateRequest): Promise<void> => {
    const cancel = new AbortController();
    running.value = cancel;
    stopped.value = false;
    [report.value, failure.value, progress.value] = [undefined, undefined, undefined];
    try {
      for await (const line of lines('simulate', request, cancel.signal)) {
        if (line.type === 'progress') progress.value = line;
        else report.value = line.report;
      }
    } catch (error) {
      failure.value = failureOf(error);
    } finally {
      stopped.value = cancel.signal.aborted;
      running.value = undefined;
    }
  };
  return { report, progress, failure, stopped, running, run };
}
