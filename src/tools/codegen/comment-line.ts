/** Comments of generated files, with names that may hold any characters. */

/**
 * A comment of one line, such as `# text`. Line breaks and other control characters are written as
 * `\n` or `\u2028`: after a line break, the rest of a name would be a command of a script.
 */
export function commentLine(mark: '#' | '--', text: string): string {
  return `${mark} ${visible(text)}`;
}

function visible(text: string): string {
  return text.replace(/[\0-\x1f\x7f-\x9f\u2028\u2029]/g, (control) => {
    if (control === '\n') return '\\n';
    return `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}
