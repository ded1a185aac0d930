/** How many versions of a cell a garbage collection rule keeps. */
import type { GcRule } from '../../../data/store/index.js';

/** The maximum number of versions; Infinity if the rule does not limit it. */
export function versionsKept(rule: GcRule | undefined): number {
  switch (rule?.kind) {
    case 'maxVersions':
      return rule.versions;
    case 'union':
      return Math.min(Infinity, ...rule.rules.map(versionsKept));
    case 'intersection':
      return rule.rules.length === 0 ? Infinity : Math.max(...rule.rules.map(versionsKept));
    default:
      return Infinity;
  }
}
