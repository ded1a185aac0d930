/** The call `validate`: what is wrong with values while they are typed. */
import { printable } from '../../../base/index.js';
import { CodecError } from '../../../data/cell/index.js';
import { columnJsonForm, exactly, segmentTextForms } from '../../../data/text/index.js';
import { declaredRules, entityJson, type EntityModel } from '../../../entities/model/index.js';
import type { CallOf } from '../context.js';
import { entityNamed } from '../state/entity-names.js';
import type { Validated } from '../protocol/change.js';
import type { JsonValue } from '../protocol/json.js';
import type { RequestFields } from '../request-fields.js';
import { issuesOf } from './row-values.js';

type Issue = Validated['issues'][number];

/** Checks values as a write would, and writes nothing. */
export function validateValues({ context, request }: CallOf<RequestFields>): Promise<Validated> {
  const model = entityNamed(context.models, request.text('entity'));
  const values = request.values('values');
  const validated = request.flag('whole') ? wholeIssues(model, values) : partIssues(model, values);
  return Promise.resolve(validated);
}

function wholeIssues(model: EntityModel, values: Readonly<Record<string, JsonValue>>): Validated {
  try {
    const entity = entityJson(model).parse(values);
    const key = model.key.encode(entity as Readonly<Record<string, unknown>>);
    return { issues: [], key: printable(key) };
  } catch (error) {
    const issues = issuesOf(error);
    if (issues === undefined) throw error;
    return { issues };
  }
}

/** Only what was given: the rest may follow. */
function partIssues(model: EntityModel, values: Readonly<Record<string, JsonValue>>): Validated {
  const parsed: Record<string, unknown> = {};
  const issues: Issue[] = [];
  const parse = (property: string, form: { parse(json: unknown): unknown }): void => {
    const json = Object.hasOwn(values, property) ? values[property] : undefined;
    if (json === undefined || json === null) return;
    try {
      parsed[property] = form.parse(json);
    } catch (error) {
      if (!(error instanceof CodecError)) throw error;
      issues.push({ property, problem: error.problem, fix: error.fix });
    }
  };
  for (const { property, type } of model.segments)
    parse(property, exactly(segmentTextForms[type.kind]));
  for (const column of model.columns) parse(column.property, columnJsonForm(column));
  for (const { path, message } of declaredRules(model)?.patch(parsed, parsed) ?? [])
    issues.push({ property: path, problem: message });
  return { issues };
}
