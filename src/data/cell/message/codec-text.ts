/**
 * Builds the source text of a codec: `({ names from the scope }) => { constants; return (...) =>
 * {...}; }`. The text is either compiled at run time (message-codec.ts) or written to a module by
 * `rowsmith generate`. TypeScript modules only differ in non-null assertions on bytes.
 */
import type { CodecScope } from './codec-scope.js';

/** The language of the text: JavaScript for the run-time compiler, TypeScript for modules. */
export type Dialect = 'javascript' | 'typescript';

/** Collects the scope names, constants and variables that the text of a function uses. */
export class CodecText {
  readonly #dialect: Dialect;
  readonly #scopeNames = new Set<string>();
  readonly #constants = new Map<string, string>();
  readonly #numbers = new Set<string>();

  constructor(dialect: Dialect) {
    this.#dialect = dialect;
  }

  /** Takes a name from the scope, and returns it. */
  use(name: keyof CodecScope): string {
    this.#scopeNames.add(name);
    return name;
  }

  /** Declares a constant outside the function, and returns its name. */
  constant(name: string, value: string): string {
    this.#constants.set(name, value);
    return name;
  }

  /** Declares a number variable in the function, and returns its name. */
  number(name: string): string {
    this.#numbers.add(name);
    return name;
  }

  /** The declaration of the number variables; empty if there are none. */
  get numberDeclaration(): string {
    if (this.#numbers.size === 0) return '';
    return `let ${[...this.#numbers].map((name) => `${name} = 0`).join(', ')};`;
  }

  /** The byte of `b` at an index below the end. */
  byte(index: string): string {
    const assertion = this.#dialect === 'typescript' ? '!' : '';
    return `b[${index}]${assertion}`;
  }

  /** The complete text, with the function inside. */
  wrap(functionText: string): string {
    const constants = [...this.#constants]
      .map(([name, value]) => `  const ${name} = ${value};\n`)
      .join('');
    return `({ ${[...this.#scopeNames].join(', ')} }) => {\n${constants}  return ${functionText};\n}`;
  }
}
