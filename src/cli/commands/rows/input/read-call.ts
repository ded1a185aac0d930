/** The options and arguments of commands that read rows, declared once. */
import { suggestionText } from '../../../../base/index.js';
import { timestampForm } from '../../../../data/text/index.js';
import type { EntityModel, PatternModel } from '../../../../entities/model/index.js';
import {
  type ArgumentSpec,
  flag,
  list,
  type OptionValues,
  text,
  UsageError,
} from '../../../command.js';
import { readCount } from '../../row-command.js';
import { optionTerm, parsed, parseTerm, type Term } from './terms.js';

/** The options of reads. */
export const readOptions = {
  key: text('BYTES', 'The key as it is stored: text, with other bytes as \\xNN'),
  from: text(
    'SEG=VALUE',
    'Only rows from this value of the segment after those given; as SEG>=VALUE, without quotes',
    'segment',
  ),
  to: text('SEG=VALUE', 'Only rows before this value; as SEG<VALUE', 'segment'),
  starts: text('SEG=TEXT', 'Only rows with a text segment that starts so; as SEG^=TEXT', 'segment'),
  under: text('SEG=NAME', 'Only rows of this domain and its subdomains', 'segment'),
  where: list(
    'CONDITION',
    'Only rows that meet it: NAME=VALUE, or with != > >= < <= or ^= (starts with); ' +
      'NAME: has a value; !NAME: has none. Repeat it; see rowsmith help export',
    'condition',
  ),
  select: list('NAME,...', 'Only these properties, and the segments of the key', 'properties'),
  limit: text('ROWS', 'At most so many'),
  reverse: flag('The other order'),
  index: text('NAME', 'Read through this index, with the segments of the index', 'index'),
  'as-of': text('TIME', 'As the rows were at this time, as far as versions are stored'),
  versions: text('N', 'At most N versions: of @Versions columns, or of each with --raw'),
  history: flag('A line for each stored version of each column, newest first'),
  raw: flag(
    'Stored cells: families, qualifiers, timestamps and bytes, as cbt prints them; ' +
      'as JSON, bytes are base64',
  ),
  wide: flag('Do not cut tables to the width of the terminal'),
  url: text('URL', 'The database. Default: url of the config'),
};

/** Some of the options, in the order of their names. */
export function pickOptions<K extends keyof typeof readOptions>(
  ...names: readonly K[]
): Pick<typeof readOptions, K> {
  const picked = names.map((name) => [name, readOptions[name]]);
  return Object.fromEntries(picked) as Pick<typeof readOptions, K>;
}

/** The arguments of a read through a pattern or by segments. */
export const readArguments: readonly ArgumentSpec[] = [
  { name: 'ENTITY', kind: 'entity' },
  { name: 'SEGMENT=VALUE', kind: { anyOf: ['pattern', 'segment'] }, repeatable: true },
];

/** The arguments of a read by segments. */
export const segmentArguments: readonly ArgumentSpec[] = [
  { name: 'ENTITY', kind: 'entity' },
  { name: 'SEGMENT=VALUE', kind: 'segment', repeatable: true },
];

/** What the command line gives to a command with some of these options. */
export interface ReadInput {
  readonly values: Partial<OptionValues<typeof readOptions>>;
  readonly positionals: readonly string[];
}

/** A read, as it was given. */
export interface ReadCall {
  readonly entity: string | undefined;
  /** A word after the entity: the name of an access pattern. */
  readonly pattern: string | undefined;
  readonly terms: readonly Term[];
  /** The key as JSON. */
  readonly json: string | undefined;
  /** The key as it is stored, in text form. */
  readonly key: string | undefined;
  readonly where: readonly string[];
  readonly select: readonly string[];
  readonly limit: number | undefined;
  readonly reverse: boolean;
  readonly index: string | undefined;
  readonly asOf: Date | undefined;
  readonly versions: number | undefined;
  readonly history: boolean;
  readonly raw: boolean;
  readonly wide: boolean;
  readonly url: string | undefined;
}

