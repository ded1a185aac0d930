/**
 * Setting properties whose names are known only when an entity is compiled. `target[name] = value`
 * in code that many entities share is a lookup each time (the engine sees many names in one place);
 * source of its own for each name is a store.
 */

/** Sets one property. */
export type PropertySetter = (target: Record<string, unknown>, value: unknown) => void;

/** Sets one property for each of the values, in order. */
export type PropertiesSetter = (
  target: Record<string, unknown>,
  values: readonly unknown[],
) => void;

/**
 * Compiled once for each source: readers are made for every query, and there are as many sources as
 * entities have properties.
 */
const compiled = new Map<string, unknown>();

/** The setter of a property; a closure where code generation from strings is forbidden. */
export function propertySetter(name: string): PropertySetter {
  return compile<PropertySetter>(`target[${JSON.stringify(name)}] = value;`, (target, value) => {
    target[name] = value;
  });
}

/** The setter of several properties. */
export function propertiesSetter(names: readonly string[]): PropertiesSetter {
  const source = names.map((name, i) => `target[${JSON.stringify(name)}] = value[${i}];`).join(' ');
  return compile<PropertiesSetter>(source, (target, values) => {
    for (let i = 0; i < names.length; i++) target[names[i]] = values[i];
  });
}

function compile<F>(source: string, otherwise: F): F {
  const known = compiled.get(source);
  if (known !== undefined) return known as F;
  let made = otherwise;
  try {
    // eslint-disable-next-line @typescript-eslint/no-implied-eval -- the point of this file; every name is quoted
    made = new Function('target', 'value', `'use strict'; ${source}`) as F;
  } catch {
    // The closure does the same.
  }
  compiled.set(source, made);
  return made;
}
