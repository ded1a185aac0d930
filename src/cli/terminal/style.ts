/** Colours on terminals, plain text elsewhere. */

/** Adds the escape codes of a style to a text. */
export interface Style {
  bold(text: string): string;
  dim(text: string): string;
  code(text: string): string;
  good(text: string): string;
  warn(text: string): string;
  bad(text: string): string;
  /** A colour of a scale from dark (0) to bright (1). */
  shade(text: string, level: number): string;
}

/** Colours of the 256, in the order of their luminance. */
const shades = [54, 90, 126, 162, 204, 210, 216, 223] as const;

/**
 * The styles of a stream. Only a terminal has colours, unless NO_COLOR is set to a non-empty value
 * (no-color.org).
 */
export function styleFor(
  stream: { readonly isTTY?: boolean },
  env: NodeJS.ProcessEnv = process.env,
): Style {
  const coloured =
    stream.isTTY === true && (env['NO_COLOR'] ?? '') === '' && env['TERM'] !== 'dumb';
  // Each style has its own end code, so that the end of one does not reset another.
  const sgr = (on: number, off: number) => (text: string) => {
    if (!coloured) return text;
    return `\x1b[${on}m${text}\x1b[${off}m`;
  };
  return {
    bold: sgr(1, 22),
    dim: sgr(2, 22),
    code: sgr(36, 39),
    good: sgr(32, 39),
    warn: sgr(33, 39),
    bad: sgr(31, 39),
    shade: (text, level) => {
      if (!coloured) return text;
      const colour = shades[Math.min(shades.length - 1, Math.floor(level * shades.length))];
      return `\x1b[38;5;${colour}m${text}\x1b[39m`;
    },
  };
}
