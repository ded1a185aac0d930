/** What a query does: where in the key space it reads, what it sends, and what is thrown away. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { JSX } from 'preact';
import type { StudioFailure } from '../../protocol/failure.js';
import type { ExplainedQuery, KeySpace, Measured, StudioQuery } from '../../protocol/query.js';
import { bytesText, counted, durationText, grouped } from '../format/numbers.js';
import { call, failureOf, lines } from '../net/client.js';
import { Working } from '../parts/elements.js';
import { FailureBox } from '../parts/failure-box.js';
import { useLoaded } from '../parts/loaded.js';
import { Waiting } from '../parts/waiting.js';
import { KeySpacePicture } from './key-space-picture.js';
import { ThrownAway } from './thrown-away.js';

export function Explain({ query }: { readonly query: StudioQuery }): JSX.Element {
  const plan = useLoaded((cancel) => call('explain', { query }, cancel), []);
  const { value, failure } = plan.value;
  if (failure !== undefined) return <FailureBox failure={failure} />;
  if (value === undefined) return <Waiting loaded={plan.value} what="Plan" />;
  return (
    <div class="explain">
      <Plan plan={value} />
      <Measure query={query} />
      {value.index !== undefined && <IndexPlan index={value.index} />}
      <details>
        <summary>The plan as text</summary>
        <pre class="plan-text" tabIndex={0} role="region" aria-label="Plan as text">
          {value.text}
        </pre>
      </details>
    </div>
  );
}

function Plan({ plan }: { readonly plan: ExplainedQuery }): JSX.Element {
  const ranges = plan.ranges.length + plan.moreRanges;
  return (
    <section aria-label="Plan">
      <p class="plan-head">
        {plan.fullScan ? (
          <span class="mark is-warning">full scan</span>
        ) : (
          <span class="mark is-good">{counted(ranges, 'ranges')}</span>
        )}{' '}
        of the table <code>{plan.table}</code>
        {plan.space !== undefined && `, ${amountOf(plan.space, ranges)}`}
        {plan.fanOut > 1 && `, ${plan.fanOut} shards read and merged`}
      </p>
      <KeySpacePicture plan={plan} />
      <dl class="facts">
        <Facts name="finds" texts={plan.conditions} />
        <Facts name="families" texts={plan.families} />
        <Facts name="filtered in storage" texts={[...plan.filters, ...plan.whereAtServer]} />
        <Facts name="tested here" texts={plan.whereAtClient} />
        <Facts name="hides" texts={plan.hidden} />
        <Facts name="reads as well, and throws away" texts={plan.others} />
      </dl>
    </section>
  );
}

function amountOf({ inRanges, bytes, sections }: KeySpace, ranges: number): string {
  if (inRanges === 0)
    return `${ranges > 1 ? 'each ' : ''}inside one of its ${counted(sections.length, 'sections')}`;
  return `about ${bytesText(inRanges)} of ${bytesText(bytes)}`;
}

const Facts = (props: { readonly name: string; texts: readonly string[] }): JSX.Element | null =>
  props.texts.length === 0 ? null : (
    <div>
      <dt>{props.name}</dt>
      {props.texts.map((text) => (
        <dd key={text}>
          <code>{text}</code>
        </dd>
      ))}
    </div>
  );

function IndexPlan({
  index,
}: {
  readonly index: NonNullable<ExplainedQuery['index']>;
}): JSX.Element {
  return (
    <section aria-label="Rows of the index">
      <h2>
        {index.covered ? 'Answered by the entries of ' : 'Rows that the entries lead to: '}
        {index.name}
      </h2>
      {index.notes.map((note) => (
        <p key={note} class="quiet">
          {note}
        </p>
      ))}
      {index.rows !== undefined && <Plan plan={index.rows} />}
    </section>
  );
}

/** Runs the query, and shows what came and what was thrown away. */
function Measure({ query }: { readonly query: StudioQuery }): JSX.Element {
  const measured = useSignal<Measured | undefined>(undefined);
  const done = useSignal<number | undefined>(undefined);
  const failure = useSignal<StudioFailure | undefined>(undefined);
  const running = useSignal<AbortController | undefined>(undefined);
  useEffect(() => () => running.peek()?.abort(), []);
  const run = async (scanAll: boolean): Promise<void> => {
    const cancel = new AbortController();
    running.value = cancel;
    failure.value = undefined;
    try {
      const asked = scanAll ? { ...query, scanAll } : query;
      for await (const line of lines('measure', { query: asked }, cancel.signal)) {
        if (line.type === 'report') measured.value = line.measured;
        else done.value = line.done;
      }
    } catch (error) {
      failure.value = failureOf(error);
    } finally {
      running.value = undefined;
      done.value = undefined;
    }
  };
  const scan = failure.value?.scan;
  return (
    <section class="measure" aria-label="Measurement">
      <div class="bar">
        <button
          type="button"
          disabled={running.value !== undefined}
          onClick={() => void run(false)}
        >
          {measured.value === undefined ? 'Run and count' : 'Run again'}
        </button>
        <span class="quiet">runs the query, at most 100,000 rows, and keeps none</span>
        {running.value !== undefined && (
          <Working done={done.value} unit="rows" onStop={() => running.value?.abort()} />
        )}
      </div>
      {failure.value !== undefined && (
        <FailureBox failure={failure.value}>
          {scan !== undefined && (
            <button type="button" onClick={() => void run(true)}>
              Read {scan.estimated ? 'about ' : ''}
              {grouped(scan.rows)} rows
            </button>
          )}
        </FailureBox>
      )}
      {measured.value !== undefined && <Result measured={measured.value} />}
    </section>
  );
}

function Result({ measured }: { readonly measured: Measured }): JSX.Element {
  const { ms, firstRowMs, requests, rowsRead, bytesRead, rows, stopped } = measured;
  const facts: readonly (readonly [string, string])[] = [
    ['rows', `${grouped(rows)}${stopped ? ', then stopped' : ''}`],
    ['requests', grouped(requests)],
    ['time', durationText(ms)],
    ['first row', firstRowMs === undefined ? 'none' : durationText(firstRowMs)],
    ['rows read', grouped(rowsRead)],
    ['bytes read', bytesText(bytesRead)],
  ];
  return (
    <>
      <dl class="figures">
        {facts.map(([name, text]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
      <ThrownAway measured={measured} />
    </>
  );
}
