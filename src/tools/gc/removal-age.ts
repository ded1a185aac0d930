/** From which age on a rule removes a cell. */
import type { GcRule } from '../../data/store/index.js';

/**
 * The age in microseconds beyond which a cell with so many newer cells in its column is removed:
 * -Infinity for at any age, Infinity for never.
 */
export type Removal = (newer: number) => number;

/** Compiles a rule. */
export function removalAge(rule: GcRule | undefined): Removal {
  switch (rule?.kind) {
    case 'maxVersions':
      return (newer) => (newer >= rule.versions ? -Infinity : Infinity);
    case 'maxAge':
      return () => rule.micros;
    case 'union': {
      const terms = rule.rules.map(removalAge);
      return (newer) => Math.min(Infinity, ...terms.map((term) => term(newer)));
    }
    case 'intersection': {
      const terms = rule.rules.map(removalAge);
      // An empty rule removes nothing.
      if (terms.length === 0) return () => Infinity;
      return (newer) => Math.max(...terms.map((term) => term(newer)));
    }
    default:
      return () => Infinity;
  }
}
