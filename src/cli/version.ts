/** The version of the package, and whether npm has it. */
import { packageVersion } from '../base/index.js';

/** Whether npm has this version. Set with the first release; the README says the same. */
export const isPublished: boolean = false;

/** `0.1.0`. */
export function version(): string {
  return packageVersion;
}
