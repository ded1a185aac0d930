/** State that one run of buildModels shares: the faults found so far, and the message shapes. */
import type { MessageShape } from '../../../../data/cell/index.js';
import type { Fault, FaultText } from '../../../../base/index.js';
import type { Constructor } from '../../declaration/declaration.js';

/** One run of buildModels. */
export interface BuildContext {
  /** All faults, in the order of the declarations. */
  readonly faults: Fault[];
  /** Shapes by message class, faulty ones included, so that each class is checked once. */
  readonly shapes: Map<Constructor, MessageShape>;
}

/** Reports a fault of one class; `property` is undefined for the class itself. */
export type Report = (property: string | undefined, fault: FaultText) => void;

/** A function that reports faults of `entity`. */
export function reporter(context: BuildContext, entity: string): Report {
  return (property, fault) => {
    context.faults.push({ entity, property, ...fault });
  };
}

/** The elements that appear more than once, each once. */
export function duplicates<T>(values: readonly T[]): T[] {
  return [...new Set(values.filter((value, i) => values.indexOf(value) !== i))];
}
