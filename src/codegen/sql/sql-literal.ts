/** Literals and names of GoogleSQL. */

/** A name in backticks. */
export function sqlName(name: string): string {
  return `\`${name.replace(/[\\`]/g, (mark) => `\\${mark}`)}\``;
}

/** Text in quotes. */
export function sqlText(text: string): string {
  return `'${text.replace(/[\\']/g, (mark) => `\\${mark}`).replace(/[\u0000-\u001f\u007f]/g, (control) => `\\x${hexOf(control.charCodeAt(0))}`)}'`;
}

/** Bytes in quotes, printable ASCII as it is. */
export function sqlBytes(bytes: Uint8Array): string {
  return `b'${Array.from(bytes, (byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte).replace(/[\\']/, '\\$&') : `\\x${hexOf(byte)}`)).join('')}'`;
}

function hexOf(code: number): string {
  return code.toString(16).padStart(2, '0');
}

/** Gives each alias once; GoogleSQL's names do not tell upper from lower case. */
export function uniqueNames(): (wanted: string) => string {
  const taken = new Set<string>();
  return (wanted) => {
    let free = wanted;
    for (let again = 2; taken.has(free.toLowerCase()); again++) free = `${wanted}_${again}`;
    taken.add(free.toLowerCase());
    return free;
  };
}
