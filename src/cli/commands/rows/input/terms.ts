/** Arguments such as `shop=oslo`, `at>=2026-01-01` and `note:=null`, and the values in them. */
import { suggestionText, type FaultTexts } from '../../../../base/index.js';
import { CodecError } from '../../../../data/cell/index.js';
import type { EntityModel, SegmentModel } from '../../../../entities/model/index.js';
import { exactly, segmentTextForms } from '../../../../data/text/index.js';
import { UsageError } from '../../../command.js';

/** What stands between a name and a value. */
export type Operator = '=' | ':=' | '>=' | '<' | '^=' | '+=' | 'under';

/** An argument that names a property. */
export interface Term {
  readonly name: string;
  readonly operator: Operator;
  readonly text: string;
  /** As it was given, for messages. */
  readonly given: string;
}

const termForm = /^([\p{ID_Start}$_][\p{ID_Continue}$]*)(:=|\+=|>=|<=|\^=|!=|=|<|>)(.*)$/su;

/** What to write for operators that ranges of keys do not have. */
const instead: Readonly<Record<string, string>> = {
  '>': 'ranges include their start: write NAME>=VALUE, or test values with --where',
  '<=': 'ranges exclude their end: write NAME<VALUE, or test values with --where',
  '!=': 'keys are read by their values: exclude a value with --where NAME!=VALUE',
};

/** The term of an argument; undefined for a word without an operator. Throws UsageError. */
export function parseTerm(given: string): Term | undefined {
  const [, name, operator, text] = termForm.exec(given) ?? [];
  if (name === undefined) return undefined;
  const problem = instead[operator];
  if (problem !== undefined)
    throw new UsageError(faults.malformedTerm(given, problem.replaceAll('NAME', name)));
  return { name, operator: operator as Operator, text, given };
}

/** The term of an option such as `--from at=2026-01-01`. Throws UsageError. */
export function optionTerm(option: string, operator: Operator, given: string): Term {
  const term = parseTerm(given);
  if (term?.operator === '=') return { ...term, operator, given: `--${option} ${given}` };
  if (term?.operator === ':=') return { ...term, operator, given: `--${option} ${given}` };
  throw new UsageError(faults.notATerm(option, given));
}

/** The JSON of a text. Throws UsageError. */
export function parseJson(given: string, text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new UsageError(faults.notJson(given, (error as Error).message));
  }
}

/** The value of a segment. Throws UsageError with the form that the kind has. */
export function segmentValue(segment: SegmentModel, { operator, text, given }: Term): unknown {
  const form = segmentTextForms[segment.type.kind];
  if (operator !== ':=') return parsed(given, () => form.parse(text));
  const json = parseJson(given, text);
  if (json !== null) return parsed(given, () => exactly(form).parse(json));
  if (segment.type.nullable === true) return null;
  throw new UsageError(faults.nullSegment(given, segment.property));
}

/** Runs a parser; its faults are faults of the argument. Throws UsageError. */
export function parsed<T>(given: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof CodecError)) throw error;
    const { problem, fix, shell } = error;
    throw new UsageError(
      faults.malformedValue(given, shell?.problem ?? problem, shell?.fix ?? fix),
    );
  }
}

/** The segment of a term; `keyName` names the key. Throws UsageError. */
export function findSegment(
  model: EntityModel,
  { name, given }: Term,
  keyName = `the key of ${model.name}`,
): SegmentModel {
  const found = model.segments.find(({ property }) => property === name);
  if (found !== undefined) return found;
  const isColumn = model.columns.some(({ property }) => property === name);
  if (isColumn) throw new UsageError(faults.columnForSegment(given, name, keyName));
  throw new UsageError(faults.unknownSegment(given, name, keyName, model.key.names));
}

const faults = {
  malformedTerm: (given: string, text: string) => ({ problem: `${given}: ${text}` }),
  notATerm: (option: string, given: string) => ({
    problem: `--${option} takes SEGMENT=VALUE, not '${given}'`,
  }),
  notJson: (given: string, message: string) => ({
    problem: `${given}: it is not JSON (${message})`,
    fix: 'write text in double quotes',
  }),
  nullSegment: (given: string, property: string) => ({
    problem: `${given}: '${property}' is never null`,
    fix: 'give it a value',
  }),
  malformedValue: (given: string, problem: string, fix: string) => ({
    problem: `${given}: ${problem}`,
    fix,
  }),
  columnForSegment: (given: string, name: string, keyName: string) => ({
    problem: `${given}: '${name}' is a column, not a segment of ${keyName}; test it with --where ${name}=VALUE`,
  }),
  unknownSegment: (given: string, name: string, keyName: string, names: readonly string[]) => ({
    problem: `${given}: '${name}' is not a segment of ${keyName}`,
    fix: suggestionText(name, names, 'its segments are'),
  }),
} satisfies FaultTexts;
