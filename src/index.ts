/** The front door: names only. */
export type { ErrorCode, ErrorDetails, Fault } from './errors.js';
export { RowsmithError, errorMessages } from './errors.js';
export type * from './store/index.js';
