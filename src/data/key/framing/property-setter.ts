/**
 * Setters for properties with names that are known only when an entity is compiled. In code shared
 * by many entities, `target[name] = value` is a dictionary lookup each time, because the engine
 * sees many names at one site. Code generated for one name is a plain store.
 */

/** Sets one property. */
export type PropertySetter = (target: Record<string, unknown>, value: unknown) => void;

/** Sets several properties from a list of values in the same order. */
export type PropertiesSetter = (
  target: Record<string, unknown>,
  values: readonly unknown[],
) => void;

/**
 * Compiled setters by source, because readers are created for every query. It grows only with the
 * number of properties of all entities.
 */
const compiled = new Map<string, unknown>();

/** The setter of a property; a closure where generating code from strings is forbidden. */
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

function compile<F>(source: string, fallback: F): F {
  const known = compiled.get(source);
  if (known !== undefined) return known as F;
  let setter = fallback;
  try {
    // oxlint-disable-next-line typescript/no-implied-eval -- the purpose of this file; every name is quoted
    setter = new Function('target', 'value', `'use strict'; ${source}`) as F;
  } catch {
    // The fallback does the same.
  }
  compiled.set(source, setter);
  return setter;
}
