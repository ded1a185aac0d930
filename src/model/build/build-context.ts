/** What one build shares: the faults it found, and the message shapes it has seen. */
import type { MessageShape } from '../../cell/index.js';
import type { Fault } from '../../errors.js';
import type { Constructor } from '../declaration/declaration.js';

/** One run of buildModels. */
export interface BuildContext {
  /** Every fault, in the order of the declarations. */
  readonly faults: Fault[];
  /** Shape of each message class met, faulty ones too: a class is looked at once. */
  readonly shapes: Map<Constructor, MessageShape>;
}

/** Reports a fault of the one class it was made for. */
export type Report = (property: string | undefined, problem: string, fix: string) => void;

/** A reporter of faults of `entity`. */
export function reporter(context: BuildContext, entity: string): Report {
  return (property, problem, fix) => {
    context.faults.push({ entity, ...(property === undefined ? {} : { property }), problem, fix });
  };
}

/** The elements that appear more than once, each once. */
export function repeated<T>(values: readonly T[]): T[] {
  return [...new Set(values.filter((value, i) => values.indexOf(value) !== i))];
}
