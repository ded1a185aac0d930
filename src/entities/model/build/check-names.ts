/** Checks the names of entities and messages: they are stored and compared. */
import { valueText, type FaultTexts } from '../../../base/index.js';
import type { Constructor, EntityOptions } from '../declaration/declaration.js';
import { type BuildContext, type Report, reporter } from './shared/build-context.js';
import type { EntityModel } from '../model.js';

/** Names that minifiers choose: up to two characters, or three that begin in lower case. */
const minified = /^(?:[\w$]{0,2}|[a-z_$][\w$]{2})$/;
/**
 * Names that bundlers give a class beside a constant of its name: `Note2`, `Note$1`, `_Note`; but
 * `NoteV2` is a version.
 */
const renamed = /^_+[A-Z]|\$\d*$|(?!V)[A-Za-z_](?:[2-9]|[1-9]\d)$/;
const identifier = /^[A-Za-z_$][\w$]*$/;

/** Reports a declared name that is not an identifier, and a class without a name. */
export function checkEntityName(
  entityClass: Constructor,
  { name }: EntityOptions,
  report: Report,
): void {
  if (name === undefined) checkClassName(entityClass, "name: 'Reading' in its options", report);
  else if (typeof name !== 'string' || !identifier.test(name))
    report(undefined, faults.wrongName(name));
}

/** Reports a message class with neither a declared nor a class name. */
export function checkMessageName(
  messageClass: Constructor,
  declared: string | true | undefined,
  report: Report,
): void {
  // A class without any name is reported as a message without one.
  if (declared === true && messageClass.name !== '')
    checkClassName(messageClass, "@Message('telemetry.Status')", report);
}

/** Whether a class with this name has to declare another one. */
export function looksChosen(name: string): boolean {
  return minified.test(name) || renamed.test(name);
}

function checkClassName({ name }: Constructor, example: string, report: Report): void {
  if (!looksChosen(name)) return;
  const chooser = minified.test(name) ? 'minifier' : 'bundler';
  const problem =
    name === ''
      ? 'the class has no name'
      : `'${name}' looks like a name that a ${chooser} has chosen for the class`;
  report(undefined, faults.unusableName(problem, example));
}

/** Reports entities that have the same name. */
export function checkDistinctNames(models: readonly EntityModel[], context: BuildContext): void {
  models.forEach((model, i) => {
    if (!models.slice(0, i).some(({ name }) => name === model.name)) return;
    reporter(context, model.name)(undefined, faults.duplicateName);
  });
}

const faults = {
  wrongName: (name: string) => ({
    problem: `its name is ${valueText(name)}`,
    fix: "name it with letters, digits, _ and $: name: 'Reading'",
  }),
  unusableName: (problem: string, example: string) => ({
    problem: `${problem}, and its name is stored and compared`,
    fix: `declare one: ${example}`,
  }),
  duplicateName: {
    problem: 'two of the entities have this name',
    fix: "rename one, or declare another name for it: name: 'OtherReading' in its options",
  },
} satisfies FaultTexts;
