/**
 * Makes control characters visible in what is printed: names and values from data could otherwise
 * clear the screen, or rewrite lines that were printed before.
 */

/**
 * Control characters except tab and line feed, and characters that change the direction of text; or
 * one of our own styles (style.ts), which stays.
 */
const controls =
  /\x1b\[(?:1|2|22|31|32|33|36|39|38;5;\d{1,3})m|[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Text for people. With `styled`, styles are kept. */
export function escapeControls(text: string, styled: boolean): string {
  return text.replace(controls, (found) => {
    if (found.length === 1) return escaped(found);
    return styled ? found : escaped(found[0]) + found.slice(1);
  });
}

/** JSON without control characters: also escapes what JSON.stringify leaves. */
export function escapeJson(json: string): string {
  return json.replace(/[\x7f-\x9f]/g, (found) => `\\u00${hex(found)}`);
}

/** Lines of JSON for people: what changes the direction of text is escaped, too. */
export function escapeJsonControls(json: string): string {
  // A match can be a style: the first character of it is the control character.
  return json.replace(controls, (found) => `\\u${hex(found, 4)}${found.slice(1)}`);
}

function escaped(control: string): string {
  const code = control.charCodeAt(0);
  if (code > 0xff) return `\\u${hex(control, 4)}`;
  return `\\x${hex(control)}`;
}

function hex(character: string, digits = 2): string {
  return character.charCodeAt(0).toString(16).padStart(digits, '0');
}
