/** What put and patch write: from `name=value` arguments, a JSON argument, or standard input. */
import { suggestionText, type FaultTexts } from '../../../../base/index.js';
import type { ColumnModel, EntityModel } from '../../../../entities/model/index.js';
import {
  cellTextForm,
  columnJsonForm,
  exactly,
  parseEntryKey,
  segmentTextForms,
} from '../../../../data/text/index.js';
import { type ArgumentSpec, UsageError } from '../../../command.js';
import type { Terminal } from '../../../terminal/terminal.js';
import { parsed, parseJson, parseTerm, segmentValue, type Term } from '../input/terms.js';

/** The arguments of commands that write a row. */
export const assignmentArguments: readonly ArgumentSpec[] = [
  { name: 'ENTITY', kind: 'entity' },
  { name: 'NAME=VALUE', kind: 'condition', repeatable: true },
];

/** JSON values by property. */
export type JsonValues = Readonly<Record<string, unknown>>;

/** The arguments after the entity. */
export interface Assignments {
  /** Values of segments and columns in JSON form, as `get` prints them. */
  readonly values: JsonValues;
  readonly amounts: Amounts;
}

/** Amounts of `name+=amount`, and of `name+={"entry": amount}` for column maps. */
export type Amounts = Readonly<Record<string, bigint | ReadonlyMap<unknown, bigint>>>;

/** Standard input was, or is to be, read. */
export const fromInput = '-';

/** Whether the values come from standard input, which then cannot answer questions. */
export function readsInput(words: readonly string[], { input }: Terminal): boolean {
  return words.includes(fromInput) || (words.length === 0 && input.isTTY !== true);
}

/** Reads the words after the entity. Throws UsageError. */
export async function readAssignments(
  model: EntityModel,
  words: readonly string[],
  terminal: Terminal,
): Promise<Assignments> {
  // Without prototypes: JSON may name a property `__proto__`, which no entity has.
  const values = Object.create(null) as Record<string, unknown>;
  const amounts = Object.create(null) as Record<string, Amounts[string]>;
  const checkNew = (given: string, name: string): void => {
    if (Object.hasOwn(values, name) || Object.hasOwn(amounts, name))
      throw new UsageError(faults.givenTwice(given, name));
  };
  const add = (given: string, name: string, value: unknown): void => {
    checkNew(given, name);
    values[name] = value;
  };
  const all = readsInput(words, terminal) && words.length === 0 ? [fromInput] : words;
  for (const word of all) {
    const term = word === fromInput ? undefined : parseTerm(word);
    if (term === undefined) {
      const text = word === fromInput ? await readInput(terminal) : word;
      for (const [name, value] of Object.entries(jsonObject(word, text))) add(word, name, value);
    } else if (term.operator === '+=') {
      checkNew(term.given, term.name);
      amounts[term.name] = amountOf(model, term);
    } else add(term.given, term.name, jsonOf(model, term));
  }
  return { values, amounts };
}

async function readInput({ input }: Terminal): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of input) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString('utf8');
}

