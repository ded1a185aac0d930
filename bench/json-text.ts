/** Values as JSON, to compare them. */

/** JSON with bigints as text: `5n`. */
export function jsonText(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) => {
    if (typeof part === 'bigint') return `${part}n`;
    return part;
  });
}
