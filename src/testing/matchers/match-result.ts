/** Results and misuse of matchers. */
import { nearestName } from '../../base/index.js';

/** The result of a matcher, as jest defines it. */
export interface MatchResult {
  /** Whether the value matches. */
  readonly pass: boolean;
  /** The failure message; with `.not`, of a value that matches. */
  readonly message: () => string;
}

/** A result whose message is a headline followed by indented lines. */
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
export function misuse(matcher: string, problem: string, fix: string): TypeError {
  return new TypeError(`${matcher}: ${problem}\n  ${fix}`);
}

/** The fix for an unknown name: the most similar one, or all of them. */
export function suggestionText(name: string, known: readonly string[]): string {
  const nearest = nearestName(name, known);
  if (nearest === undefined) return `use one of ${known.join(', ')}`;
  return `did you mean '${nearest}'?`;
}
