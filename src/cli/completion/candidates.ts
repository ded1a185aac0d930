/** What may follow on a command line, from the declarations of the commands. */
import {
  argumentsOf,
  type ArgumentSpec,
  type Command,
  type NameKind,
  type OptionSpec,
  type OptionSpecs,
  type ValueKind,
} from '../command.js';
import { commands } from '../commands.js';
import { globals } from '../parsing/globals.js';
import type { EntityNames } from './names.js';

/** A completion of the last word. */
export interface Candidate {
  /** The whole word. One that ends with `=` is continued without a space. */
  readonly word: string;
  readonly about: string;
}

/** Candidates, or a request to the shell for its own completion of files or folders. */
export type Completion = readonly Candidate[] | 'files' | 'directories';

/** Gives the names of the entities; called only if they are wanted. */
export type LoadNames = (config: string | undefined) => Promise<readonly EntityNames[]>;

/** Completes the last of the words that follow `rowsmith`. */
export async function complete(
  words: readonly string[],
  loadNames: LoadNames,
): Promise<Completion> {
  const last = words.at(-1) ?? '';
  const name = commandOf(words.slice(0, -1));
  if (name === undefined) return last.startsWith('-') ? optionNames({}, [], last) : names(last);
  if (name === 'help') return names(last);
  const command = await commands.get(name)?.load();
  if (command === undefined) return [];
  const rest = words.slice(words.indexOf(name) + 1, -1);
  return new LineCompletion(command, rest, loadNames).complete(last);
}

/** The first word that is neither an option nor the value of `--config`. */
function commandOf(words: readonly string[]): string | undefined {
  return words.find((word, i) => !word.startsWith('-') && words[i - 1] !== '--config');
}

function names(last: string): readonly Candidate[] {
  const all = [...commands].map(([word, { summary }]) => ({ word, about: summary }));
  return startingWith(last, [...all, { word: 'help', about: 'Help for a command' }]);
}

function startingWith(start: string, all: readonly Candidate[]): readonly Candidate[] {
  return all.filter(({ word }) => word.startsWith(start));
}

/** Options that were not given yet, or may be given several times. */
function optionNames(
  options: OptionSpecs,
  given: readonly string[],
  last: string,
): readonly Candidate[] {
  const specs: OptionSpecs = { ...options, ...globals };
  const all = Object.entries(specs)
    .filter(([name, { type }]) => type === 'list' || !given.includes(name))
    .map(([name, { about }]) => ({ word: `--${name}`, about: about.split('. ')[0] }));
  return startingWith(last, all);
}

/** What precedes the last name of a list: `at,` of `at,te`. */
function listStart(names: string): string {
  return names.slice(0, names.lastIndexOf(',') + 1);
}

/** The line of one command. */
class LineCompletion {
  readonly #options: OptionSpecs;
  readonly #arguments: readonly ArgumentSpec[];
  readonly #loadNames: LoadNames;
  readonly #given: string[] = [];
  readonly #positionals: string[] = [];
  #config: string | undefined;
  #index: string | undefined;
  /** The option of the value that is being typed. */
  #open: OptionSpec | undefined;
  #ended = false;

  constructor(command: Command, words: readonly string[], loadNames: LoadNames) {
    this.#options = command.options ?? {};
    this.#arguments = argumentsOf(command);
    this.#loadNames = loadNames;
    for (const word of words) this.#read(word);
  }

