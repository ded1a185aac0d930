/** What a call returned, for a view that shows it: again whenever its inputs change. */
import { type Signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { StudioFailure } from '../../protocol/failure.js';
import { failureOf } from '../net/client.js';

export interface Loaded<T> {
  readonly value?: T | undefined;
  readonly failure?: StudioFailure | undefined;
  readonly loading: boolean;
}

/** Loads; the call is cancelled when the view goes or the inputs change. */
export function useLoaded<T>(
  load: (cancel: AbortSignal) => Promise<T>,
  inputs: readonly unknown[],
  delayMs = 0,
): Signal<Loaded<T>> {
  const state = useSignal<Loaded<T>>({ loading: true });
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
    state.value = { value: state.peek().value, loading: true };
    const timer = setTimeout(() => void run(), delayMs);
    return () => {
      clearTimeout(timer);
      cancel.abort();
    };
  }, inputs);
  return state;
}