/** The read of options and arguments. Throws UsageError. */
export function readCall({ values, positionals }: ReadInput): ReadCall {
  const [entity, ...words] = positionals;
  const { json, pattern, terms } = readWords(words);
  const bounds = [
    ['from', '>='],
    ['to', '<'],
    ['starts', '^='],
    ['under', 'under'],
  ] as const;
  for (const [option, operator] of bounds) {
    const given = values[option];
    if (given !== undefined) terms.push(optionTerm(option, operator, given));
  }
  if (values.key !== undefined && (terms.length > 0 || json !== undefined))
    throw new UsageError('--key is the whole key: leave its values out');
  const { raw = false, history = false } = values;
  if (raw && history) throw new UsageError('--raw shows all versions already: leave --history out');
  return {
    entity,
    pattern,
    terms,
    json,
    key: values.key,
    where: values.where ?? [],
    select: (values.select ?? [])
      .flatMap((names) => names.split(','))
      .map((name) => name.trim())
      .filter(Boolean),
    limit: readCount('limit', values.limit),
    reverse: values.reverse ?? false,
    index: values.index,
    asOf: timeOf('as-of', values['as-of']),
    versions: readCount('versions', values.versions),
    history,
    raw,
    wide: values.wide ?? false,
    url: values.url,
  };
}

function readWords(words: readonly string[]): {
  readonly json: string | undefined;
  readonly pattern: string | undefined;
  readonly terms: Term[];
} {
  const terms: Term[] = [];
  let json: string | undefined;
  let pattern: string | undefined;
  for (const word of words) {
    const term = parseTerm(word);
    if (term !== undefined) terms.push(term);
    else if (word.trimStart().startsWith('{') && json === undefined) json = word;
    else if (pattern === undefined) pattern = word;
    else throw new UsageError(`'${word}' has no value: write SEGMENT=VALUE`);
  }
  if (json !== undefined && terms.length > 0)
    throw new UsageError('give the key as SEGMENT=VALUE or as JSON, not both');
  return { json, pattern, terms };
}

function timeOf(option: string, text: string | undefined): Date | undefined {
  if (text === undefined) return undefined;
  return parsed(`--${option} ${text}`, () => timestampForm(undefined).parse(text) as Date);
}

/** The access pattern of a name. Throws UsageError. */
export function findPattern(model: EntityModel, name: string): PatternModel {
  const found = model.patterns.find((pattern) => pattern.name === name);
  if (found !== undefined) return found;
  const names = model.patterns.map((pattern) => pattern.name);
  const isSegment = model.key.names.includes(name);
  if (isSegment) throw new UsageError(`'${name}' has no value: write ${name}=VALUE`);
  if (names.length === 0)
    throw new UsageError(
      `'${name}' is neither SEGMENT=VALUE nor an access pattern: ${model.name} declares none`,
    );
  throw new UsageError(
    `${model.name} has no access pattern '${name}'; ` +
      suggestionText(name, names, 'its patterns are'),
  );
}

/** Rejects options that a kind of read does not have. */
export function rejectOptions(
  call: ReadCall,
  names: readonly (keyof ReadCall)[],
  why: string,
): void {
  const given = names.find((name) => {
    const value = call[name];
    return Array.isArray(value) ? value.length > 0 : value !== undefined && value !== false;
  });
  if (given === undefined) return;
  const option = given === 'asOf' ? 'as-of' : given;
  throw new UsageError(`--${option} ${why}`);
}

/** Rejects a word without a value where no access pattern can be. Throws UsageError. */
export function rejectPattern({ pattern }: Pick<ReadCall, 'pattern'>): void {
  if (pattern === undefined) return;
  throw new UsageError(`'${pattern}' has no value: write SEGMENT=VALUE`);
}
