/** Conditions of `--where`, and values of options, as queries take them. */
import { suggestionText, type FaultTexts } from '../../../../base/index.js';
import { CodecError } from '../../../../data/cell/index.js';
import type { EntityModel } from '../../../../entities/model/index.js';
import { cellTextForm, segmentTextForms } from '../../../../data/text/index.js';
import { UsageError } from '../../../command.js';

/** A property, and what it is compared with; `!property` is absent, `property` present. */
const conditionForm = /^(!?)([\p{ID_Start}$_][\p{ID_Continue}$]*)(?:(=|!=|>=|<=|>|<|\^=)(.*))?$/su;

const lists: Readonly<Record<string, string>> = { '=': 'oneOf', '!=': 'noneOf' };
const comparisons: Readonly<Record<string, string>> = {
  '>': 'above',
  '>=': 'atLeast',
  '<': 'below',
  '<=': 'atMost',
  '^=': 'startsWith',
};

/** Conditions of `--where` as conditions of queries. Throws UsageError. */
export function conditionsOf(model: EntityModel, given: readonly string[]): object {
  const conditions: Record<string, unknown> = {};
  for (const each of given) {
    const [, absent, name, operator, text] = conditionForm.exec(each) ?? [];
    if (name === undefined || (absent === '!' && operator !== undefined))
      throw new UsageError(faults.notACondition(each));
    const parse = parserOf(model, name);
    const tests = (conditions[name] ?? {}) as Tests;
    if (absent === '!') conditions[name] = null;
    else if (operator === undefined) conditions[name] = { ...tests, not: null };
    else
      conditions[name] = compared(
        tests,
        operator,
        parsedOption('--where', each, () => parse(text)),
      );
  }
  return conditions;
}

type Tests = Readonly<Record<string, unknown>>;

/** Values of several `=` are alternatives, all other terms must hold together. */
function compared(tests: Tests, operator: string, value: unknown): Tests {
  const list = lists[operator];
  if (list === undefined) return { ...tests, [comparisons[operator]]: value };
  return { ...tests, [list]: [...((tests[list] ?? []) as readonly unknown[]), value] };
}

function parserOf(model: EntityModel, name: string): (text: string) => unknown {
  const segment = model.segments.find(({ property }) => property === name);
  if (segment !== undefined) return segmentTextForms[segment.type.kind].parse;
  const column = model.columns.find(({ property }) => property === name);
  if (column !== undefined) return cellTextForm(column).parse;
  const known = [...model.key.names, ...model.columns.map(({ property }) => property)];
  throw new UsageError(faults.unknownProperty(model.name, name, known));
}

/** Runs a parser; its faults are faults of the option. Throws UsageError. */
export function parsedOption(option: string, given: string, parse: () => unknown): unknown {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof CodecError)) throw error;
    const { problem, fix, shell } = error;
    throw new UsageError(
      faults.malformedOption(option, given, shell?.problem ?? problem, shell?.fix ?? fix),
    );
  }
}

const faults = {
  notACondition: (each: string) => ({
    problem: `'${each}' is not a condition`,
    fix: 'write NAME=VALUE, or one of != > >= < <= ^= (starts with); NAME alone: has a value; !NAME: has none',
  }),
  unknownProperty: (modelName: string, name: string, known: readonly string[]) => ({
    problem: `${modelName} has no property '${name}'`,
    fix: suggestionText(name, known, 'its properties are'),
  }),
  malformedOption: (option: string, given: string, problem: string, fix: string) => ({
    problem: `${option} ${given}: ${problem}`,
    fix,
  }),
} satisfies FaultTexts;
