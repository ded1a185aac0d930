/** The version of the package: a bundle has no package.json beside it. A test compares the two. */

/** `0.1.0`. */
export function version(): string {
  return '0.1.0';
}
