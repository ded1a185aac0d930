/** Regular expressions that mean the same in JavaScript, Python, Go and Java. */

/**
 * One token of a portable pattern. Left out is what differs: classes of Unicode, look-behind, back
 * references, names, `.` (line breaks differ) and `\s` (its characters differ).
 */
const token =
  /[A-Za-z0-9 _,:;@%&=~'"!<>\/#-]|\\[dwDW]|\\[.\\\/^$*+?()[\]{}|-]|\[\^?(?:[A-Za-z0-9 _,:;@%&=~'"!<>.\/#+*?()|$-]|\\[dw]|\\[.\\\/^$*+?()[\]{}|-])+\]|\(\?:|\((?!\?)|[)|^$]|[*+?]\??|\{\d+(?:,\d*)?\}\??/y;

/** The source of a pattern without flags, if it is portable; `$` is the end of the text. */
export function portablePattern({ source, flags }: RegExp): string | undefined {
  if (flags !== '' && flags !== 'u') return undefined;
  // Without the flag u, what excludes characters matches half of one beyond U+FFFF.
  if (flags === '' && /\[\^|\\[DW]/.test(source)) return undefined;
  token.lastIndex = 0;
  while (token.lastIndex < source.length) if (!token.test(source)) return undefined;
  return source;
}
