/** What a view shows until a call has returned: that it waits, or that it was stopped. */
import type { JSX } from 'preact';
import { Empty, Working } from './elements.js';
import type { Loaded } from './loaded.js';

interface WaitingProps {
  readonly loaded: Loaded<unknown>;
  /** What is waited for: `Plan`. */
  readonly what: string;
}

export function Waiting({ loaded, what }: WaitingProps): JSX.Element | null {
  const { value, failure, stopped, stop, again } = loaded;
  if (value !== undefined || failure !== undefined) return null;
  if (stopped !== true)
    return (
      <div class="waiting">
        <Working done={undefined} unit="" what={what} onStop={stop} />
      </div>
    );
  return (
    <Empty title="Stopped.">
      <button type="button" onClick={again}>
        Ask again
      </button>
    </Empty>
  );
}
