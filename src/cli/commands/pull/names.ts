/** Names for a draft: TypeScript identifiers, each once in its scope. */

/** Words that no class or constant may be called, and what the draft imports or declares itself. */
const taken = [
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

/** Gives names that were not given yet. */
export class Names {
  readonly #used: Set<string>;

  /** With names that are not free from the start. */
  constructor(used: readonly string[] = []) {
    this.#used = new Set([...taken, ...used]);
  }

  /** `userOrder` from `user order`; `fallback` where no letter is left. */
  property(text: string, fallback: string): string {
    const words = text.match(/[A-Za-z][A-Za-z0-9]*|\d+/g) ?? [];
    const joined = words
      .map((word, i) =>
        i === 0
          ? word.replace(/^[A-Z]+(?![a-z])|^[A-Z]/, (start) => start.toLowerCase())
          : capital(word),
      )
      .join('');
    return this.#free(/^[a-z]/i.test(joined) ? joined : fallback);
  }

  /** `UserOrder`. */
  className(text: string, fallback: string): string {
    const joined = (text.match(/[A-Za-z][A-Za-z0-9]*|\d+/g) ?? []).map(capital).join('');
    return this.#free(/^[A-Z]/.test(joined) ? joined : fallback);
  }

  #free(name: string): string {
    let free = name;
    for (let i = 2; this.#used.has(free); i++) free = `${name}${i}`;
    this.#used.add(free);
    return free;
  }
}

function capital(word: string): string {
  return word[0].toUpperCase() + word.slice(1);
}
