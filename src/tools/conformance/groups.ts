/** All conformance cases. */
import type { CaseGroup } from './case.js';
import { changes } from './cases/changes.js';
import { filters } from './cases/filters.js';
import { reads } from './cases/reads.js';
import { removals } from './cases/removals.js';
import { tables } from './cases/tables.js';
import { writes } from './cases/writes.js';

/** The cases by subject, in the order in which they run. */
export const caseGroups: readonly CaseGroup[] = [writes, changes, reads, filters, tables, removals];
