/** Indexes, rollups and copies: their state, and checking and repairing them. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { JSX } from 'preact';
import type { StudioFailure } from '../../protocol/failure.js';
import type { DerivedLine, DerivedRequest, DerivedState } from '../../protocol/insight.js';
import { counted, grouped } from '../format/numbers.js';
import { timeText } from '../format/time.js';
import { visible } from '../format/value.js';
import { call, failureOf, lines } from '../net/client.js';
import { Empty, PlaceLink, Working } from '../parts/elements.js';
import { FailureBox } from '../parts/failure-box.js';
import { useLoaded } from '../parts/loaded.js';
import { Waiting } from '../parts/waiting.js';
import { firstRows } from '../state/route.js';
import { zone } from '../state/settings.js';
import { writable } from '../state/studio.js';

type Work = 'verify' | 'repair' | 'rebuild' | 'propagate';

export function Derived(): JSX.Element {
  const again = useSignal(0);
  const state = useLoaded((cancel) => call('derived', {}, cancel), [again.value]);
  const { value, failure } = state.value;
  return (
    <section class="page" aria-label="Derived rows">
      <h1>Derived rows</h1>
      {failure !== undefined && <FailureBox failure={failure} />}
      <Waiting loaded={state.value} what="State" />
      {value !== undefined && <State state={value} onDone={() => again.value++} />}
    </section>
  );
}

interface StateProps {
  readonly state: DerivedState;
  readonly onDone: () => void;
}

function State({ state: { indexes, rollups, copies }, onDone }: StateProps): JSX.Element {
  if (indexes.length + rollups.length + copies.length === 0)
    return (
      <Empty title="No indexes, rollups or copies.">
        An index finds rows by another key: see the guide about indexes.
      </Empty>
    );
  const entities = new Set([
    ...indexes.flatMap(({ entity }) => entity ?? []),
    ...[...rollups, ...copies].map(({ entity }) => entity),
  ]);
  return (
    <>
      {[...entities].map((entity) => (
        <article key={entity} class="card" aria-label={`Derived rows of ${entity}`}>
          <h2>{entity}</h2>
          <ul class="derived-list">
            {indexes
              .filter((each) => each.entity === entity)
              .map(({ id, index, table, state }) => (
                <li key={id}>
                  <span>index</span>
                  {index === undefined ? (
                    id
                  ) : (
                    <PlaceLink to={firstRows({ kind: 'index', entity, index })}>{index}</PlaceLink>
                  )}
                  <span class="quiet">{table}</span>
                  <span class="mark">{state}</span>
                </li>
              ))}
            {rollups
              .filter((each) => each.entity === entity)
              .map(({ rollup }) => (
                <li key={rollup}>
                  <span>rollup</span>
                  <PlaceLink to={firstRows({ kind: 'rollup', entity, rollup })}>{rollup}</PlaceLink>
                </li>
              ))}
            {copies
              .filter((each) => each.entity === entity)
              .map(({ due, since }) => (
                <li key="copies">
                  <span>copies</span>
                  <span>
                    {due === 0 ? 'all written' : `${counted(due, 'rows')} not written yet`}
                    {since !== undefined && `, since ${timeText(since, zone.value)}`}
                  </span>
                </li>
              ))}
          </ul>
          <Works
            entity={entity}
            indexes={indexes.flatMap((each) => (each.entity === entity ? (each.index ?? []) : []))}
            copies={copies.some((each) => each.entity === entity)}
            onDone={onDone}
          />
        </article>
      ))}
      {indexes
        .filter(({ entity }) => entity === undefined)
        .map(({ id, table, state }) => (
          <p key={id} class="note is-warning">
            Index <code>{id}</code> in {table} belongs to no declared entity ({state}).
          </p>
        ))}
    </>
  );
}

type Report = Extract<DerivedLine, { type: 'report' }>;

interface WorkProps {
  readonly entity: string;
  readonly indexes: readonly string[];
  readonly copies: boolean;
  readonly onDone: () => void;
}

function Works({ entity, indexes, copies, onDone }: WorkProps): JSX.Element {
  const done = useSignal<{ readonly done: number; total?: number; unit: string } | undefined>(
    undefined,
  );
  const report = useSignal<Report | undefined>(undefined);
  const failure = useSignal<StudioFailure | undefined>(undefined);
  const running = useSignal<AbortController | undefined>(undefined);
  useEffect(() => () => running.peek()?.abort(), []);
  const run = async (work: Work, index?: string): Promise<void> => {
    const cancel = new AbortController();
    running.value = cancel;
    [report.value, failure.value] = [undefined, undefined];
    try {
      const request: DerivedRequest = { entity, index };
      for await (const line of lines(work, request, cancel.signal)) {
        if (line.type === 'report') report.value = line;
        else done.value = line;
      }
      if (work !== 'verify') onDone();
    } catch (error) {
      failure.value = failureOf(error);
    } finally {
      running.value = undefined;
      done.value = undefined;
    }
  };
  const works: readonly Work[] = ['verify', ...changing(copies)];
  return (
    <>
      <div class="bar">
        {works.map((work) => (
          <button
            key={work}
            type="button"
            disabled={running.value !== undefined}
            onClick={() => void run(work)}
          >
            {capital(work)}
          </button>
        ))}
        {writable.value &&
          indexes.map((index) => (
            <button
              key={index}
              type="button"
              disabled={running.value !== undefined}
              onClick={() => void run('rebuild', index)}
            >
              Rebuild {index}
            </button>
          ))}
        {running.value !== undefined && (
          <Working
            done={done.value?.done}
            total={done.value?.total}
            unit={done.value?.unit ?? 'rows'}
            onStop={() => running.value?.abort()}
          />
        )}
      </div>
      {failure.value !== undefined && <FailureBox failure={failure.value} />}
      {report.value !== undefined && <Outcome report={report.value} />}
    </>
  );
}

const changing = (copies: boolean): readonly Work[] => {
  if (!writable.value) return [];
  return copies ? ['repair', 'propagate'] : ['repair'];
};

const capital = (text: string): string => `${text[0].toUpperCase()}${text.slice(1)}`;

/** What was looked at, and what was found: `rollupsMissing` is `rollups missing`. */
const outcomeText = (counts: Report['counts']): string =>
  Object.entries(counts)
    .filter(([name, count]) => count > 0 || looked.includes(name))
    .map(([name, count]) => {
      const words = name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
      return `${grouped(count)} ${words}`;
    })
    .join(', ');

const looked = ['rows', 'entries'];

const Outcome = ({
  report: { counts, findings, clean },
}: {
  readonly report: Report;
}): JSX.Element => (
  <div class="report" role="status">
    <p>
      <span class={`mark ${clean ? 'is-good' : 'is-warning'}`}>
        {clean ? 'clean' : 'not clean'}
      </span>{' '}
      {outcomeText(counts)}
    </p>
    {findings.length > 0 && (
      <ul>
        {findings.map((finding, i) => (
          <li key={i}>
            <code>{visible(JSON.stringify(finding))}</code>
          </li>
        ))}
      </ul>
    )}
  </div>
);
