/** The results of a query as records of a file: whole values, in the form of `toJSON()`. */
import { isBytes, isDate } from '../../../../base/index.js';
import { columnJsonForm, segmentTextForms } from '../../../../data/text/index.js';
import type { EntityModel } from '../../../../entities/model/index.js';
import type { JsonValue } from '../../protocol/json.js';
import type { ParsedQuery } from './parse-query.js';

/** The records of a query. */
export interface ResultRecords {
  /** The names in the records, in order. */
  readonly names: readonly string[];
  record(row: object): Readonly<Record<string, JsonValue>>;
}

type Values = Readonly<Record<string, unknown>>;
type Form = (value: unknown) => JsonValue;
type Forms = ReadonlyMap<string, Form>;

/** The name of the entity, in records of a collection. */
const entityName = '@entity';

/** How the results of a query become records. */
export function resultRecords({ source, select }: ParsedQuery): ResultRecords {
  switch (source.kind) {
    case 'collection':
      return collectionRecords(source.members);
    case 'rollup': {
      const { rows, results } = source.rollup;
      const values = results.map(({ name }): [string, Form] => [name, plainForm]);
      return recordsOf(new Map([...segmentForms(rows), ...values]));
    }
    case 'index': {
      const { segments, covered } = source.index;
      const all = source.covered ? [...segments, ...covered] : undefined;
      return recordsOf(formsOf(source.model, select ?? all));
    }
    case 'pattern':
      return recordsOf(formsOf(source.model, select ?? source.pattern.select));
    case 'entity':
      return recordsOf(formsOf(source.model, select));
  }
}

function recordsOf(forms: Forms): ResultRecords {
  return { names: [...forms.keys()], record: (row) => recordOf(forms, row as Values) };
}

function recordOf(forms: Forms, row: Values): Record<string, JsonValue> {
  const record: Record<string, JsonValue> = {};
  for (const [name, format] of forms) {
    const value = row[name];
    if (value === null || value === undefined) continue;
    record[name] = format(value);
  }
  return record;
}

/** The segments, then the columns; of `select` only those. */
function formsOf(model: EntityModel, select: readonly string[] | undefined): Forms {
  const columns = model.columns
    .filter(({ property }) => select === undefined || select.includes(property))
    .map((column): [string, Form] => [column.property, columnJsonForm(column).format as Form]);
  return new Map([...segmentForms(model), ...columns]);
}

function segmentForms(model: EntityModel): readonly [string, Form][] {
  return model.segments.map(({ property, type }) => [
    property,
    segmentTextForms[type.kind].format as Form,
  ]);
}

function collectionRecords(members: readonly EntityModel[]): ResultRecords {
  const byName = new Map(members.map((model) => [model.name, formsOf(model, undefined)]));
  const names = [...byName.values()].flatMap((forms) => [...forms.keys()]);
  return {
    names: [entityName, ...new Set(names)],
    record(row) {
      const { kind, entity } = row as { readonly kind: string; readonly entity: Values };
      return { [entityName]: kind, ...recordOf(byName.get(kind)!, entity) };
    },
  };
}

/** A value of a kind that only its content tells, such as the sum of a rollup. */
function plainForm(value: unknown): JsonValue {
  if (typeof value === 'bigint') return String(value);
  if (typeof value === 'number') return segmentTextForms.float.format(value) as JsonValue;
  if (isDate(value)) return value.toISOString();
  if (isBytes(value)) return Buffer.from(value).toString('base64');
  return value as JsonValue;
}
