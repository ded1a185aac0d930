/**
 * Where inside a value a fault is: told from the inside out, so that nothing is paid for paths
 * until something is wrong.
 */
import { CellFault } from './cell-codec.js';

/**
 * The same fault, seen from one level further out: `lat` in `position` is `position.lat`, `[2]` in
 * `alarms` is `alarms[2]`.
 */
export function within(fault: unknown, place: string): unknown {
  if (fault instanceof CellFault && place !== '') {
    const dot = fault.path === '' || fault.path.startsWith('[') ? '' : '.';
    (fault as { path: string }).path = `${place}${dot}${fault.path}`;
  }
  return fault;
}

/** The place of an element or of a map's entry: `[2]`, `["a"]`. */
export function indexed(key: unknown): string {
  return `[${typeof key === 'string' ? JSON.stringify(key) : String(key)}]`;
}
