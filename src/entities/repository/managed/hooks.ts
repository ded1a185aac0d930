/** Calls the hooks of an entity class, and reports what they must not do. */
import { errorMessage, RowsmithError, type FaultTexts, isThenable } from '../../../base/index.js';
import type { EntityHooks, EntityModel } from '../../model/index.js';

/** Calls a hook. Throws HOOK_FAILED with the row key as text, which `keyText` returns. */
export type RunHook = (entity: object, keyText: () => string) => void;

/** The caller of a hook; undefined if the class has none. */
export function hookOf(model: EntityModel, name: keyof EntityHooks): RunHook | undefined {
  const hook = model.hooks?.[name];
  if (hook === undefined) return undefined;
  return (entity, keyText) => {
    let result: unknown;
    try {
      result = hook(entity);
    } catch (cause) {
      throw hookError(model, name, keyText(), { problem: errorMessage(cause), cause });
    }
    if (!isThenable(result)) return;
    // It is not awaited, and must not end the process as an unhandled rejection.
    result.then(undefined, () => undefined);
    throw hookError(model, name, keyText(), faults.returnedPromise);
  };
}

function hookError(
  { name: entity }: EntityModel,
  property: string,
  key: string,
  { problem, cause }: { readonly problem: string; readonly cause?: unknown },
): RowsmithError {
  let fix = `correct ${entity}.${property}(), or what it was called with`;
  if (cause === undefined)
    fix = `make ${entity}.${property}() synchronous, and await before the call or after it`;
  return new RowsmithError(
    'HOOK_FAILED',
    { entity, property, problem, fix, key },
    cause === undefined ? undefined : { cause },
  );
}

const faults = {
  returnedPromise: { problem: 'it returned a promise' },
} satisfies FaultTexts;
