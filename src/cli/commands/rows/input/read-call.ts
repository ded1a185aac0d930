/** The options and arguments of commands that read rows, declared once. */
import { quotedList, suggestionText, type FaultTexts } from '../../../../base/index.js';
import type { EntityModel, PatternModel } from '../../../../entities/model/index.js';
import { timestampForm } from '../../../../data/text/index.js';
import {
  type ArgumentSpec,
  type CommandContext,
  count,
  flag,
  list,
  type OptionValues,
  parsed,
  text,
  urlOption,
  UsageError,
} from '../../../command.js';
import { loadProject, type Project } from '../../../project/load-project.js';
import { findEntity } from '../../entity.js';
import { optionTerm, parsed as parsedValue, parseTerm, type Term } from './terms.js';

/** The options of reads. */
export const readOptions = {
  key: text('BYTES', 'The key as it is stored: text, with other bytes as \\xNN'),
  from: text(
    'SEG=VALUE',
    'Only rows from this value of the next segment; as SEG>=VALUE, without quotes',
    'segment',
  ),
  to: text('SEG=VALUE', 'Only rows before this value; as SEG<VALUE', 'segment'),
  starts: text('SEG=TEXT', 'Only rows with a text segment that starts so; as SEG^=TEXT', 'segment'),
  under: text('SEG=NAME', 'Only rows of this domain and its subdomains', 'segment'),
  where: list(
    'CONDITION',
    'Only rows that meet it: NAME=VALUE, or != > >= < <= or ^= (starts with); NAME: has a value; ' +
      '!NAME: has none. Repeatable: all must hold, of several NAME= one',
    'condition',
  ),
  select: list(
    'NAME,...',
    'Only these properties, and the segments of the key',
    'properties',
    namesOf,
  ),
  limit: count('ROWS', 'At most so many'),
  reverse: flag('The other order'),
  index: text('NAME', 'Read through this index, with the segments of the index', 'index'),
  'as-of': parsed('TIME', 'As the rows were at this time, as far as versions are stored', timeOf),
  versions: count('N', 'At most N versions: of @Versions columns, or of each with --raw'),
  history: flag('A line for each stored version of each column, newest first'),
  raw: flag('Stored cells, as cbt prints them; as JSON, bytes are base64'),
  wide: flag('Do not cut tables to the width of the terminal'),
  url: urlOption,
};

/** The options that choose rows. */
export const rangeNames = ['from', 'to', 'starts', 'under', 'where'] as const;

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
export interface ReadCall extends Omit<
  OptionValues<typeof readOptions>,
  'from' | 'to' | 'starts' | 'under' | 'select'
> {
  readonly entity: string | undefined;
  /** A word after the entity: the name of an access pattern. */
  readonly pattern: string | undefined;
  /** Further words without a value. */
  readonly surplus: readonly string[];
  readonly terms: readonly Term[];
  /** The key as JSON. */
  readonly json: string | undefined;
  readonly select: readonly string[];
}

/** A read, and the entity that it names. */
export interface EntityRead {
  readonly call: ReadCall;
  readonly project: Project;
  readonly model: EntityModel;
}

/** Loads the project of a read. Throws UsageError. */
export async function loadRead(input: ReadInput, context: CommandContext): Promise<EntityRead> {
  const call = readCall(input);
  const project = await loadProject(context);
  const model = findEntity(project, call.entity, context.usage);
  if (call.surplus.length > 0) throw bareWords(model, call);
  checkSelected(model, call.select);
  return { call, project, model };
}

const bounds = [
  ['from', '>='],
  ['to', '<'],
  ['starts', '^='],
  ['under', 'under'],
] as const;

const unset = { where: [], reverse: false, history: false, raw: false, wide: false } as const;

/** The read of options and arguments. Throws UsageError. */
export function readCall({ values, positionals }: ReadInput): ReadCall {
  const [entity, ...words] = positionals;
  const { json, pattern, surplus, terms } = readWords(words);
  for (const [option, operator] of bounds) {
    const given = values[option];
    if (given !== undefined) terms.push(optionTerm(option, operator, given));
  }
  const { key, index, limit, asOf, versions, url, select = [] } = values;
  if (key !== undefined && (terms.length > 0 || json !== undefined))
    throw new UsageError(faults.keyWithValues);
  if (values.raw && values.history) throw new UsageError(faults.rawWithHistory);
  const given = { key, index, limit, asOf, versions, url, select: select.flat() };
  return { ...unset, ...values, ...given, entity, pattern, surplus, terms, json };
}

