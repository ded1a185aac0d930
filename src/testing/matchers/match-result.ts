/** What a matcher answers. */

/** What jest asks of a matcher. */
export interface MatchResult {
  /** Whether it holds. */
  readonly pass: boolean;
  /** The text for when that is not what was expected: with `.not`, when it holds. */
  readonly message: () => string;
}

/** A result whose message is a headline and lines below it. */
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

/** The wrong thing was given to expect(): wrong also with `.not`, so it is thrown. */
export function misuse(matcher: string, problem: string, fix: string): TypeError {
  return new TypeError(`${matcher}: ${problem}\n  ${fix}`);
}
