/** What a call returned, for a view that shows it: again whenever its inputs change. */
import { type Signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { StudioFailure } from '../../protocol/failure.js';
import { failureOf } from '../net/client.js';

export interface Loaded<T> {
  readonly value?: T | undefined;
  readonly failure?: StudioFailure | undefined;
  readonly loading: boolean;
  /** Whether `stop` was called. */
  readonly stopped?: boolean | undefined;
  /** Cancels the call. */
  readonly stop?: (() => void) | undefined;
  /** Calls again. */
  readonly again?: (() => void) | undefined;
}

/** Loads; the call is cancelled when the view goes or the inputs change. */
export function useLoaded<T>(
  load: (cancel: AbortSignal) => Promise<T>,
  inputs: readonly unknown[],
  delayMs = 0,
): Signal<Loaded<T>> {
  const state = useSignal<Loaded<T>>({ loading: true });
  const turn = useSignal(0);
  const again = (): void => {
    turn.value++;
  };
  useEffect(() => {
    const cancel = new AbortController();
    const run = async (): Promise<void> => {
      try {
        const value = await load(cancel.signal);
        if (!cancel.signal.aborted) state.value = { value, loading: false };
      } catch (error) {
        const failure = failureOf(error);
        if (failure !== undefined && !cancel.signal.aborted)
          state.value = { failure, loading: false };
      }
    };
    const timer = setTimeout(() => void run(), delayMs);
    const { value } = state.peek();
    const stop = (): void => {
      clearTimeout(timer);
      cancel.abort();
      state.value = { value, loading: false, stopped: true, again };
    };
    state.value = { value, loading: true, stop };
    return () => {
      clearTimeout(timer);
      cancel.abort();
    };
  }, [...inputs, turn.value]);
  return state;
}
