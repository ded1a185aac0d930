/** Small parts that several views have. */
import { useSignal } from '@preact/signals';
import type { ComponentChildren, JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { addressOf, type Route } from '../state/route.js';
import { grouped, wholeSeconds } from '../format/numbers.js';
import { copy } from '../state/notice.js';

interface EmptyProps {
  readonly title: string;
  /** Whether it is the whole view: the title is its heading. */
  readonly isView?: boolean;
  readonly children?: ComponentChildren;
}

/** Nothing is here, and what to do next. */
export const Empty = ({ title, isView = false, children }: EmptyProps): JSX.Element => (
  <div class="empty">
    {isView ? <h1 class="empty-title">{title}</h1> : <p class="empty-title">{title}</p>}
    {children !== undefined && <div class="empty-next">{children}</div>}
  </div>
);

interface LinkProps {
  readonly to: Route;
  readonly class?: string;
  readonly current?: boolean | undefined;
  readonly children: ComponentChildren;
}

/** A link to a place of the page. */
export const PlaceLink = ({ to, current, children, ...rest }: LinkProps): JSX.Element => (
  <a href={addressOf(to)} class={rest.class} aria-current={current === true ? 'page' : undefined}>
    {children}
  </a>
);

interface WorkingProps {
  readonly done: number | undefined;
  readonly total?: number | undefined;
  readonly unit: string;
  readonly what?: string | undefined;
  readonly onStop?: (() => void) | undefined;
}

/** How far something is, for how long it has taken, and a button that stops it. */
export function Working({ done, total, unit, what, onStop }: WorkingProps): JSX.Element {
  const of = total === undefined ? '' : ` of ${grouped(total)}`;
  const waits = total === undefined && (done ?? 0) === 0;
  const text = waits ? 'Waiting for the back end' : `${grouped(done ?? 0)}${of} ${unit}`;
  return (
    <div class="working">
      {total !== undefined && <progress aria-label={what ?? unit} value={done ?? 0} max={total} />}
      <span role="status">
        {what !== undefined && `${what}: `}
        {text}
      </span>
      <Elapsed />
      {onStop !== undefined && (
        <button type="button" onClick={onStop}>
          Stop
        </button>
      )}
    </div>
  );
}

/** Seconds since it was first shown. Screen readers read it when asked, not every second. */
function Elapsed(): JSX.Element | null {
  const seconds = useSignal(0);
  useEffect(() => {
    const began = performance.now();
    const timer = setInterval(() => {
      seconds.value = Math.round((performance.now() - began) / 1000);
    }, 1000);
    return () => clearInterval(timer);
  }, []);
  if (seconds.value === 0) return null;
  return (
    <span class="quiet" role="timer" aria-label="Time so far">
      {wholeSeconds(seconds.value)}
    </span>
  );
}

interface CopyProps {
  readonly text: string | undefined;
  readonly what: string;
  readonly children: ComponentChildren;
}

export const CopyButton = ({ text, what, children }: CopyProps): JSX.Element => (
  <button
    type="button"
    disabled={text === undefined}
    onClick={() => {
      if (text !== undefined) void copy(text, what);
    }}
  >
    {children}
  </button>
);
