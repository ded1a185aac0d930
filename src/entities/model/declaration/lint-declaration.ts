/** What entities declare for `lint`: rules that do not apply, and expectations of their data. */
import type { Duration } from '../gc-rule.js';

/** A rule of `lint` that does not apply, with the reason. */
export interface LintIgnoreDeclaration {
  /** The id of the rule: `K01`. */
  readonly rule: string;
  /** The property with findings to ignore; undefined for all findings of the entity. */
  readonly property?: string | undefined;
  /** Why it does not apply; not empty. */
  readonly reason: string;
}

/** What is expected of the values of a property. Only `lint` reads it; writes do not check it. */
export interface LintExpectation {
  /** Segments: the number of different values, at least 1. */
  readonly values?: number;
  /** Segments: whether values are issued in ascending or descending order. */
  readonly sequential?: boolean;
  /** Columns: the maximum size of a value in bytes; for column maps, of the value of an entry. */
  readonly maxBytes?: number;
  /** Column maps and versions: the maximum number of entries or versions in a row. */
  readonly maxEntries?: number;
  /** Columns: written more than about once a second in one row, or appended to. */
  readonly updates?: 'frequent' | 'append';
  /** Columns: for how long values are needed: `30d`. */
  readonly keep?: Duration;
  /** Whether values identify a person; default: whether the name or a validation rule shows it. */
  readonly personal?: boolean;
}

/** The option `lint` of an entity. */
export interface LintDeclaration {
  /** Rules that do not apply; for classes with decorators, the same as `@LintIgnore`. */
  readonly ignore?: readonly LintIgnoreDeclaration[];
  /** Expectations by property. */
  readonly expect?: Readonly<Record<string, LintExpectation>>;
}
