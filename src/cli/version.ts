/**
 * The version of the package, which a test holds to package.json: a bundle cannot look where that
 * file lies.
 */

/** `0.1.0`. */
export function version(): string {
  return '0.1.0';
}
