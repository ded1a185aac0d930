/** Conditions of requests as `where` of the library takes them. */
import type { FaultTexts } from '../../../../base/index.js';
import { CodecError } from '../../../../data/cell/index.js';
import {
  cellTextForm,
  columnJsonForm,
  exactly,
  segmentTextForms,
  type TextForm,
} from '../../../../data/text/index.js';
import type { ColumnModel, EntityModel } from '../../../../entities/model/index.js';
import type { TestKind } from '../../protocol/schema.js';
import { badRequest, type RequestFields } from '../../request-fields.js';

const tests: Readonly<Record<TestKind, string>> = {
  equals: 'oneOf',
  oneOf: 'oneOf',
  noneOf: 'noneOf',
  above: 'above',
  atLeast: 'atLeast',
  below: 'below',
  atMost: 'atMost',
  startsWith: 'startsWith',
  isNull: 'isNull',
  notNull: 'not',
};

/** Tests by property, or by field. */
type Tests = Record<string, unknown>;

/** Reads `where`. Throws BAD_REQUEST. */
export function parseWhere(
  model: EntityModel,
  request: RequestFields,
): Readonly<Record<string, unknown>> {
  const where = noTests();
  for (const each of request.objects('where')) addCondition(model, each, where);
  return where;
}

/** Without a prototype: a field of a JSON value may be `__proto__`. */
function noTests(): Tests {
  return Object.create(null) as Tests;
}

function addCondition(model: EntityModel, request: RequestFields, where: Tests): void {
  const property = request.text('property');
  const path = [property, ...request.texts('fields')];
  const test = request.choice('test', Object.keys(tests) as TestKind[]);
  const form = formOf(model, request, path);
  const twice = (): Error => badRequest(request.pathOf('test'), faults.testTwice(path.join('.')));
  let siblings = where;
  for (const name of path.slice(0, -1)) {
    const message = testsAt(siblings, name, twice);
    message.fields ??= noTests();
    siblings = message.fields as Tests;
  }
  const name = path.at(-1)!;
  if (test === 'isNull') {
    // Together with any other test it would match no row.
    if (name in siblings) throw twice();
    siblings[name] = null;
    return;
  }
  const others = testsAt(siblings, name, twice);
  if (tests[test] in others) throw twice();
  others[tests[test]] = testValue(request, test, form);
}

/** The tests of a property so far. */
function testsAt(siblings: Tests, name: string, twice: () => Error): Tests {
  if (siblings[name] === null) throw twice();
  siblings[name] ??= noTests();
  return siblings[name] as Tests;
}

function testValue(request: RequestFields, test: TestKind, form: TextForm): unknown {
  const path = request.pathOf('value');
  if (test === 'notNull') return null;
  if (test === 'oneOf' || test === 'noneOf')
    return request.list('value').map((value, i) => parsedBy(form, value, `${path}.${i}`));
  const value = parsedBy(form, request.value('value'), path);
  return test === 'equals' ? [value] : value;
}

/** The form of the values that a condition compares. Throws BAD_REQUEST. */
function formOf(
  model: EntityModel,
  request: RequestFields,
  [property, ...fields]: readonly string[],
): TextForm {
  const path = request.pathOf(fields.length === 0 ? 'property' : 'fields');
  const segment = model.segments.find((each) => each.property === property);
  const column = model.columns.find((each) => each.property === property);
  if (segment === undefined && column === undefined)
    throw badRequest(path, faults.unknownProperty(model.name, property));
  if (column?.codec.kind === 'json') return jsonValue;
  if (fields.length > 0) {
    if (column?.message === undefined || column.kind === 'columnMap' || column.kind === 'versions')
      throw badRequest(path, faults.noFields(property));
    return fieldForm(column, fields);
  }
  return exactly(
    column === undefined ? segmentTextForms[segment!.type.kind] : cellTextForm(column),
  );
}

/** A field is read as a part of its message: names and values are checked on the way. */
function fieldForm(column: ColumnModel, fields: readonly string[]): TextForm {
  const form = columnJsonForm(column);
  return {
    kind: 'text',
    format: (value) => value,
    parse(input) {
      const message = fields.reduceRight<unknown>((value, name) => ({ [name]: value }), input);
      let value = form.parse(message);
      for (const name of fields) value = (value as Readonly<Record<string, unknown>>)[name];
      return value;
    },
  };
}

/** A value in JSON, which has no kind before it is read. */
const jsonValue: TextForm = {
  kind: 'json',
  format: (value) => value,
  parse(input) {
    if (['string', 'number', 'boolean'].includes(typeof input)) return input;
    throw new CodecError(faults.notASingleValue);
  },
};

/** Runs a form; what it rejects is a fault of the request. */
export function parsedBy(form: TextForm, json: unknown, path: string): unknown {
  try {
    return form.parse(json);
  } catch (error) {
    if (!(error instanceof CodecError)) throw error;
    throw badRequest(path, { problem: error.problem, fix: error.fix });
  }
}

const faults = {
  testTwice: (property: string) => ({
    problem: `'${property}' is tested twice in the same way, or tested although it has no value`,
    fix: 'write alternatives as one test, oneOf',
  }),
  unknownProperty: (entity: string, property: string) => ({
    problem: `${entity} has no property '${property}'`,
  }),
  noFields: (property: string) => ({
    problem: `'${property}' has no fields that conditions can test`,
    fix: 'leave fields out',
  }),
  notASingleValue: {
    problem: 'conditions compare text, numbers and true or false',
    fix: 'test a field of the value',
  },
} satisfies FaultTexts;
