/** Go source as gofmt lays it out. */

/** Text as a literal. */
export function text(value: string): string {
  return `"${Array.from(value, escaped).join('')}"`;
}

function escaped(character: string): string {
  if (character === '\n') return '\\n';
  if (character === '\\' || character === '"') return `\\${character}`;
  if (!/[\p{C}\p{Z}]/u.test(character) || character === ' ') return character;
  const code = character.codePointAt(0)!;
  if (code > 0xffff) return `\\U${code.toString(16).padStart(8, '0')}`;
  return `\\u${code.toString(16).padStart(4, '0')}`;
}

/** Bytes as a string literal. */
export function bytes(value: Uint8Array): string {
  const body = Array.from(value, (byte) => {
    if (byte === 0x22 || byte === 0x5c) return `\\${String.fromCharCode(byte)}`;
    if (byte >= 0x20 && byte < 0x7f) return String.fromCharCode(byte);
    return `\\x${byte.toString(16).padStart(2, '0')}`;
  });
  return `"${body.join('')}"`;
}

/** Text of the declaration inside of a comment. */
export function goComment(value: string): string {
  return value.replace(/[\p{C}\u2028\u2029]/gu, ' ');
}

/** A composite literal on one line, of the fields that are given. */
export function composite(
  type: string,
  fields: readonly (readonly [name: string, value: string | undefined])[],
): string {
  const given = fields.flatMap(([name, value]) => (value === undefined ? [] : `${name}: ${value}`));
  return `${type}{${given.join(', ')}}`;
}

/** A call with an argument on each line after the first ones. */
export function goCall(start: string, first: readonly string[], others: readonly string[]): string {
  if (others.length === 0) return `${start}(${first.join(', ')})`;
  return `${start}(${first.join(', ')},\n${others.map((each) => `\t${each},\n`).join('')})`;
}

/** A field of a struct, with the comment above it. */
export interface StructField {
  readonly name: string;
  readonly type: string;
  readonly comment?: string | undefined;
}

/** A struct, with its types aligned between comments. */
export function struct(name: string, fields: readonly StructField[]): string {
  if (fields.length === 0) return `type ${name} struct{}`;
  const lines: string[] = [];
  let block: StructField[] = [];
  const flush = (): void => {
    const width = Math.max(...block.map((field) => field.name.length));
    lines.push(...block.map((field) => `\t${field.name.padEnd(width)} ${field.type}`));
    block = [];
  };
  for (const field of fields) {
    if (field.comment !== undefined) {
      if (block.length > 0) flush();
      lines.push(`\t// ${field.comment}`);
    }
    block.push(field);
  }
  flush();
  return `type ${name} struct {\n${lines.join('\n')}\n}`;
}

/** A function; its lines without indentation. */
export function func(comment: string, signature: string, lines: readonly string[]): string {
  return `// ${comment}\nfunc ${signature} {\n${lines.map((line) => `\t${line}\n`).join('')}}`;
}
