/**
 * Where declarations are kept. Each class has a record of its own: on the class under legacy
 * decorators and defineEntity, in `context.metadata` under standard ones. Records are never shared
 * with a base class; declarationOf joins them when they are read.
 */
import type { ClassDeclaration, Constructor } from './declaration.js';

/**
 * A registered symbol, so that declarations survive when an application loads Rowsmith as ESM and
 * as CommonJS at once.
 */
const RECORD = Symbol.for('rowsmith.declaration');

type Holder = Record<PropertyKey, unknown>;
type Subject = abstract new (...args: never[]) => object;

function metadataSymbol(): symbol {
  return (Symbol as { metadata?: symbol }).metadata ?? Symbol.for('Symbol.metadata');
}

function emptyRecord(): ClassDeclaration {
  return { segments: [], columns: [], fields: [], alsoReads: [], misplaced: [] };
}

/** The record kept on `holder` itself (a class or a metadata object), made on first use. */
export function recordOn(holder: object): ClassDeclaration {
  if (!Object.hasOwn(holder, RECORD))
    Object.defineProperty(holder, RECORD, { value: emptyRecord() });
  return (holder as Holder)[RECORD] as ClassDeclaration;
}

function ownRecords(subject: Subject): ClassDeclaration[] {
  const metadata = Object.getOwnPropertyDescriptor(subject, metadataSymbol())?.value as
    object | null | undefined;
  const holders = metadata === null || metadata === undefined ? [subject] : [metadata, subject];
  return holders
    .filter((holder) => Object.hasOwn(holder, RECORD))
    .map((holder) => (holder as unknown as Holder)[RECORD] as ClassDeclaration);
}

/** True when something was declared on the class itself or on a class it extends. */
export function isDeclared(subject: Subject): boolean {
  return lineage(subject).some((each) => ownRecords(each).length > 0);
}

/** The class and the classes it extends, base first. */
function lineage(subject: Subject): Subject[] {
  const classes: Subject[] = [];
  for (
    let at: unknown = subject;
    typeof at === 'function' && at !== Function.prototype;
    at = Object.getPrototypeOf(at)
  )
    classes.unshift(at as Subject);
  return classes;
}

/** A property declared again replaces the base's declaration of the same kind. */
function override<T extends { readonly property: string }>(
  inherited: readonly T[],
  own: readonly T[],
): T[] {
  const again = new Set(own.map((each) => each.property));
  return [...inherited.filter((each) => !again.has(each.property)), ...own];
}

/**
 * All that was said of a class and, for properties, of the classes it extends. `@Entity` and
 * `@Message` are not inherited.
 */
export function declarationOf(subject: Constructor): ClassDeclaration {
  const joined = emptyRecord();
  for (const each of lineage(subject)) {
    const records = ownRecords(each);
    joined.segments = override(
      joined.segments,
      records.flatMap((record) => record.segments),
    );
    joined.columns = override(
      joined.columns,
      records.flatMap((record) => record.columns),
    );
    joined.fields = override(
      joined.fields,
      records.flatMap((record) => record.fields),
    );
    joined.alsoReads = override(
      joined.alsoReads,
      records.flatMap((record) => record.alsoReads),
    );
    joined.misplaced.push(...records.flatMap((record) => record.misplaced));
  }
  for (const { entity, message } of ownRecords(subject)) {
    if (entity !== undefined) joined.entity = entity;
    if (message !== undefined) joined.message = message;
  }
  return joined;
}
