/** What all property decorators share: their types, and how they record a declaration. */
// Compilers emit `Reflect.metadata('design:type', ...)` around the decorators of a class, so it
// must exist before the class is evaluated. The import is here and not in the index: bundlers skip
// a re-exporting index of a package without side effects.
import 'reflect-metadata/lite';
import { RowsmithError, valueText } from '../src/base/index.js';
import {
  recordOn,
  type ClassDeclaration,
  type Constructor,
  type DesignType,
  type Version,
} from '../src/entities/model/index.js';
// A class with standard decorators gets metadata only if this symbol exists when the class is
// evaluated.
(Symbol as { metadata?: symbol }).metadata ??= Symbol.for('Symbol.metadata');

/**
 * What a standard decorator gets for a field of type V: the part of ClassFieldDecoratorContext that
 * tells it. Every program pays for comparing the whole type with itself, as for ReadonlyMap.
 */
interface FieldContext<out V> {
  readonly kind: 'field';
  readonly access: { get(object: any): V };
}

/**
 * A property decorator for legacy and standard decorators alike; V is the required property type.
 * One signature instead of two overloads, and a text instead of a type that does not fit: the
 * compiler then prints a single reason.
 */
export type PropertyDecoratorOf<V> = <T, K extends string | FieldContext<any>>(
  target: T,
  property: K extends string
    ? T extends { [_ in K]: Stored<V> }
      ? K
      : TypeFault<K, V>
    : K extends FieldContext<V>
      ? K
      : TypeFault<K, V>,
) => void;

/** The same for properties that may be optional or null. */
export type OptionalPropertyDecoratorOf<V> = <T, K extends string | FieldContext<any>>(
  target: T,
  property: K extends string
    ? T extends { [_ in K]?: Stored<V> | null }
      ? K
      : TypeFault<K, V>
    : K extends FieldContext<V | null | undefined>
      ? K
      : TypeFault<K, V>,
) => void;

/** The same for a column with a schema, which takes I. R is whether the column is required. */
export type JudgedPropertyDecoratorOf<V, I, R> = <T, K extends string | FieldContext<any>>(
  target: T,
  property: Fits<T, K, V, R> extends true
    ? Fits<T, K, I, R> extends true
      ? K
      : SchemaFault<K>
    : TypeFault<K, V>,
) => void;

/** Whether the property K of T has the type V, or is optional or null. */
type Fits<T, K, V, R> = K extends string
  ? T extends (true extends R ? { [_ in K]: Stored<V> } : { [_ in K]?: Stored<V> | null })
    ? true
    : false
  : K extends FieldContext<true extends R ? V : V | null | undefined>
    ? true
    : false;

/** The least of a ReadonlyMap: with its iterators, a program takes longer to check. */
interface MapOf<out Q, out W> {
  get(key: any): W | undefined;
  forEach(callback: (value: W, key: Q, map: any) => void): void;
}
type Stored<V> = V extends MapOf<infer Q, infer W> ? MapOf<Q, W> : V;

/**
 * K is the name of the property, or its context, or `string`, with which the compiler infers the
 * arguments of the function that made the decorator. The texts are properties of an object, because
 * it looks at both branches of a condition to infer K, and writes a text that is one of them.
 */
type TypeFault<K, V> = {
  readonly type: `the decorator stores ${TypeName<V>}: correct the type of '${NameOf<K>}', or the kind`;
  readonly name: 'the decorator needs a property with a name that the compiler knows';
}[string extends K ? 'name' : 'type'];

type SchemaFault<K> =
  `the schema does not take the type of '${NameOf<K>}': correct the type, or the schema`;

type NameOf<K> = K extends { readonly name: infer N } ? N & string : K & string;

type TypeName<V> = [V] extends [string]
  ? string extends V
    ? 'string'
    : 'the values of oneOf'
  : [V] extends [number]
    ? 'number'
    : [V] extends [bigint]
      ? 'bigint'
      : [V] extends [boolean]
        ? 'boolean'
        : [V] extends [Date]
          ? 'Date'
          : [V] extends [Uint8Array]
            ? 'Uint8Array'
            : ContainerName<V>;

type ContainerName<V> =
  V extends MapOf<infer Q, infer W>
    ? `Map<${TypeName<Q>}, ${TypeName<W>}>`
    : V extends readonly Version<infer W>[]
      ? `Version<${TypeName<W>}>[]`
      : V extends readonly (infer W)[]
        ? `${TypeName<W>}[]`
        : 'another class';

/**
 * The emitted type of a property with the type of its decorator (`views?: Counter`): some compilers
 * emit the value of that name.
 */
