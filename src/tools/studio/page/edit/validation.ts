/** What the server says about values while they are typed. */
import { type ReadonlySignal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Validated } from '../../protocol/change.js';
import { call, failureOf } from '../net/client.js';
import type { Values } from './changes.js';

const waitMs = 150;
const nothing: Validated = { issues: [] };

/** Issues by property, and those of no property under the empty name. */
export function useValidated(
  entity: string,
  values: Values,
  whole: boolean,
): ReadonlySignal<Validated> {
  const state = useSignal<Validated>(nothing);
  useEffect(() => {
    if (Object.keys(values).length === 0 && !whole) {
      state.value = nothing;
      return undefined;
    }
    const cancel = new AbortController();
    const ask = async (): Promise<void> => {
      try {
        state.value = await call('validate', { entity, values, whole }, cancel.signal);
      } catch (error) {
        const failure = failureOf(error);
        if (failure === undefined) return;
        const { property, message, problem, fix } = failure;
        state.value = { issues: [{ property, problem: problem ?? message, fix }] };
      }
    };
    const timer = setTimeout(() => void ask(), waitMs);
    return () => {
      clearTimeout(timer);
      cancel.abort();
    };
  }, [entity, JSON.stringify(values), whole]);
  return state;
}

/** The text of the first issue of a property. */
export function issueOf({ issues }: Validated, property: string): string | undefined {
  const found = issues.find((each) => each.property?.split('.')[0] === property);
  if (found === undefined) return undefined;
  return found.fix === undefined ? found.problem : `${found.problem}; ${found.fix}`;
}
