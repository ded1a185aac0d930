/** Results and misuse of matchers. */
import type { FaultText } from '../../../base/index.js';

/** The result of a matcher, as jest defines it. */
export interface MatchResult {
  /** Whether the value matches. */
  readonly pass: boolean;
  /** The failure message; with `.not`, of a value that matches. */
  readonly message: () => string;
}

/** A result with a headline and indented lines as its message. */
export function result(
  pass: boolean,
  headline: string,
  lines: readonly string[] = [],
): MatchResult {
  return {
    pass,
    message: () =>
      [headline, ...lines.map((line) => `  ${line.replaceAll('\n', '\n  ')}`)].join('\n'),
  };
}

/**
 * A wrong argument of expect() or of the matcher. Thrown, since it is wrong with `.not` as well.
 */
export function misuse(matcher: string, { problem, fix }: FaultText): TypeError {
  return new TypeError(`${matcher}: ${problem}\n  ${fix}`);
}