function jsonObject(word: string, text: string): JsonValues {
  const name = word === fromInput ? 'standard input' : word;
  if (word !== fromInput && !text.trimStart().startsWith('{'))
    throw new UsageError(faults.notAssignment(word));
  if (word === fromInput && /^\s*\{.*\}\s*\n\s*\{/.test(text))
    throw new UsageError(faults.severalRows);
  const value = parseJson(name, text);
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return value as JsonValues;
  throw new UsageError(faults.rowNotAnObject(name));
}

/** The JSON form of the value of a term. */
function jsonOf(model: EntityModel, term: Term): unknown {
  const { name, operator, text, given } = term;
  if (operator !== '=' && operator !== ':=') throw new UsageError(faults.notAWrite(given));
  const segment = model.segments.find(({ property }) => property === name);
  if (segment !== undefined) {
    const value = segmentValue(segment, term);
    return value === null ? null : segmentTextForms[segment.type.kind].format(value);
  }
  const column = findColumn(model, name, given);
  if (operator === ':=' || !isText(column)) return parseJson(given, text);
  return parsed(given, () => columnJsonForm(column).format(cellTextForm(column).parse(text)));
}

/** Whether values are written without JSON: single ones that are no structures. */
function isText(column: ColumnModel): boolean {
  const isSingle = column.kind !== 'columnMap' && column.kind !== 'versions';
  return isSingle && cellTextForm(column).kind === 'text';
}

function amountOf(model: EntityModel, { name, text, given }: Term): Amounts[string] {
  const column = findColumn(model, name, given);
  if (column.kind === 'columnMap' && column.codec.kind === 'int64')
    return entryAmounts(column, text, given);
  if (column.kind !== 'counter') throw new UsageError(faults.addToNonCounter(given, name));
  return wholeNumber(text, given);
}

function entryAmounts(
  { property, qualifiers }: Extract<ColumnModel, { readonly kind: 'columnMap' }>,
  text: string,
  given: string,
): ReadonlyMap<unknown, bigint> {
  const json = text.startsWith('{') ? parseJson(given, text) : undefined;
  if (json === undefined) throw new UsageError(faults.amountOfMap(given, property));
  const keyOf = parseEntryKey(qualifiers);
  const entries = Object.entries(json as JsonValues).map(([name, amount]): [unknown, bigint] => [
    parsed(given, () => keyOf(name)),
    wholeNumber(String(amount), given),
  ]);
  if (entries.length === 0) throw new UsageError(faults.emptyMap(given));
  return new Map(entries);
}

function wholeNumber(text: string, given: string): bigint {
  if (/^-?\d{1,19}$/.test(text)) return BigInt(text);
  throw new UsageError(faults.notAnAmount(given));
}

/** The column of a name. Throws UsageError. */
export function findColumn(model: EntityModel, name: string, given: string): ColumnModel {
  const found = model.columns.find(({ property }) => property === name);
  if (found !== undefined) return found;
  if (name.startsWith('@')) throw new UsageError(faults.lineOfExport(name));
  const known = [...model.key.names, ...model.columns.map(({ property }) => property)];
  throw new UsageError(faults.unknownProperty(given, model.name, name, known));
}

/** The key among values, and the other values. Throws UsageError if a segment is missing. */
export function splitKey(
  model: EntityModel,
  values: JsonValues,
): { readonly key: Readonly<Record<string, unknown>>; readonly columns: JsonValues } {
  const { names } = model.key;
  const missing = names.filter((name) => !Object.hasOwn(values, name));
  if (missing.length > 0)
    throw new UsageError(
      faults.incompleteKey(model.name, missing.map((name) => `${name}=VALUE`).join(' ')),
    );
  const key = model.segments.map(({ property, type }): [string, unknown] => {
    const value = values[property];
    if (value === null) return [property, null];
    const given = `${property}: ${JSON.stringify(value)}`;
    return [property, parsed(given, () => exactly(segmentTextForms[type.kind]).parse(value))];
  });
  const columns = Object.entries(values).filter(([name]) => !names.includes(name));
  return { key: Object.fromEntries(key), columns: Object.fromEntries(columns) };
}

/** The value that a patch sets; null deletes a column, or an entry of a column map. */
export function patchValue(column: ColumnModel, json: unknown): unknown {
  if (json === null) return null;
  const given = `${column.property}: ${JSON.stringify(json)}`;
  const form = columnJsonForm(column);
  if (column.kind !== 'columnMap' || typeof json !== 'object')
    return parsed(given, () => form.parse(json));
  const entries = Object.entries(json);
  const kept = entries.filter(([, value]) => value !== null);
  const map = parsed(given, () => form.parse(Object.fromEntries(kept)) as Map<unknown, unknown>);
  const keyOf = parseEntryKey(column.qualifiers);
  for (const [name, value] of entries)
    if (value === null)
      map.set(
        parsed(given, () => keyOf(name)),
        null,
      );
  return map;
}

const faults = {
  givenTwice: (given: string, name: string) => ({ problem: `${given}: '${name}' is given twice` }),
  notAssignment: (word: string) => ({
    problem: `'${word}' is neither NAME=VALUE nor a row as JSON`,
  }),
  severalRows: {
    problem: 'standard input has several rows, and put writes one',
    fix: 'rowsmith import writes many',
  },
  rowNotAnObject: (name: string) => ({ problem: `${name}: a row is an object: {"name": value}` }),
  notAWrite: (given: string) => ({
    problem: `${given}: a write takes NAME=VALUE, NAME:=JSON or COUNTER+=AMOUNT`,
  }),
  addToNonCounter: (given: string, name: string) => ({
    problem: `${given}: only counters take +=, and '${name}' is none`,
    fix: `write ${name}=`,
  }),
  amountOfMap: (given: string, property: string) => ({
    problem: `${given}: '${property}' is a column map, and each entry has an amount: ${property}+='{"entry": 1}'`,
  }),
  emptyMap: (given: string) => ({ problem: `${given}: there is no entry` }),
  notAnAmount: (given: string) => ({ problem: `${given}: an amount is a whole number` }),
  lineOfExport: (name: string) => ({
    problem: `'${name}' is of a line that rowsmith export writes`,
    fix: 'import it with rowsmith import',
  }),
  unknownProperty: (given: string, modelName: string, name: string, known: readonly string[]) => ({
    problem: `${given}: ${modelName} has no property '${name}'`,
    fix: suggestionText(name, known, 'its properties are'),
  }),
  incompleteKey: (name: string, list: string) => ({
    problem: `the key of ${name} is not complete`,
    fix: `add ${list}`,
  }),
} satisfies FaultTexts;
