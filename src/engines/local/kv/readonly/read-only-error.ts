/** The error of writes to a database that is open for reading. */
import { RowsmithError, type FaultTexts } from '../../../../base/index.js';

/** UNSUPPORTED, because the database was opened with `readOnly`. */
export function readOnlyError(database?: string): RowsmithError {
  return new RowsmithError('UNSUPPORTED', { database, ...faults.readOnly });
}

const faults = {
  readOnly: {
    problem: 'the database was opened with readOnly: true',
    fix: 'open it without readOnly to write to it',
  },
} satisfies FaultTexts;
