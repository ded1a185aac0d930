/** Python source as Black lays it out: on one line if it fits, else one item on each line. */

/** Columns of a line. */
const maxColumns = 88;

/** A piece of source: text, or a list in brackets with what is before and after it. */
export type PythonSource =
  | string
  | {
      readonly before: string;
      readonly open: '(' | '[' | '{';
      readonly items: readonly PythonSource[];
      readonly after: string;
    };

const closing = { '(': ')', '[': ']', '{': '}' } as const;

/** A call, a definition, or anything else in round brackets. */
export function call(before: string, items: readonly PythonSource[], after = ''): PythonSource {
  return { before, open: '(', items, after };
}

/** `name=value`. */
export function named(name: string, value: PythonSource): PythonSource {
  return prefixed(`${name}=`, value);
}

export function prefixed(prefix: string, value: PythonSource): PythonSource {
  if (typeof value === 'string') return prefix + value;
  return { ...value, before: prefix + value.before };
}

/** A tuple; of one item with the comma that makes it one. */
export function tuple(items: readonly PythonSource[]): PythonSource {
  return call('', items);
}

/** The lines of a piece at an indent. */
export function lines(source: PythonSource, indent = '', suffix = ''): readonly string[] {
  const oneLine = `${indent}${flat(source)}${suffix}`;
  if (typeof source === 'string' || columnsOf(oneLine) <= maxColumns) return [oneLine];
  const { before, open, items, after } = source;
  if (items.length === 0) return [oneLine];
  return [
    `${indent}${before}${open}`,
    ...items.flatMap((item) => lines(item, `${indent}    `, ',')),
    `${indent}${closing[open]}${after}${suffix}`,
  ];
}

/** Black counts characters of East Asian scripts twice. */
function columnsOf(line: string): number {
  return Array.from(line).reduce((sum, each) => sum + (isWide(each) ? 2 : 1), 0);
}

function isWide(character: string): boolean {
  return /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60]/.test(
    character,
  );
}

function flat(source: PythonSource): string {
  if (typeof source === 'string') return source;
  const { before, open, items, after } = source;
  const isTuple = open === '(' && items.length === 1 && /(^|=|\(|, )$/.test(before);
  return `${before}${open}${items.map(flat).join(', ')}${isTuple ? ',' : ''}${closing[open]}${after}`;
}

/** Text as a literal, with the quotes that need fewer escapes. */
export function text(value: string): string {
  const quote = value.split('"').length > value.split("'").length ? "'" : '"';
  const body = Array.from(value, (character) => escaped(character, quote)).join('');
  return quote + body + quote;
}

function escaped(character: string, quote: string): string {
  if (character === '\n') return '\\n';
  if (character === '\\' || character === quote) return `\\${character}`;
  if (!/[\p{C}\p{Z}]/u.test(character) || character === ' ') return character;
  const code = character.codePointAt(0)!;
  if (code > 0xffff) return `\\U${code.toString(16).padStart(8, '0')}`;
  if (code > 0xff) return `\\u${code.toString(16).padStart(4, '0')}`;
  return `\\x${code.toString(16).padStart(2, '0')}`;
}

/** Bytes as a literal. */
export function bytes(value: Uint8Array): string {
  const body = Array.from(value, (byte) => {
    if (byte === 0x22 || byte === 0x5c) return `\\${String.fromCharCode(byte)}`;
    if (byte >= 0x20 && byte < 0x7f) return String.fromCharCode(byte);
    return `\\x${byte.toString(16).padStart(2, '0')}`;
  }).join('');
  if (body.includes('\\"') && !body.includes("'")) return `b'${body.replaceAll('\\"', '"')}'`;
  return `b"${body}"`;
}

/** Text inside of a docstring. */
export function docText(value: string): string {
  return value
    .replace(/[\p{C}\u2028\u2029]/gu, ' ')
    .replaceAll('\\', '\\\\')
    .replaceAll('"', '\\"');
}
