/** Names of declarations as names of other languages: compile-safe, and unique without case. */
import { UniqueNames } from '../unique-names.js';

/** The words of a name: `cpuLoad`, `cpu_load` and `CPULoad` are `cpu` and `load`. */
export function nameWords(name: string): readonly string[] {
  return name
    .replace(/[^A-Za-z0-9]+/g, ' ')
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .split(' ')
    .filter((word) => word !== '');
}

/** `cpu_load`; `unnamed` for a name without a letter or digit of ASCII. */
export function snakeCase(name: string): string {
  return startingWithLetter(
    nameWords(name)
      .map((word) => word.toLowerCase())
      .join('_'),
    'unnamed',
  );
}

/** `CpuLoad`. */
export function pascalCase(name: string): string {
  const words = nameWords(name).map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return startingWithLetter(words.join(''), 'Unnamed');
}

function startingWithLetter(name: string, empty: string): string {
  if (name === '') return empty;
  return /^[0-9]/.test(name) ? `${empty.charAt(0)}${name}` : name;
}

/** Names of one scope. A word of the language gets a `_` at its end, as its style asks. */
export class SafeNames {
  readonly #names = new UniqueNames();
  readonly #words: ReadonlySet<string>;

  constructor(words: ReadonlySet<string>) {
    this.#words = words;
  }

  take(name: string): string {
    return this.#names.take(this.#words.has(name) ? `${name}_` : name);
  }
}

/** The property with the key of the row in entries of unique indexes. */
export const holderProperty = '#row';
