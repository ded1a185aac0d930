/** The keys that calls pass. */
import { RowsmithError, type Values, wrongObject, type FaultTexts } from '../../base/index.js';
import type { EntityModel } from '../model/index.js';
import { wholeKey } from './scope/whole-key.js';

/** The key of a call, in a scope with its segments. Throws INVALID_KEY unless it is an object. */
export function keyArgument(model: EntityModel, key: unknown): Values {
  const { names, scope } = model.key;
  const wrong = wrongObject(key, true);
  if (wrong === undefined) {
    if (scope === undefined) return key as Values;
    return wholeKey(model, scope, key as Values);
  }
  throw new RowsmithError('INVALID_KEY', {
    entity: model.name,
    property: 'key',
    ...faults.wrongKey(
      names.join(', '),
      wrong.given,
      wrong.fix ?? `write { ${names.map((name) => `${name}: ...`).join(', ')} }`,
    ),
  });
}

const faults = {
  wrongKey: (list: string, given: string, fix: string) => ({
    problem: `a key is an object with ${list}, not ${given}`,
    fix,
  }),
} satisfies FaultTexts;
