/**
 * Where declarations are recorded. Each class has its own record: on the class itself with legacy
 * decorators and defineEntity, on `context.metadata` with standard decorators. Records are never
 * shared with a base class; declarationOf merges them.
 */
import { assertSameVersion, thisCopy, type FaultTexts } from '../../../base/index.js';
import type { ClassDeclaration, Constructor } from './declaration.js';

/** A registered symbol: every copy of this version of the package finds the record. */
const recordSymbol = Symbol.for('rowsmith.declaration');

type Holder = Record<PropertyKey, unknown>;
type Subject = abstract new (...args: never[]) => object;

function metadataSymbol(): symbol {
  return (Symbol as { metadata?: symbol }).metadata ?? Symbol.for('Symbol.metadata');
}

function emptyRecord(): ClassDeclaration {
  return {
    copy: thisCopy,
    segments: [],
    columns: [],
    fields: [],
    alsoReads: [],
    lintIgnores: [],
    misplaced: [],
    malformed: [],
  };
}

/** The record on `holder` itself (a class or a metadata object), created on first use. */
export function recordOn(holder: object): ClassDeclaration {
  if (!Object.hasOwn(holder, recordSymbol))
    Object.defineProperty(holder, recordSymbol, { value: emptyRecord() });
  return checkedRecord(holder, typeof holder === 'function' ? holder.name : 'a class');
}

function ownRecords(subject: Subject): ClassDeclaration[] {
  const metadata = Object.getOwnPropertyDescriptor(subject, metadataSymbol())?.value as
    object | null | undefined;
  return [metadata, subject]
    .filter((holder) => holder !== null && holder !== undefined)
    .filter((holder) => Object.hasOwn(holder, recordSymbol))
    .map((holder) => checkedRecord(holder, subject.name));
}

/** The record on `holder`. Throws VERSION_MISMATCH if another version of the package made it. */
function checkedRecord(holder: object, name: string): ClassDeclaration {
  const record = (holder as Holder)[recordSymbol] as ClassDeclaration;
  assertSameVersion(record.copy, faults.versionMismatch(name));
  return record;
}

/** True if the class or a class that it extends has declarations. */
export function isDeclared(subject: Subject): boolean {
  return lineage(subject).some((each) => ownRecords(each).length > 0);
}

/** The class and the classes it extends, base first. */
function lineage(subject: Subject): Subject[] {
  const classes: Subject[] = [];
  for (
    let each: unknown = subject;
    typeof each === 'function' && each !== Function.prototype;
    each = Object.getPrototypeOf(each)
  )
    classes.unshift(each as Subject);
  return classes;
}

/** Own declarations replace inherited ones of the same property. */
function override<T extends { readonly property: string }>(
  inherited: readonly T[],
  own: readonly T[],
): T[] {
  const ownProperties = new Set(own.map((each) => each.property));
  return [...inherited.filter((each) => !ownProperties.has(each.property)), ...own];
}

/**
 * All declarations of a class, including the properties of the classes that it extends. `@Entity`
 * and `@Message` are not inherited.
 */
export function declarationOf(subject: Constructor): ClassDeclaration {
  const merged = emptyRecord();
  for (const each of lineage(subject)) {
    const records = ownRecords(each);
    merged.segments = override(
      merged.segments,
      records.flatMap((record) => record.segments),
    );
    merged.columns = override(
      merged.columns,
      records.flatMap((record) => record.columns),
    );
    merged.fields = override(
      merged.fields,
      records.flatMap((record) => record.fields),
    );
    merged.alsoReads = override(
      merged.alsoReads,
      records.flatMap((record) => record.alsoReads),
    );
    // What is ignored on a property is inherited with it; what is ignored on a class is its own.
    merged.lintIgnores.push(
      ...records
        .flatMap((record) => record.lintIgnores)
        .filter(({ property }) => property !== undefined || each === subject),
    );
    merged.misplaced.push(...records.flatMap((record) => record.misplaced));
    merged.malformed.push(...records.flatMap((record) => record.malformed));
  }
  for (const { entity, message, view } of ownRecords(subject)) {
    if (view !== undefined) merged.view = view;
    if (entity !== undefined) merged.entity = entity;
    if (message !== undefined) merged.message = message;
  }
  return merged;
}

const faults = {
  versionMismatch: (name: string) => ({ problem: `${name} was declared with` }),
} satisfies FaultTexts;
