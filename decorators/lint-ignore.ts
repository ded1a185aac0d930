/** `@LintIgnore`: a rule of `lint` that does not apply. */
import { classRecord, propertyDecorator } from './property-decorator.js';

/**
 * Ignores the findings of a rule of `lint` (`K01`) for the property, or for the whole entity if it
 * is on the class. `reason` states why the rule does not apply: an empty one is
 * INVALID_DECLARATION, and one that ignores nothing is reported by `lint`.
 */
export function LintIgnore(
  rule: string,
  reason: string,
): (target: any, property?: any, descriptor?: any) => void {
  const onProperty = propertyDecorator('@LintIgnore', (record, property) =>
    record.lintIgnores.push({ rule, property, reason }),
  );
  return (target, property, descriptor) => {
    if (isClass(target, property))
      classRecord('@LintIgnore', target, property).lintIgnores.push({ rule, reason });
    else onProperty(target, property, descriptor);
  };
}

/** Legacy decorators of classes get the class alone; standard ones a context. */
function isClass(target: unknown, property: unknown): boolean {
  if (typeof target !== 'function') return false;
  if (property === undefined) return true;
  return (property as Partial<DecoratorContext> | null)?.kind === 'class';
}
