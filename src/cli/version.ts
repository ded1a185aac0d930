/** The version of the package: a bundle has no package.json beside it. A test compares the two. */

/** Whether npm has this version. Set with the first release; the README says the same. */
export const isPublished: boolean = false;

/** `0.1.0`. */
export function version(): string {
  return '0.1.0';
}