function readWords(words: readonly string[]): {
  readonly json: string | undefined;
  readonly pattern: string | undefined;
  readonly surplus: readonly string[];
  readonly terms: Term[];
} {
  const surplus: string[] = [];
  const terms: Term[] = [];
  let json: string | undefined;
  let pattern: string | undefined;
  for (const word of words) {
    const term = parseTerm(word);
    if (term !== undefined) terms.push(term);
    else if (word.trimStart().startsWith('{') && json === undefined) json = word;
    else if (pattern === undefined) pattern = word;
    else surplus.push(word);
  }
  if (json !== undefined && terms.length > 0) throw new UsageError(faults.twoFormsOfKey);
  return { json, pattern, surplus, terms };
}

/** The error of words that are values without the names of their segments: `oslo 1`. */
function bareWords(
  model: EntityModel,
  { pattern, surplus, terms }: Pick<ReadCall, 'pattern' | 'surplus' | 'terms'>,
): UsageError {
  const isPattern = model.patterns.some(({ name }) => name === pattern);
  const words = pattern === undefined || isPattern ? surplus : [pattern, ...surplus];
  if (words.length === 1 && model.key.names.includes(words[0]))
    return new UsageError(faults.segmentWithoutValue(words[0]));
  return new UsageError(faults.bareWords(words, assigned(model, terms, words)));
}

/** Words as values of the segments that have none yet: `shop=oslo n=1`. */
function assigned({ key }: EntityModel, terms: readonly Term[], words: readonly string[]): string {
  const free = key.names.filter((name) => !terms.some((term) => term.name === name));
  // A word may be the name of a segment that lacks its value.
  return words
    .map((word, i) =>
      key.names.includes(word) ? `${word}=VALUE` : `${free[i] ?? 'SEGMENT'}=${word}`,
    )
    .join(' ');
}

function timeOf(given: string, flagName: string): Date {
  return parsedValue(`${flagName} ${given}`, () => timestampForm(undefined).parse(given) as Date);
}

/** `shop, n` as names. */
function namesOf(given: string): readonly string[] {
  return given
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean);
}

/** The access pattern of a name. Throws UsageError. */
export function findPattern(
  model: EntityModel,
  name: string,
  terms: readonly Term[] = [],
): PatternModel {
  const found = model.patterns.find((pattern) => pattern.name === name);
  if (found !== undefined) return found;
  const names = model.patterns.map((pattern) => pattern.name);
  const isSegment = model.key.names.includes(name);
  if (isSegment) throw new UsageError(faults.segmentWithoutValue(name));
  const value = assigned(model, terms, [name]);
  if (names.length === 0) throw new UsageError(faults.noPatterns(name, model.name, value));
  const near = suggestionText(name, names, 'its patterns are');
  const fix = near.endsWith('?') ? near : `${near}; for a value write ${value}`;
  throw new UsageError(faults.unknownPattern(model.name, name, fix));
}

/** The columns among the properties of --select. Throws UsageError for an unknown one. */
export function checkSelected(model: EntityModel, select: readonly string[]): readonly string[] {
  const columns = model.columns.map(({ property }) => property);
  const known = [...model.key.names, ...columns];
  const unknown = select.find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw new UsageError(faults.unknownSelection(unknown, model.name, known));
  return select.filter((name) => columns.includes(name));
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
  throw new UsageError(faults.unfitOption(option, why));
}

/** Rejects a word without a value where no access pattern can be. Throws UsageError. */
export function rejectPattern(model: EntityModel, call: ReadCall): void {
  if (call.pattern !== undefined) throw bareWords(model, call);
}

const faults = {
  keyWithValues: { problem: '--key is the whole key', fix: 'leave its values out' },
  rawWithHistory: { problem: '--raw shows all versions already', fix: 'leave --history out' },
  bareWords: (words: readonly string[], value: string) => ({
    problem:
      words.length === 1
        ? `'${words[0]}' is a value without its segment`
        : `${quotedList(words)} are values without their segments`,
    fix: `write ${value}`,
  }),
  twoFormsOfKey: { problem: 'give the key as SEGMENT=VALUE or as JSON, not both' },
  segmentWithoutValue: (name: string) => ({
    problem: `'${name}' has no value`,
    fix: `write ${name}=VALUE`,
  }),
  noPatterns: (name: string, modelName: string, value: string) => ({
    problem: `'${name}' is neither SEGMENT=VALUE nor an access pattern: ${modelName} declares none`,
    fix: `write ${value}`,
  }),
  unknownPattern: (modelName: string, name: string, fix: string) => ({
    problem: `${modelName} has no access pattern '${name}'`,
    fix,
  }),
  unknownSelection: (unknown: string, name: string, known: readonly string[]) => ({
    problem: `--select ${unknown}: ${name} has no such property`,
    fix: suggestionText(unknown, known, 'its properties are'),
  }),
  unfitOption: (option: string, why: string) => ({ problem: `--${option} ${why}` }),
} satisfies FaultTexts;
