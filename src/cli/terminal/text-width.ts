/** How many columns of a terminal a text takes, and texts cut to a width. */

/** Marks that are drawn over the character before them. */
const combining = /\p{Mark}|[\u200b-\u200d\ufe00-\ufe0f]/u;
/** East Asian characters and emoji, which take two columns (UAX #11, simplified to blocks). */
const wide =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;

function characterWidth(character: string): number {
  if (combining.test(character)) return 0;
  return wide.test(character) ? 2 : 1;
}

/** The columns that a text of one line takes. */
export function textWidth(text: string): number {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  let width = 0;
  for (const character of text) width += characterWidth(character);
  return width;
}

/** The text, or as much of it as fits, with an ellipsis at the end. */
export function cutText(text: string, width: number): string {
  if (textWidth(text) <= width) return text;
  let cut = '';
  let used = 0;
  for (const character of text) {
    used += characterWidth(character);
    if (used > width - 1) break;
    cut += character;
  }
  return `${cut}…`;
}
