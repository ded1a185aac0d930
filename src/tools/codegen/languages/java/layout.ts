/** Java source as google-java-format lays it out. */

/** Columns of a line. */
const maxColumns = 100;

/** Lists of items that are all shorter are filled. */
const shortItem = 10;

/** A piece of source: text, a text literal, a list in round brackets, or a chain of calls. */
export type JavaSource = string | JavaText | JavaCall | JavaChain;

/** A literal, which is broken between words. */
interface JavaText {
  readonly words: readonly string[];
}

/** A call, or the start of a definition. */
export interface JavaCall {
  readonly before: string;
  readonly items: readonly JavaSource[];
}

interface JavaChain {
  readonly head: JavaCall | string;
  readonly links: readonly JavaCall[];
}

/** A call, or the start of a definition. */
export function javaCall(before: string, items: readonly JavaSource[]): JavaCall {
  return { before, items };
}

/** Calls on the result of a call, which stand on lines of their own if they need more than one. */
export function chain(head: JavaCall, links: readonly JavaCall[]): JavaSource {
  return links.length === 0 ? head : { head, links };
}

/** The lines of a piece at an indent. */
export function javaLines(source: JavaSource, indent = '', suffix = ''): readonly string[] {
  const oneLine = `${indent}${flat(source)}${suffix}`;
  if (typeof source === 'string' || fits(oneLine)) return [oneLine];
  if ('words' in source) return textLines(source, indent, suffix);
  if ('before' in source) return callLines(source, indent, `${indent}    `, suffix);
  const { head, links } = source;
  const first = `${indent}${flat(head)}`;
  const start =
    typeof head === 'string' || fits(first)
      ? [first]
      : callLines(head, indent, `${indent}        `, '');
  return [
    ...start,
    ...links.flatMap((link, i) =>
      javaLines(
        { ...link, before: `.${link.before}` },
        `${indent}    `,
        i === links.length - 1 ? suffix : '',
      ),
    ),
  ];
}

function callLines(
  { before, items }: JavaCall,
  indent: string,
  inner: string,
  suffix: string,
): readonly string[] {
  const start = `${indent}${before}(`;
  const together = `${inner}${items.map(flat).join(', ')})${suffix}`;
  if (fits(together)) return [start, together];
  if (items.every((item) => flat(item).length < shortItem))
    return [start, ...filledLines(items.map(flat), inner, suffix)];
  return [
    start,
    ...items.flatMap((item, i) =>
      javaLines(item, inner, i === items.length - 1 ? `)${suffix}` : ','),
    ),
  ];
}

/** As many items on each line as fit. */
function filledLines(items: readonly string[], inner: string, suffix: string): readonly string[] {
  const found: string[] = [];
  items.forEach((item, i) => {
    const ended = i === items.length - 1 ? `${item})${suffix}` : `${item},`;
    const longer = `${found.at(-1) ?? ''} ${ended}`;
    if (i > 0 && fits(longer)) found[found.length - 1] = longer;
    else found.push(inner + ended);
  });
  return found;
}

/** A statement that starts with something and a value, which begins a line if it does not fit. */
export function assignment(start: string, value: JavaSource, indent = ''): readonly string[] {
  const oneLine = `${indent}${start} = ${flat(value)};`;
  if (fits(oneLine)) return [oneLine];
  return [`${indent}${start} =`, ...javaLines(value, `${indent}    `, ';')];
}

function textLines({ words }: JavaText, indent: string, suffix: string): readonly string[] {
  const found: string[] = [];
  let width = maxColumns - indent.length - 2;
  let rest = words;
  while (rest.length > 0) {
    const isLast = rest.join('').length <= width;
    const limit = isLast ? width - suffix.length : width;
    let count = 1;
    while (count < rest.length && rest.slice(0, count + 1).join('').length <= limit) count++;
    found.push(`"${rest.slice(0, count).join('')}"`);
    rest = rest.slice(count);
    if (found.length === 1) width -= 6;
  }
  const more = found.slice(1).map((line) => `${indent}    + ${line}`);
  const all = [`${indent}${found[0]}`, ...more];
  return [...all.slice(0, -1), `${all.at(-1)!}${suffix}`];
}

function fits(line: string): boolean {
  return columnsOf(line) <= maxColumns;
}

/** Characters of East Asian scripts count twice. */
function columnsOf(line: string): number {
  const wide = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60]/gu;
  return line.length + (line.match(wide)?.length ?? 0);
}

function flat(source: JavaSource): string {
  if (typeof source === 'string') return source;
  if ('words' in source) return `"${source.words.join('')}"`;
  if ('before' in source) return `${source.before}(${source.items.map(flat).join(', ')})`;
  return [source.head, ...source.links].map(flat).join('.');
}

/** Text as a literal. */
export function text(value: string): JavaSource {
  const escaped = Array.from({ length: value.length }, (_, i) => escapedUnit(value[i])).join('');
  return { words: escaped.split(/(?<=[^ ])(?= )/) };
}

function escapedUnit(unit: string): string {
  if (unit === '"' || unit === '\\') return `\\${unit}`;
  if (unit === '\n') return '\\n';
  const code = unit.charCodeAt(0);
  // What \u writes is read before the literal is: a line break or a quote would end it.
  if (code < 0x20 || (code >= 0x7f && code < 0xa1)) return `\\${code.toString(8).padStart(3, '0')}`;
  const isPlain = /[^\p{C}\p{Z}]/u.test(unit) || unit === ' ';
  return isPlain ? unit : `\\u${code.toString(16).padStart(4, '0')}`;
}

/** Bytes as a literal of characters up to 255. */
export function bytes(value: Uint8Array): JavaSource {
  const body = Array.from(value, (byte) => {
    const isPlain = byte >= 0x20 && byte < 0x7f;
    return isPlain
      ? escapedUnit(String.fromCharCode(byte))
      : `\\${byte.toString(8).padStart(3, '0')}`;
  });
  return `"${body.join('')}"`;
}

/** Text inside of a comment, where \u would be read too. */
export function javaComment(value: string): string {
  return value.replace(/[\p{C}\u2028\u2029]/gu, ' ').replaceAll('\\', '\\\\');
}
