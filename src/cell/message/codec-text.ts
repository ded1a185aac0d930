/**
 * The text of a codec as it grows: `({ names from the scope }) => { constants; return (...) =>
 * {...}; }`. It is compiled at run time (source-codec.ts) or printed into a module (`rowsmith
 * generate`); both are the same text, except that TypeScript is told that a byte is there.
 */
import type { CodecScope } from './codec-scope.js';

/** Where the text goes: to the run time's compiler, or into a generated module. */
export type Dialect = 'javascript' | 'typescript';

/** Collects what the text takes from its scope and the constants it makes of it. */
export class CodecText {
  readonly #used = new Set<string>();
  readonly #made = new Map<string, string>();
  readonly #scratch = new Set<string>();

  readonly #dialect: Dialect;

  constructor(dialect: Dialect) {
    this.#dialect = dialect;
  }

  /** A name of the scope; the text takes it. */
  use(name: keyof CodecScope): string {
    this.#used.add(name);
    return name;
  }

  /** A constant of the text's own; `value` is an expression over used names. */
  make(name: string, value: string): string {
    this.#made.set(name, value);
    return name;
  }

  /** A number variable of the function, declared only where the text has it. */
  number(name: string): string {
    this.#scratch.add(name);
    return name;
  }

  /** The declaration of the number variables. */
  get numbers(): string {
    return this.#scratch.size === 0
      ? ''
      : `let ${[...this.#scratch].map((name) => `${name} = 0`).join(', ')};`;
  }

  /** The byte of `b` at the index, which is below the end. */
  byte(index: string): string {
    return this.#dialect === 'typescript' ? `b[${index}]!` : `b[${index}]`;
  }

  /** The whole text around the function that it makes. */
  around(made: string): string {
    const constants = [...this.#made]
      .map(([name, value]) => `  const ${name} = ${value};\n`)
      .join('');
    return `({ ${[...this.#used].join(', ')} }) => {\n${constants}  return ${made};\n}`;
  }
}