export function valueType(decorator: unknown, type: unknown, designType: DesignType): DesignType {
  return () => {
    const emitted = designType();
    return emitted === decorator ? type : emitted;
  };
}

/** Adds what a decorator declares of `property` to the record of the class. */
type RecordProperty = (record: ClassDeclaration, property: string, designType: DesignType) => void;

/** A property decorator that calls `recordProperty`; `name` is used in faults: `@Column`. */
export function propertyDecorator(
  name: string,
  recordProperty: RecordProperty,
): (target: any, property: any, descriptor?: any) => void {
  return (target: unknown, property: unknown, descriptor?: PropertyDescriptor): void => {
    if (property === undefined) throw dialectError(name, target);
    if (typeof property === 'object' && property !== null)
      recordStandard(name, property as ClassMemberDecoratorContext, recordProperty);
    else
      recordLegacy(name, target as object, property as string | symbol, descriptor, recordProperty);
  };
}

function recordStandard(
  decorator: string,
  context: ClassMemberDecoratorContext,
  recordProperty: RecordProperty,
): void {
  const property = String(context.name);
  const record = recordOn(metadataOf(decorator, context));
  const on = standardMisplacement(context);
  if (on === undefined) recordProperty(record, property, () => undefined);
  else record.misplaced.push({ property, decorator, on });
}

/** What the decorator is on, if not a public instance field with a string name. */
function standardMisplacement(context: ClassMemberDecoratorContext): string | undefined {
  if (context.static) return `a static ${context.kind}`;
  if (context.private) return `a private ${context.kind}`;
  if (context.kind === 'accessor') return 'an accessor';
  if (context.kind !== 'field') return `a ${context.kind}`;
  if (typeof context.name !== 'string') return 'a symbol';
  return undefined;
}

function recordLegacy(
  decorator: string,
  target: object,
  name: string | symbol,
  descriptor: PropertyDescriptor | undefined,
  recordProperty: RecordProperty,
): void {
  // Legacy decorators get the class for static members and the prototype for instance members.
  const subject = typeof target === 'function' ? target : target.constructor;
  const record = recordOn(subject);
  const property = String(name);
  const on = legacyMisplacement(target, name, descriptor);
  if (on === undefined)
    recordProperty(record, property, () => Reflect.getMetadata?.('design:type', target, property));
  else record.misplaced.push({ property, decorator, on });
}

function legacyMisplacement(
  target: object,
  name: string | symbol,
  descriptor: PropertyDescriptor | undefined,
): string | undefined {
  if (typeof target === 'function') return 'a static member';
  if (typeof descriptor?.value === 'function') return 'a method';
  if (descriptor?.get !== undefined || descriptor?.set !== undefined) return 'an accessor';
  if (typeof name === 'symbol') return 'a symbol';
  return undefined;
}

/**
 * The record of a decorated class: on the class itself, or on its metadata where it has a context.
 */
export function classRecord(
  decorator: string,
  subject: Constructor,
  context: unknown,
): ClassDeclaration {
  if (typeof subject !== 'function') throw dialectError(decorator, subject);
  if (context === undefined) return recordOn(subject);
  return recordOn(metadataOf(decorator, context as ClassDecoratorContext));
}

/**
 * The error for a call that neither legacy nor standard decorators make. Decorators of 2018-09,
 * which Next.js emits without the setting, get one descriptor of the member or the class.
 */
function dialectError(decorator: string, given: unknown): RowsmithError {
  const { kind, key } = (given ?? {}) as { readonly kind?: unknown; readonly key?: unknown };
  const property = typeof key === 'string' ? key : undefined;
  const isOf2018 = typeof kind === 'string';
  return new RowsmithError('INVALID_DECLARATION', {
    property,
    problem: isOf2018
      ? `${decorator} was compiled as a decorator of the proposal of 2018-09, which has no standard form`
      : `${decorator} was called with ${valueText(given)}, as no compiler of decorators does`,
    fix:
      'set "experimentalDecorators": true in compilerOptions of tsconfig.json, which Next.js reads too, ' +
      'or compile to standard decorators (2023-11)',
  });
}

/**
 * The metadata object of the class being decorated. Without one there is nowhere to record a fault,
 * so this throws at once.
 */
function metadataOf(decorator: string, context: DecoratorContext): object {
  const metadata = context.metadata as object | null | undefined;
  if (metadata !== undefined && metadata !== null) return metadata;
  throw new RowsmithError('INVALID_DECLARATION', {
    property: String(context.name),
    problem: `${decorator} got a standard decorator context without metadata`,
    fix:
      'import rowsmith before the class is declared, and compile to decorators with metadata ' +
      '(TypeScript 5.2 or newer, esbuild, swc 2023-11); or set experimentalDecorators',
  });
}
