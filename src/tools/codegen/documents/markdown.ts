/** Markdown of generated documents. */

/** A table; cells may contain `|` and line breaks. */
export function grid(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`;
  return [line(head), `|${head.map(() => '---|').join('')}`, ...rows.map(line)].join('\n');
}

/** Text as code. */
export function codeSpan(text: string): string {
  if (text.includes('`')) return `\`\` ${text} \`\``;
  return `\`${text}\``;
}
