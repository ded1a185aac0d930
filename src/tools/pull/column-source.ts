/** Source text of guessed columns and their message classes. */
import { fieldDesignTypes, looksChosen, scalarDesignTypes } from '../../entities/model/index.js';
import type { ColumnGuess } from './entity-guess.js';
import { commentText, textLiteral } from './literal-text.js';
import { type FieldGuess, isText, type MessageGuess } from './message-guess.js';
import type { Names } from './names.js';
import type { ValueGuess } from './value-guess.js';

/** What the classes of a generated module share. */
export interface ModuleScope {
  readonly imports: Set<string>;
  readonly classes: Names;
  /** Source of the message classes, each after the classes that it uses. */
  readonly messages: string[];
}

/** The class that a column belongs to. */
export interface ClassScope {
  readonly entity: string;
  /** Sampled rows of the entity. */
  readonly rows: number;
  readonly properties: Names;
}

const typeNames = new Map<unknown, string>([
  [String, 'string'],
  [Number, 'number'],
  [BigInt, 'bigint'],
  [Boolean, 'boolean'],
  [Date, 'Date'],
  [Uint8Array, 'Uint8Array'],
]);

/** The TypeScript type for the classes that a kind accepts. */
export function typeName(designs: readonly unknown[]): string {
  return typeNames.get(designs[0]) ?? 'unknown';
}

/** A comment above a property, if there is a note. */
export function noteLines(note: string | undefined): string[] {
  if (note === undefined) return [];
  return [`  // ${commentText(note)}`];
}

/** The property of a column with its decorator. */
export function columnLines(
  column: ColumnGuess,
  { entity, rows, properties }: ClassScope,
  scope: ModuleScope,
): string[] {
  const { family, qualifier, kind } = column;
  const text = qualifierText(qualifier);
  const name = properties.property(text ?? family, kind === 'columnMap' ? 'values' : 'column');
  const hasOption = qualifier !== undefined && text !== name;
  const option = hasOption ? `, { qualifier: ${qualifierLiteral(qualifier, text)} }` : '';
  return [
    ...noteLines(evidence(column, rows)),
    `  ${declaration(column, name, entity, option, scope)}`,
  ];
}

function qualifierText(qualifier: Uint8Array | undefined): string | undefined {
  if (qualifier === undefined || !isText(qualifier)) return undefined;
  return Buffer.from(qualifier).toString();
}

function qualifierLiteral(qualifier: Uint8Array, text: string | undefined): string {
  if (text === undefined) return `Uint8Array.of(${qualifier.join(', ')})`;
  return textLiteral(text);
}

function evidence(column: ColumnGuess, rows: number): string {
  const notes = [`in ${column.rows} of ${rows} rows`];
  if (column.kind === 'columnMap') notes.push(`${column.qualifiers} different qualifiers`);
  if (column.value.note !== undefined) notes.push(column.value.note);
  if (column.versions > 1) notes.push('several versions in a row: @Versions reads all of them');
  return notes.join('; ');
}

function declaration(
  { kind, family, value }: ColumnGuess,
  name: string,
  entity: string,
  option: string,
  scope: ModuleScope,
): string {
  const familyArg = textLiteral(family);
  if (kind === 'counter') {
    scope.imports.add('Counter');
    return `@Counter(${familyArg}${option}) ${name}?: bigint;`;
  }
  const { source, type } = valueSource(value, `${entity} ${name}`, scope);
  if (kind === 'columnMap') {
    scope.imports.add('ColumnMap');
    return `@ColumnMap(${familyArg}, ${source}) ${name}?: Map<string, ${type}>;`;
  }
  const decorator = value.kind === 'message' ? 'Packed' : 'Column';
  scope.imports.add(decorator);
  return `@${decorator}(${familyArg}, ${source}${option}) ${name}?: ${type};`;
}

interface ValueSource {
  /** The argument of a decorator: `'double'`, `() => Status`. */
  readonly source: string;
  /** The type of the property. */
  readonly type: string;
}

function valueSource(value: ValueGuess, name: string, scope: ModuleScope): ValueSource {
  if (value.kind === 'scalar')
    return { source: `'${value.scalar}'`, type: typeName(scalarDesignTypes[value.scalar]) };
  return messageSource(value.message, name, scope);
}

/** Adds the class of a message to the module, after the classes of its nested messages. */
function messageSource({ fields }: MessageGuess, name: string, scope: ModuleScope): ValueSource {
  const className = scope.classes.className(name, 'Packed');
  scope.imports.add('Message');
  const lines = fields.flatMap((field) => fieldLines(field, className, scope));
  const declared = looksChosen(className) ? textLiteral(className) : '';
  scope.messages.push(
    [`@Message(${declared})`, `export class ${className} {`, ...lines, '}'].join('\n'),
  );
  return { source: `() => ${className}`, type: className };
}

function fieldLines(field: FieldGuess, owner: string, scope: ModuleScope): string[] {
  const { number, repeated, count, note } = field;
  const decorator = repeated ? 'RepeatedField' : 'Field';
  scope.imports.add(decorator);
  const { source, type } = fieldSource(field, owner, scope);
  const notes = [`in ${count} values`, note].filter((each) => each !== undefined);
  return [
    ...noteLines(notes.join('; ')),
    `  @${decorator}(${number}, ${source}) field${number}?: ${type}${repeated ? '[]' : ''};`,
  ];
}

function fieldSource({ number, type }: FieldGuess, owner: string, scope: ModuleScope): ValueSource {
  if (typeof type !== 'string') return messageSource(type, `${owner} field${number}`, scope);
  const design = fieldDesignTypes[type as keyof typeof fieldDesignTypes];
  return { source: `'${type}'`, type: typeName(design) };
}
