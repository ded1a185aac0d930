/**
 * The one form of every property decorator: its type, and how it records in both dialects. Nothing
 * is checked here.
 */
// Compilers emit `Reflect.metadata('design:type', ...)` around the decorators of a class, so it
// must be there before the class is. It stands in this file, not in the index: bundlers skip a
// re-exporting index of a package without side effects.
import 'reflect-metadata/lite';
import { RowsmithError } from '../src/errors.js';
import { recordOn, type ClassDeclaration, type DesignType } from '../src/model/index.js';
// Under standard decorators a class has metadata only where this symbol exists when the class is
// evaluated.
(Symbol as { metadata?: symbol }).metadata ??= Symbol.for('Symbol.metadata');

/**
 * Serves `experimentalDecorators` and standard decorators alike; V is the property type it demands.
 * One signature, not two overloads: the compiler then prints one reason.
 */
export type PropertyDecoratorOf<V> = <
  K extends string | ClassFieldDecoratorContext<any, V>,
  T extends (K extends string ? { [_ in K]: V } : undefined),
>(
  target: T,
  property: K,
) => void;

/** The same, for properties that may be optional or null. */
export type OptionalPropertyDecoratorOf<V> = <
  K extends string | ClassFieldDecoratorContext<any, V | null | undefined>,
  T extends (K extends string ? { [_ in K]?: V | null } : undefined),
>(
  target: T,
  property: K,
) => void;

type Recording = (record: ClassDeclaration, property: string, designType: DesignType) => void;

/**
 * A decorator function for both dialects that records what `say` says; `name` is for the fault of a
 * misplaced one.
 */
export function propertyDecorator(
  name: string,
  say: Recording,
): (target: any, property: any, descriptor?: any) => void {
  return (target: unknown, at: unknown, descriptor?: PropertyDescriptor): void => {
    if (typeof at === 'object' && at !== null)
      recordStandard(name, at as ClassFieldDecoratorContext, say);
    else recordLegacy(name, target as object, at as string | symbol, descriptor, say);
  };
}

function recordStandard(
  decorator: string,
  context: ClassFieldDecoratorContext,
  say: Recording,
): void {
  const property = String(context.name);
  const record = recordOn(metadataOf(decorator, context));
  const on = context.static
    ? `a static ${context.kind}`
    : context.private
      ? `a private ${context.kind}`
      : context.kind === 'field'
        ? undefined
        : `a ${context.kind as string}`;
  if (on === undefined && typeof context.name === 'string') say(record, property, () => undefined);
  else record.misplaced.push({ property, decorator, on: on ?? 'a symbol' });
}

function recordLegacy(
  decorator: string,
  target: object,
  name: string | symbol,
  descriptor: PropertyDescriptor | undefined,
  say: Recording,
): void {
  const isStatic = typeof target === 'function';
  const record = recordOn(isStatic ? target : target.constructor);
  const property = String(name);
  const on = isStatic
    ? 'a static member'
    : typeof descriptor?.value === 'function'
      ? 'a method'
      : (descriptor?.get ?? descriptor?.set)
        ? 'an accessor'
        : typeof name === 'symbol'
          ? 'a symbol'
          : undefined;
  if (on === undefined)
    say(record, property, () => Reflect.getMetadata?.('design:type', target, property));
  else record.misplaced.push({ property, decorator, on });
}

/**
 * The metadata object of the class being decorated. Without one there is nowhere to record, so this
 * is the one thing that throws at once.
 */
export function metadataOf(decorator: string, context: DecoratorContext): object {
  const metadata = context.metadata as object | undefined;
  if (metadata !== undefined && metadata !== null) return metadata;
  throw new RowsmithError('INVALID_DECLARATION', {
    property: String(context.name),
    problem: `${decorator} got a standard decorator context without metadata`,
    fix: 'import rowsmith before the class is declared, and compile to decorators with metadata (TypeScript 5.2 or newer, esbuild, swc 2023-11); or set experimentalDecorators',
  });
}