  #read(word: string): void {
    if (this.#open !== undefined) {
      if (this.#open === globals.config) this.#config = word;
      if (this.#open === this.#options['index']) this.#index = word;
      this.#open = undefined;
      return;
    }
    if (!this.#ended && word === '--') {
      this.#ended = true;
      return;
    }
    const [, name, value] = /^--([^=]+)(?:=(.*))?$/s.exec(word) ?? [];
    if (this.#ended || name === undefined) {
      if (this.#ended || !word.startsWith('-') || word === '-') this.#positionals.push(word);
      return;
    }
    this.#given.push(name);
    const option = this.#option(name);
    if (value === undefined && option?.value !== undefined) this.#open = option;
    if (option === globals.config) this.#config = value;
    if (option !== undefined && option === this.#options['index']) this.#index = value;
  }

  #option(name: string): OptionSpec | undefined {
    return { ...globals, ...this.#options }[name];
  }

  /** Without options of other actions. */
  #offered(): OptionSpecs {
    const [action] = this.#positionals;
    const all = Object.entries(this.#options);
    return Object.fromEntries(
      all.filter(([, { actions }]) => action === undefined || actions?.includes(action) !== false),
    );
  }

  async complete(last: string): Promise<Completion> {
    if (this.#open !== undefined) return this.#values(this.#open.kind, last, '');
    const [, flag, name] = /^(--([^=]+)=)/.exec(last) ?? [];
    if (!this.#ended && flag !== undefined)
      return this.#values(this.#option(name)?.kind, last, flag);
    if (!this.#ended && last.startsWith('-'))
      return optionNames(this.#offered(), this.#given, last);
    const at = this.#positionals.length;
    const argument = this.#arguments[at] ?? this.#arguments.at(-1);
    if (argument === undefined || (at >= this.#arguments.length && argument.repeatable !== true))
      return [];
    return this.#values(argument.kind, last, '');
  }

  /** Values of a kind. `flag` is what the word has before the value, `--format=`. */
  async #values(kind: ValueKind | undefined, last: string, flag: string): Promise<Completion> {
    if (kind === undefined) return [];
    if (kind === 'file') return 'files';
    if (kind === 'directory') return 'directories';
    const start = kind === 'properties' ? flag + listStart(last.slice(flag.length)) : flag;
    const all = await this.#words(kind);
    const used = new Set(this.#positionals.map((word) => word.replace(/=.*/s, '=')));
    const fresh = [...new Set(all)].filter((word) => !used.has(word));
    return startingWith(
      last,
      fresh.map((word) => ({ word: `${start}${word}`, about: '' })),
    );
  }

  async #words(kind: Exclude<ValueKind, 'file' | 'directory'>): Promise<readonly string[]> {
    if (typeof kind === 'string') return this.#names(kind);
    if (!('anyOf' in kind)) return kind;
    const entities = await this.#names('entity');
    const isNamed = this.#positionals.some((word) => entities.includes(word));
    const kinds = isNamed ? kind.anyOf.filter((each) => each !== 'entity') : kind.anyOf;
    return (await Promise.all(kinds.map((each) => this.#words(each)))).flat();
  }

  async #names(kind: NameKind): Promise<readonly string[]> {
    const all = await this.#loadNames(this.#config);
    const named = all.filter(({ name }) => this.#positionals.includes(name));
    const entities = named.length > 0 ? named : all;
    switch (kind) {
      case 'entity':
        return all.map(({ name }) => name);
      case 'table':
        return all.map(({ table }) => table);
      case 'index':
        return entities.flatMap(({ indexes }) => indexes);
      case 'family':
        return entities.flatMap(({ families }) => families);
      case 'pattern':
        return entities.flatMap(({ patterns }) => patterns);
      case 'segment':
        return entities.flatMap((each) => this.#segments(each).map((name) => `${name}=`));
      case 'properties':
        return entities.flatMap(({ segments, columns }) => [...segments, ...columns]);
      default:
        return entities.flatMap(({ segments, columns }) =>
          [...segments, ...columns].map((name) => `${name}=`),
        );
    }
  }

  /** The segments that a read takes: of the index that it names, or of the entity. */
  #segments({ segments, indexSegments = {} }: EntityNames): readonly string[] {
    const index = this.#index ?? '';
    return Object.hasOwn(indexSegments, index) ? indexSegments[index] : segments;
  }
}
