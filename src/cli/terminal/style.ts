/** Colours for people at a terminal, plain text for everything else. */

/** How a piece of text stands out. */
export interface Style {
  bold(text: string): string;
  dim(text: string): string;
  code(text: string): string;
  good(text: string): string;
  bad(text: string): string;
}

/**
 * The styles of a stream. Colours only on a terminal, and not where NO_COLOR is set to anything
 * (no-color.org).
 */
export function styleFor(
  stream: { readonly isTTY?: boolean },
  env: NodeJS.ProcessEnv = process.env,
): Style {
  const coloured =
    stream.isTTY === true && (env['NO_COLOR'] ?? '') === '' && env['TERM'] !== 'dumb';
  // Each style is ended by its own code, so that styles do not end each other.
  const sgr = (on: number, off: number) => (text: string) =>
    coloured ? `\x1b[${on}m${text}\x1b[${off}m` : text;
  return {
    bold: sgr(1, 22),
    dim: sgr(2, 22),
    code: sgr(36, 39),
    good: sgr(32, 39),
    bad: sgr(31, 39),
  };
}
