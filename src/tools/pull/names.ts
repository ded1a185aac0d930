/** TypeScript identifiers for a generated module, unique in their scope. */

/** Reserved words, and names that the module imports or uses. */
const reserved = [
  'await',
  'break',
  'case',
  'catch',
  'class',
  'const',
  'continue',
  'debugger',
  'default',
  'delete',
  'do',
  'else',
  'enum',
  'export',
  'extends',
  'false',
  'finally',
  'for',
  'function',
  'if',
  'import',
  'in',
  'instanceof',
  'let',
  'new',
  'null',
  'return',
  'static',
  'super',
  'switch',
  'this',
  'throw',
  'true',
  'try',
  'typeof',
  'var',
  'void',
  'while',
  'with',
  'yield',
  'constructor',
  'prototype',
  'Column',
  'ColumnMap',
  'Counter',
  'Entity',
  'Field',
  'Message',
  'Packed',
  'RepeatedField',
  'Segment',
  'Versions',
  'Date',
  'Map',
  'Uint8Array',
  'String',
  'Number',
  'Boolean',
  'BigInt',
  'Object',
];

/** Creates names that are unique in one scope. */
export class Names {
  readonly #used = new Set(reserved);

  /** `userOrder` from `user order`; `fallback` if the text does not begin with a letter. */
  property(text: string, fallback: string): string {
    const [first = '', ...rest] = wordsOf(text);
    const start = first.replace(/^[A-Z]+(?![a-z])|^[A-Z]/, (capitals) => capitals.toLowerCase());
    const joined = [start, ...rest.map(capitalized)].join('');
    return this.#unique(joined, fallback);
  }

  /** `UserOrder` from `user order`; `fallback` if the text does not begin with a letter. */
  className(text: string, fallback: string): string {
    const joined = wordsOf(text).map(capitalized).join('');
    return this.#unique(joined, fallback);
  }

  #unique(name: string, fallback: string): string {
    if (/^[a-z]/i.test(name)) return uniqueName(name, this.#used);
    return uniqueName(fallback, this.#used);
  }
}

/** The name, with a number if it is in `used` already; adds the result to `used`. */
export function uniqueName(name: string, used: Set<string>): string {
  let unique = name;
  for (let i = 2; used.has(unique); i++) unique = `${name}${i}`;
  used.add(unique);
  return unique;
}

function wordsOf(text: string): readonly string[] {
  return text.match(/[A-Za-z][A-Za-z0-9]*|\d+/g) ?? [];
}

function capitalized(word: string): string {
  return word[0].toUpperCase() + word.slice(1);
}
